"""Greedy beside one pass of its token counter over books, and on runs of one thing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

from benchmarks.packages import encoding
from benchmarks.suite.report import Section, Table, short
from benchmarks.suite.texts import english
from benchmarks.suite.timing import Taken, interleaved
from lumber_core import GreedyChunker
from lumber_core.text.source import Source

ROUNDS = 7
RUN_ROUNDS = 3
BOOK = 200_000  # characters of a generated book
RUN = 1_000_000  # characters of a run
ONE_PASS = "tiktoken, one pass"
RUNS = {
    "a letter": "a",
    "a space": " ",
    "a line break": "\n",
    "an ideograph": "\u6e21",
    "an emoji": "\U0001f600",
    "a lone surrogate": "\ud83d",
    "sentences of a letter": "a. ",
    "sentences of ten ideographs": "\u6e21" * 10 + "\u3002",
    "paragraphs": "a\n\n",
    "lines of an emoji": "\U0001f600\n",
    "list items": "- a\n",
    "rows of a table": "|a|\n",
    "headings": "# a\n",
}


def greedy(
    log: Callable[[str], None], *, scale: float = 1.0, folder: Path | None = None
) -> Section:
    """Measure Greedy on books, beside LangChain's recursive splitter, and on runs.

    Args:
        log: Called with a line on progress.
        scale: Factor for the sizes of generated texts.
        folder: Books, as text files; None for generated ones.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    books = [english(int(BOOK * scale), seed) for seed in range(4)]
    if folder is not None:
        books = [
            path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(folder.glob("*.txt"))
        ]
    encode = encoding().encode_ordinary
    plain, exact = GreedyChunker(), GreedyChunker(tokenizer="cl100k_base")
    recursive = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        "cl100k_base", chunk_size=plain.chunk_size, chunk_overlap=0
    )
    sentences = [[unit.of(book) for unit in exact.parse(book).units()] for book in books]
    splits: dict[str, Callable[[], object]] = {
        ONE_PASS: lambda: [*map(encode, books)],
        "tiktoken, sentence by sentence": lambda: [*map(exact.counter.count, sentences)],
        "greedy, tiktoken": lambda: [*map(exact.segment, books)],
        "greedy, default counter": lambda: [*map(plain.segment, books)],
        "langchain Recursive, tokens": lambda: [*map(recursive.split_text, books)],
    }
    log("greedy: books, by turns")
    taken = interleaved(splits, rounds=ROUNDS)
    base, size = _least(taken[ONE_PASS]), sum(map(len, books))
    rows = [
        [name, short(size / _least(spent)), f"{_least(spent) / base:.2f}"]
        for name, spent in taken.items()
    ]
    speeds = []
    for name, unit in RUNS.items():
        log(f"greedy: {name}")
        text = unit * int(RUN * scale / len(unit))
        both = {way: partial(_split, plain, text, way) for way in ("text", "markdown")}
        found = interleaved(both, rounds=RUN_ROUNDS)
        speeds.append([name, *(short(len(text) / _least(found[way])) for way in both)])
    return Section(
        "Greedy and counting",
        [
            f"{len(books)} books of {size:,} characters together. CPU time, the least of {ROUNDS} "
            "rounds by turns, as a multiple of one pass of tiktoken over each book.",
            Table(["", "characters/s", "times one pass"], rows),
            f"Texts of {int(RUN * scale):,} characters in which one thing is repeated, with the "
            "default settings: characters a second of CPU time.",
            Table(["repeated", "plain text", "Markdown"], speeds),
        ],
        frozenset({"lumber-splitters", "langchain-text-splitters"}),
    )


def _split(chunker: GreedyChunker, text: str, form: Literal["text", "markdown"]) -> object:
    # A source is parsed as Markdown once: each round needs its own.
    return chunker.segment(Source(text, format=form))


def _least(spent: list[Taken]) -> float:
    return min(one.cpu for one in spent)
