"""Measures the cost of an index's update after changes: CPU time, and texts embedded.

    python benchmarks/second_time.py ../shared/data
    PYTHONPATH=../before:../before/shared python benchmarks/second_time.py ../shared/data

The first table is about one book of 120,000 characters in the index of `PassageRetriever`, which is
synced after each change. The second is about four annual reports in the index of
`lumber-splitters ask --index`, which a new process asks after each change. The second command
measures another checkout in the same way. "First" is the first run, without an index.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langchain_core.documents import Document

from langchain_lumber import LumberEmbeddings, PassageRetriever

_BOOK, _CHARACTERS = "books/alice.txt", 120_000
_REPORTS = ("ADOBE_2022_10K", "AMCOR_2023Q4_EARNINGS", "BESTBUY_2024Q2_10Q", "NETFLIX_2015_10K")
_QUESTION = "What was the revenue?"


class Counting(LumberEmbeddings):
    """Counts the texts that it embeds."""

    texts: int = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, and count them."""
        self.texts += len(texts)
        return super().embed_documents(texts)


def changes_of(book: str) -> Iterator[tuple[str, list[Document]]]:
    """Yield each change, and the documents after it."""

    def of(*texts: str, **metadata: Any) -> list[Document]:
        return [
            Document(text, metadata={"source": f"{number}.txt", **metadata})
            for number, text in enumerate(texts, start=1)
        ]

    half = len(book) // 2
    edited = book[:half] + book[half:].replace(" the ", " some ", 1)
    yield "first", of(book, seen=1)
    yield "nothing", of(book, seen=1)
    yield "one word", of(edited, seen=1)
    yield "a line at its top", of(f"This line is new.\n\n{edited}", seen=1)
    yield "only metadata", of(f"This line is new.\n\n{edited}", seen=2)
    middle = edited.index("\n\n", half) + 2
    yield "divided into two documents", of(edited[:middle], edited[middle:], seen=2)


def measure_book(data: Path, folder: Path) -> None:
    """Print the first table."""
    book = (data / _BOOK).read_text(encoding="utf-8")[:_CHARACTERS]
    model = Counting()
    retriever = PassageRetriever(path=folder / "book.db", embeddings=model)
    print("what has changed in a book | CPU seconds | texts embedded\n--- | --: | --:")
    for change, documents in changes_of(book):
        before, start = model.texts, time.process_time()
        retriever.sync(documents)
        seconds = time.process_time() - start
        print(f"{change} | {seconds:.2f} | {model.texts - before:,}")


def measure_reports(data: Path, folder: Path) -> None:
    """Print the second table."""
    reports = folder / "reports"
    reports.mkdir()
    for name in _REPORTS:
        shutil.copy(data / "financebench" / "pdfs" / f"{name}.pdf", reports)

    def ask(change: str) -> None:
        command = ["ask", str(reports), _QUESTION, "--index", str(folder / "reports.db")]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "lumber_cli", *command], check=True, capture_output=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{change} | {seconds:.1f}")

    def touch(seconds: float) -> None:
        for path in reports.iterdir():
            os.utime(path, (seconds, seconds))

    print("\nwhat has changed in four reports | CPU seconds\n--- | --:")
    touch(10**9)
    ask("first")
    ask("nothing")
    touch(10**9 + 60)
    ask("touched")
    (reports / f"{_REPORTS[1]}.pdf").rename(reports / "AMCOR_EARNINGS.pdf")
    ask("one is renamed")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with books/ and financebench/")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure_book(options.data, Path(folder))
        measure_reports(options.data, Path(folder))


if __name__ == "__main__":
    main()
