"""Streams a large corpus through a splitter, document by document.

python -m benchmarks.suite.corpus greedy 1000      a corpus of 1,000 MB; prints a line of JSON
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import psutil

from benchmarks.packages import use_shipped_vocabulary
from benchmarks.suite.report import Section, table
from benchmarks.suite.splitters import BASE, Split, entry, split_of
from benchmarks.suite.texts import KINDS, documents
from lumber_core import BertChunker, Chunker, GreedyChunker, LayoutChunker

DOCUMENT_SIZE = 20_000  # characters
OURS: dict[str, Callable[[], Chunker]] = {
    "greedy": GreedyChunker,
    "layout": LayoutChunker,
    "bert": BertChunker,
    "bert, large": lambda: BertChunker("large"),
}


def stream(name: str, megabytes: float) -> dict[str, Any]:
    """Pass a generated corpus through a splitter, document by document; return the figures.

    The splitter is one of `OURS`, with its defaults; else LangChain's recursive one. "cpu" includes
    the seconds to generate the documents, and "memory" is the MiB held after each tenth of them.
    """
    split: Split
    if name in OURS:
        chunker = OURS[name]()
        split = lambda text: chunker.segment(text).spans  # noqa: E731
    else:
        use_shipped_vocabulary()
        split = split_of(entry(BASE).make())
    split(KINDS["English"](2000, 0))
    process = psutil.Process()
    total = int(megabytes * 1e6)
    memory: list[float] = []
    characters = number = chunks = 0
    began = process_time()
    for text in documents(total, DOCUMENT_SIZE):
        chunks += len(split(text))  # type: ignore[arg-type]
        characters += len(text)
        number += 1
        if characters >= total * (len(memory) + 1) / 10:
            memory.append(process.memory_info().rss / 2**20)
    return {
        "megabytes": characters / 1e6,
        "documents": number,
        "chunks": chunks,
        "cpu": process_time() - began,
        "memory": memory,
    }


def large(log: Callable[[str], None], sizes: dict[str, float]) -> Section:
    """Pass large corpora, of so many megabytes, through splitters, each in a process of its own."""
    rows = []
    for name, megabytes in sizes.items():
        log(f"large: {name}, {megabytes:g} MB")
        command = [sys.executable, "-m", "benchmarks.suite.corpus", name, str(megabytes)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        run = json.loads(printed.splitlines()[-1])
        counts = [f"{run['megabytes']:,.0f}", f"{run['documents']:,}", f"{run['chunks']:,}"]
        memory = [f"{mib:.0f}" for mib in (run["memory"][0], max(run["memory"]))]
        rows.append([name, *counts, f"{run['cpu']:,.2f}", *memory])
    headers = ("", "MB", "documents", "chunks", "CPU s", "MiB at 10 %", "most")
    text = (
        f"Generated documents of {DOCUMENT_SIZE:,} characters pass through as an iterator; memory "
        "is what the process holds after each tenth of them."
    )
    return Section("A large corpus", [text, table(headers, rows)], frozenset({"lumber-splitters"}))


if __name__ == "__main__":
    print(json.dumps(stream(sys.argv[1], float(sys.argv[2]))))
