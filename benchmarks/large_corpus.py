"""Streams large generated corpora through splitters, document by document.

    python -m benchmarks.large_corpus                 all
    python -m benchmarks.large_corpus greedy 1000     one, with a corpus of 1,000 MB

Documents of 20,000 characters pass through as an iterator, each splitter in a process of its own.
Memory is what the process holds after the first tenth of them, and the maximum after any tenth.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import psutil

from benchmarks.generated_texts import KINDS, documents
from benchmarks.packages import use_shipped_vocabulary
from benchmarks.processes import run_alone
from benchmarks.speed import BASE, Split, find_entry, split_of
from lumber_core import BertChunker, Chunker, GreedyChunker, LayoutChunker

DOCUMENT_SIZE = 20_000  # characters
OURS: dict[str, Callable[[], Chunker]] = {
    "greedy": GreedyChunker,
    "layout": LayoutChunker,
    "bert": BertChunker,
    "bert, large": lambda: BertChunker("large"),
}
MEGABYTES = {"greedy": 100.0, "layout": 100.0, "recursive": 30.0, "bert": 20.0, "bert, large": 2.0}


def stream(name: str, megabytes: float) -> dict[str, Any]:
    """Pass a generated corpus through a splitter, document by document; return the figures.

    The splitter is one of `OURS`, with its defaults; else LangChain's recursive splitter. "cpu"
    includes the seconds to generate the documents, and "memory" is the MiB held after each tenth of
    them.
    """
    split: Split
    if name in OURS:
        chunker = OURS[name]()
        split = lambda text: chunker.segment(text).spans  # noqa: E731
    else:
        use_shipped_vocabulary()
        split = split_of(find_entry(BASE).make())
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("splitter", nargs="?", choices=[*MEGABYTES])
    parser.add_argument("megabytes", nargs="?", type=float)
    options = parser.parse_args()
    print("splitter | MB | documents | chunks | CPU s | MiB at 10 % | most")
    print("--- | --: | --: | --: | --: | --: | --:")
    for name in [options.splitter] if options.splitter else MEGABYTES:
        run = run_alone(stream, name, options.megabytes or MEGABYTES[name])
        counts = f"{run['megabytes']:,.0f} | {run['documents']:,} | {run['chunks']:,}"
        memory = f"{run['memory'][0]:.0f} | {max(run['memory']):.0f}"
        print(f"{name} | {counts} | {run['cpu']:,.2f} | {memory}", flush=True)


if __name__ == "__main__":
    main()
