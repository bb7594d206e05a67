"""Measures what HTML and DOCX files keep of the Markdown that they are made from.

    python -m benchmarks.reading_formats ../shared/data/multi_corpus

It prints the share of words kept in order, and the shares of headings kept with their level, list
items with their depth and kind, and cells with their row and column. It also prints seconds for a
file; the first starts a process. Pandoc made the files. It turns some lists into paragraphs, and
their items count as lost.
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
    """Return the headings, items and cells of a Markdown by kind, with their counts."""
    counts: Parts = {"headings": Counter(), "items": Counter(), "cells": Counter()}
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
            for name, text in zip(head, row, strict=False):
                counts["cells"][(name, row[0], text)] += 1
        elif token.type == "table_close":
            head = []
        elif token.type in ("heading_open", "list_item_open", "th_open", "td_open"):
            waiting, tag = token.type, token.tag
        elif token.type == "inline":
            text = " ".join(words(token.content))
            if waiting == "heading_open":
                counts["headings"][(tag, text)] += 1
            elif waiting == "list_item_open":
                counts["items"][(*lists, text)] += 1
            elif waiting:
                row.append(text)
            waiting = ""
    return counts


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
        start = time.perf_counter()
        files = {path: read_file(path).text for path in sorted(corpus.glob(f"formats/*{suffix}"))}
        seconds = (time.perf_counter() - start) / len(files)
        for path, text in files.items():
            markdown = sources[path.stem].read_text("utf-8")
            shares["words"].append(
                LCSseq.similarity(words(markdown), words(text)) / len(words(markdown))
            )
            expected, read = parts(markdown), parts(text)
            for kind, count in expected.items():
                if count:
                    shares[kind].append((count & read[kind]).total() / count.total())
        print(
            f"{suffix:7}", *(f"{fmean(values):.4f}" for values in shares.values()), f"{seconds:.3f}"
        )


if __name__ == "__main__":
    main()
