"""What working ahead on one document saves and costs, by its length and by `max_extra_calls`.

    python -m benchmarks.lanes ../shared/data/gutenqa_emma
    python -m benchmarks.lanes ../shared/data/gutenqa_emma --seconds 0.5

Texts are parts of *Emma*. The judge knows the published chunks, with noise as in `windows.py`, so
that lanes meet the true chain as they do with a model. Up to 16 calls are in flight. All answers
take the same time, so a run takes as many answers one after the other as there are rounds; the
schedule is the real one, and nothing depends on the speed of this machine.

With `--seconds`, a server on this machine answers after as many seconds, without noise, to the
OpenAI package; what a run takes is divided by that.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from statistics import mean

from benchmarks.windows import NOISES, Oracle
from lumber_core import LumberChunker
from lumber_core.llms import OpenAIModel
from lumber_core.lumber.judges import as_verdict
from lumber_core.lumber.prompt import folded
from lumber_core.lumber.runner import Schedule, Task
from lumber_core.lumber.settings import LumberSettings
from lumber_core.lumber.windows import WindowWalk
from lumber_evaluation.corpora import load_gutenqa
from lumber_evaluation.documents import Document
from tests.loopback.server import LoopbackServer, Request

KILOBYTES = (10, 30, 100, 900)
SHARES = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)
CAPACITY = 16
NOISE = NOISES[4]  # the same whenever it is asked, as of a model at temperature 0


def run(document: Document, start: int, length: int, share: float, method: str) -> tuple[int, int]:
    """Return the calls and the rounds that a part of a text takes."""
    text = document.text[start : start + length]
    starts = [offset - start for offset in document.starts]
    oracle = Oracle(starts, NOISE, method, 0)  # type: ignore[arg-type]
    chunker = LumberChunker(
        oracle,
        method=method,  # type: ignore[arg-type]
        max_concurrency=CAPACITY,
        max_extra_calls=share,
    )
    walk = chunker._walk(chunker.parse(text), CAPACITY if share else 1)
    schedule = Schedule(iter([walk]), CAPACITY, Oracle((), NOISE, "paper", 0).stored)
    calls = rounds = 0
    while tasks := list[Task](iter(schedule.next_task, None)):
        rounds += 1
        calls += len(tasks)
        for task in tasks:
            walk.record(as_verdict(task.group, oracle.judge(task.group)))
            schedule.give_back(task)
    assert walk.done or isinstance(walk, WindowWalk)
    return calls, rounds


def run_over_http(
    document: Document, start: int, length: int, share: float, method: str, seconds: float
) -> tuple[int, float]:
    """Return the calls that a part of a text takes, and the time in answers."""
    text = document.text[start : start + length]
    spans = zip(document.units, [*document.units[1:], len(document.text)], strict=True)
    known = {folded(document.text[a:b]) for a, b in spans if a in {*document.starts}}

    def answer(request: Request) -> str:
        _, *lines = re.findall(r"^(ID \d+): (.*)$", request.user, re.MULTILINE)
        found = [unit for unit, line in lines if line in known]
        listed = found if request.asks_for_list else found[:1]
        return f"Answer: {', '.join(listed) or 'none'}"

    with LoopbackServer(answer, delay=seconds) as server:
        chunker = LumberChunker(
            OpenAIModel("any", base_url=server.openai_url),
            method=method,  # type: ignore[arg-type]
            max_concurrency=CAPACITY,
            max_extra_calls=share,
        )
        chunker.segment("One.\n\nTwo.")  # so that imports do not count
        before, begun = server.count, time.perf_counter()
        chunker.segment(text)
        return server.count - before, (time.perf_counter() - begun) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    (book,) = load_gutenqa(options.folder).documents
    default = LumberSettings().max_extra_calls
    print(
        "KB | method, max_extra_calls | calls | more calls | answers one after the other | faster"
    )
    print(" | ".join(["---"] * 6))
    for size in KILOBYTES:
        length = min(size * 1000, len(book.text))
        first = [book.units[n * len(book.units) // 12] for n in range(9)]
        places = [offset for offset in first if offset + length <= len(book.text)] or [0]
        base: tuple[float, float] | None = None
        for method, share in [*(("paper", s) for s in sorted({*SHARES, default})), ("window", 0.0)]:
            made: list[tuple[int, float]]
            if options.seconds:
                place = places[len(places) // 2]
                made = [run_over_http(book, place, length, share, method, options.seconds)]
            else:
                made = [run(book, place, length, share, method) for place in places]
            calls, rounds = mean(c for c, _ in made), mean(r for _, r in made)
            base = base or (calls, rounds)
            name = "window" if method == "window" else f"paper, {share:g}"
            print(
                f"{size} | {name} | {calls:.0f} | {calls / base[0] - 1:+.0%} | {rounds:.1f} | "
                f"{base[1] / rounds:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
