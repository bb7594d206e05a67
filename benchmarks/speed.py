"""How long splitting takes, as a multiple of one tiktoken pass over the same text.

Usage: python benchmarks/speed.py TEXT [ROUNDS]

TEXT is a text file, or a JSON-lines file whose "text" fields are joined by line feeds. It should
be a book: on short texts fixed costs dominate.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

import tiktoken
from paired import paired, ratio

from lumber_core import GreedyChunker, Group, LumberChunker
from lumber_core.text.units import sentences


def second(group: Group) -> int:
    """Judge at once."""
    return group.start + 1 + len(group) // 2 if len(group) > 2 else group.start + 1


def main() -> None:
    path = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    text = read(path)
    greedy = GreedyChunker(400)
    known = sentences(text)
    given = GreedyChunker(400, units=lambda _: known)
    encoding = tiktoken.get_encoding("cl100k_base")
    words = LumberChunker(second)
    tokens = LumberChunker(second, tokenizer="cl100k_base")
    seconds = paired(
        {
            "one tiktoken pass": lambda: encoding.encode_ordinary(text),
            "greedy, sentences found": lambda: greedy.segment(text),
            "greedy, sentences given": lambda: given.segment(text),
            "walk, counted in words": lambda: words.segment(text),
            "walk, counted by tiktoken": lambda: tokens.segment(text),
        },
        rounds=rounds,
    )
    base = "one tiktoken pass"
    print(f"{path.name}: {len(text):,} characters, {rounds} interleaved rounds")
    print(f"{base}: {statistics.median(seconds[base]) * 1000:.0f} ms")
    for name in list(seconds)[1:]:
        print(f"{name}: {ratio(seconds, name, base)} x {base}")


def read(path: Path) -> str:
    raw = path.read_text(encoding="utf-8")
    if path.suffix != ".jsonl":
        return raw
    return "\n".join(json.loads(line)["text"] for line in raw.splitlines())


if __name__ == "__main__":
    main()
