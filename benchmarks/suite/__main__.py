"""Run the benchmarks and write a report: `python -m benchmarks.suite`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from benchmarks.suite.corpus import large
from benchmarks.suite.report import Section, write_report
from benchmarks.suite.throughput import splitters

PARTS = ("splitters", "large")
MEGABYTES = {"greedy": 100.0, "layout": 100.0, "recursive": 30.0, "bert": 20.0, "bert, large": 2.0}
"""Size of the large corpus for each splitter; a factor for them is --scale."""


def main() -> None:
    """Run the requested parts, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=["splitters"])
    parser.add_argument("--output", type=Path, default=Path("bench-report"), help="a folder")
    parser.add_argument("--scale", type=float, default=1.0, help="factor for the sizes of texts")
    options = parser.parse_args()
    began = perf_counter()

    def log(line: str) -> None:
        print(f"{perf_counter() - began:6.0f} s  {line}", file=sys.stderr, flush=True)

    sizes = {name: size * options.scale for name, size in MEGABYTES.items()}
    make: dict[str, Callable[[], Section]] = {
        "splitters": lambda: splitters(log, scale=options.scale),
        "large": lambda: large(log, sizes),
    }
    sections = [make[part]() for part in options.parts]
    print(write_report(sections, options.output))


if __name__ == "__main__":
    main()
