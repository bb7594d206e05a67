"""How much waiting lanes save on one document, and how many calls they waste.

Usage: python benchmarks/lanes.py FOLDER [IN_FLIGHT] [MILLISECONDS]

FOLDER holds `paragraphs.jsonl` and `published_chunk_ends.json`: a document whose chunks are known.
The judge answers from them after a wait of MILLISECONDS, as a model would.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

from lumber_core import Group, LexicalJudge, LumberChunker, Segmentation


def main() -> None:
    folder = Path(sys.argv[1])
    in_flight = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    wait = (float(sys.argv[3]) if len(sys.argv) > 3 else 50.0) / 1000
    lines = (folder / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()
    text = "\n".join(json.loads(line)["text"] for line in lines)
    ends = json.loads((folder / "published_chunk_ends.json").read_text(encoding="utf-8"))["ends"]

    def known(group: Group) -> int | None:
        end = ends[bisect_left(ends, group.start)]
        return end if end <= group.stop else None

    def judge(group: Group) -> int | None:
        time.sleep(wait)
        return known(group)

    async def ajudge(group: Group) -> int | None:
        await asyncio.sleep(wait)
        return known(group)

    one_by_one, base = timed(lambda: LumberChunker.as_published(judge).segment(text))
    report("one at a time", one_by_one, base, base)
    threads = LumberChunker.as_published(judge, max_concurrency=in_flight)
    result, seconds = timed(lambda: threads.segment(text))
    assert result == one_by_one
    report(f"{in_flight} in flight, threads", result, seconds, base)
    tasks = LumberChunker.as_published(ajudge, max_concurrency=in_flight)
    result, seconds = timed(lambda: asyncio.run(tasks.asegment(text)))
    assert result == one_by_one
    report(f"{in_flight} in flight, asyncio", result, seconds, base)

    local = LexicalJudge()
    others: dict[str, Callable[[Group], int | None]] = {
        "word use": lambda group: local.judge(group).unit,
        "none ever named": lambda _: None,
    }
    for name, other in others.items():
        alone = LumberChunker(other).segment(text).usage.calls

        async def quick(group: Group, other: Callable[[Group], int | None] = other) -> int | None:
            await asyncio.sleep(wait / 10)
            return other(group)

        ahead = asyncio.run(LumberChunker(quick, max_concurrency=in_flight).asegment(text))
        extra = ahead.usage.calls / alone - 1
        print(f"another judge, {name}: {alone} calls one at a time, {extra:+.1%} in flight")


def timed(run: Callable[[], Segmentation]) -> tuple[Segmentation, float]:
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def report(name: str, result: Segmentation, seconds: float, base: float) -> None:
    print(
        f"{name}: {len(result.spans)} chunks, {result.usage.calls} calls, {seconds:.1f} s, "
        f"{base / seconds:.1f} x as fast as one at a time"
    )


if __name__ == "__main__":
    main()
