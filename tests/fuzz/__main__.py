"""Fuzzes the property tests of this folder with atheris, which looks for inputs by coverage.

    python -m tests.fuzz --minutes 30
    python -m tests.fuzz --minutes 5 test_units.test_markdown_tiles_at_starts_of_lines

Each test runs in a process of its own, for an equal share of the time. Inputs that reached new code
are kept under `.fuzz/` for the next run. Hypothesis keeps an input that fails: the ordinary test
then fails with it as well, and makes it as small as it can.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
FOUND = Path(".fuzz")


def targets() -> list[str]:
    """Return the names of all tests of this folder: module and function."""
    names = []
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(f"tests.fuzz.{path.stem}")
        names += [f"{path.stem}.{name}" for name in vars(module) if name.startswith("test_")]
    return names


def fuzz(target: str, seconds: int) -> None:
    """Fuzz one test; ends the process."""
    import atheris

    module, _, name = target.partition(".")
    with atheris.instrument_imports(include=["lumber_core", "lumber_evaluation", "lumber_files"]):
        test = getattr(importlib.import_module(f"tests.fuzz.{module}"), name)
    folder = FOUND / target
    folder.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={folder}/", "-timeout=60"]
    options += ["-rss_limit_mb=4096", "-print_final_stats=1", str(folder)]
    atheris.Setup([sys.argv[0], *options], test.hypothesis.fuzz_one_input)
    atheris.Fuzz()


def main() -> int:
    """Fuzz the named tests, or all."""
    parser = argparse.ArgumentParser(description="Fuzz the tests of this folder with atheris.")
    parser.add_argument("--minutes", type=float, default=30.0, help="for all tests together")
    parser.add_argument("--seconds", type=int, help=argparse.SUPPRESS)
    parser.add_argument("target", nargs="*", help="module.function; all if none is named")
    given = parser.parse_args()
    if given.seconds:
        fuzz(given.target[0], given.seconds)
    known = targets()
    unknown = set(given.target) - set(known)
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}. There are: {', '.join(known)}")
    failed = []
    chosen = given.target or known
    seconds = max(1, int(60 * given.minutes / len(chosen)))
    for target in chosen:
        begun = time.monotonic()
        command = [sys.executable, "-m", "tests.fuzz", "--seconds", str(seconds), target]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
        runs = [
            line.split()[-1] for line in done.stderr.splitlines() if "number_of_executed" in line
        ]
        print(
            f"{target}: {'failed' if done.returncode else 'passed'}, {(runs or ['?'])[0]} inputs "
            f"in {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        if done.returncode:
            failed.append(target)
            print(done.stdout[-4000:], done.stderr[-4000:], sep="\n", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
