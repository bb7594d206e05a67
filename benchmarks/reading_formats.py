"""What reading HTML and DOCX keeps of the Markdown that the files were made of.

    python -m benchmarks.reading_formats ../shared/data/multi_corpus

Of the Markdown's words, the share that comes in the same order; of its headings with their level,
its list items with their depth and kind, and its cells with their row and the name of their column,
the share that is there; and seconds for each file, of which the first starts a process. The files
are Pandoc's, which makes lines of a paragraph of some lists: these items count as lost.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from pathlib import Path
from statistics import fmean

from markdown_it import MarkdownIt
from rapidfuzz.distance import LCSseq

from lumber_files import read_file

SUFFIXES = (".html", ".docx")
_PARSER = MarkdownIt("commonmark").enable("table")
Parts = dict[str, Counter[tuple[str, ...]]]


def words(text: str) -> list[str]:
    """Return the words of a Markdown, without link targets."""
    return re.findall(r"[^\W_]+", re.sub(r"\]\([^)]*\)", "]", text).casefold())


def parts(markdown: str) -> Parts:
    """Return how often each heading, item and cell is in a Markdown, by its kind."""
    found: Parts = {"headings": Counter(), "items": Counter(), "cells": Counter()}
    lists: list[str] = []
    head: list[str] = []
    row: list[str] = []
    waiting = tag = ""
    for token in _PARSER.parse(markdown):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(token.tag)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "tr_open":
            row = []
        elif token.type == "thead_close":
            head = row
        elif token.type == "tr_close" and head:
            for name, said in zip(head, row, strict=False):
                found["cells"][(name, row[0], said)] += 1
        elif token.type == "table_close":
            head = []
        elif token.type in ("heading_open", "list_item_open", "th_open", "td_open"):
            waiting, tag = token.type, token.tag
        elif token.type == "inline":
            said = " ".join(words(token.content))
            if waiting == "heading_open":
                found["headings"][(tag, said)] += 1
            elif waiting == "list_item_open":
                found["items"][(*lists, said)] += 1
            elif waiting:
                row.append(said)
            waiting = ""
    return found


def main() -> None:
    """Measure both formats."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path, help="folder of RAG-Multi-Corpus")
    corpus = parser.parse_args().corpus
    sources = {path.stem: path for path in corpus.glob("*/*.md")}
    print("format  words  headings  items  cells  seconds")
    for suffix in SUFFIXES:
        shares: dict[str, list[float]] = {
            kind: [] for kind in ("words", "headings", "items", "cells")
        }
        begun = time.perf_counter()
        files = {path: read_file(path).text for path in sorted(corpus.glob(f"formats/*{suffix}"))}
        seconds = (time.perf_counter() - begun) / len(files)
        for path, text in files.items():
            markdown = sources[path.stem].read_text("utf-8")
            shares["words"].append(
                LCSseq.similarity(words(markdown), words(text)) / len(words(markdown))
            )
            wanted, read = parts(markdown), parts(text)
            for kind, count in wanted.items():
                if count:
                    shares[kind].append((count & read[kind]).total() / count.total())
        print(
            f"{suffix:7}", *(f"{fmean(values):.4f}" for values in shares.values()), f"{seconds:.3f}"
        )


if __name__ == "__main__":
    main()
