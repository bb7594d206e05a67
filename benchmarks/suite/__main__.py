"""Run the benchmarks and write a report: `python -m benchmarks.suite`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from benchmarks.suite.bert import bert
from benchmarks.suite.greedy import greedy
from benchmarks.suite.growth import growth, large
from benchmarks.suite.llm import language_models
from benchmarks.suite.report import Section, write_report
from benchmarks.suite.throughput import splitters

PARTS = ("splitters", "llm", "bert", "growth", "greedy")


def main() -> None:
    """Run the requested parts, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=(*PARTS, "large"), default=list(PARTS))
    parser.add_argument("--output", type=Path, default=Path("bench-report"), help="a folder")
    parser.add_argument("--scale", type=float, default=1.0, help="factor for the sizes of texts")
    parser.add_argument("--checkpoint", type=Path, help="bert: weights for both sides")
    parser.add_argument("--text", type=Path, help="bert: the text to split")
    parser.add_argument("--books", type=Path, help="greedy: a folder of text files to split")
    parser.add_argument("--greedy-mb", type=float, default=1000.0, help="large: size for greedy")
    parser.add_argument("--bert-mb", type=float, default=50.0, help="large: size for bert")
    options = parser.parse_args()
    began = perf_counter()

    def log(line: str) -> None:
        print(f"{perf_counter() - began:6.0f} s  {line}", file=sys.stderr, flush=True)

    text = None if options.text is None else options.text.read_text(encoding="utf-8")
    make: dict[str, Callable[[], Section]] = {
        "splitters": lambda: splitters(log, scale=options.scale),
        "llm": lambda: language_models(log, scale=options.scale),
        "bert": lambda: bert(log, scale=options.scale, checkpoint=options.checkpoint, text=text),
        "growth": lambda: growth(log, scale=options.scale),
        "greedy": lambda: greedy(log, scale=options.scale, folder=options.books),
        "large": lambda: large(log, {"greedy": options.greedy_mb, "bert": options.bert_mb}),
    }
    sections = [make[part]() for part in options.parts]
    print(write_report(sections, options.output))


if __name__ == "__main__":
    main()
