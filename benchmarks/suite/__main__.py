"""Run the benchmarks and write a report: `python -m benchmarks.suite`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from benchmarks.suite.llm import language_models
from benchmarks.suite.report import Section, write_report
from benchmarks.suite.throughput import splitters

Log = Callable[[str], None]

PARTS: dict[str, Callable[[Log, float], Section]] = {
    "splitters": lambda log, scale: splitters(log, scale=scale),
    "llm": lambda log, scale: language_models(log, scale=scale),
}


def main() -> None:
    """Run the parts that are asked for, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=__doc__)
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=list(PARTS), help="which parts"
    )
    parser.add_argument("--output", type=Path, default=Path("bench-report"), help="folder")
    parser.add_argument("--scale", type=float, default=1.0, help="factor for the sizes of texts")
    options = parser.parse_args()
    began = perf_counter()

    def log(line: str) -> None:
        print(f"{perf_counter() - began:6.0f} s  {line}", file=sys.stderr, flush=True)

    sections = [PARTS[part](log, options.scale) for part in options.parts]
    print(write_report(sections, options.output))


if __name__ == "__main__":
    main()
