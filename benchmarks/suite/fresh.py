"""One splitter in a process of its own: its findings on each kind of text.

    python -m benchmarks.suite.fresh NAME SIZE

Prints one line of JSON for each result, so that the results of a process that dies are kept.
"""

from __future__ import annotations

import json
import logging
import resource
import signal
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from time import process_time
from typing import Any

from benchmarks.packages import pieces_of, use_shipped_vocabulary
from benchmarks.suite.quality import examine
from benchmarks.suite.splitters import entry, limit_of, split_of
from benchmarks.suite.texts import KINDS

_MAX_CPU_SECONDS = 120  # not wall time: the machine may be busy


@dataclass
class Fresh:
    """The results of a fresh process, by kind of text: counts, "seconds" or "error"."""

    kinds: dict[str, dict[str, Any]] = field(default_factory=dict)
    trouble: str | None = None  # how the process failed; None if it did not


def run_fresh(name: str, size: int) -> Fresh:
    """Run one splitter in a process of its own, for at most two minutes of CPU time."""
    command = [sys.executable, "-m", "benchmarks.suite.fresh", name, str(size)]
    fresh = Fresh()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        fresh.trouble = f"not done after {_MAX_CPU_SECONDS} s"
    elif done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        fresh.trouble = f"ends with status {done.returncode}: {last[:80]}"
    for line in done.stdout.splitlines():
        if not line.startswith("{"):
            continue  # something a splitter printed
        outcome = json.loads(line)
        fresh.kinds[outcome.pop("kind")] = outcome
    return fresh


def main() -> None:
    name, size = sys.argv[1], int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_CPU_SECONDS, _MAX_CPU_SECONDS + 5))
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    use_shipped_vocabulary()
    chosen = entry(name)
    splitter = chosen.make()
    split_of(splitter)(KINDS["English"](2000, 0))  # loads what is loaded on first use
    limit = limit_of(chosen)
    for kind in KINDS:
        text = KINDS[kind](size, 0)
        try:
            began = process_time()
            pieces = pieces_of(splitter, text)
            seconds = process_time() - began
            result: dict[str, Any] = {**examine(text, pieces, limit), "seconds": seconds}
        except Exception as error:  # noqa: BLE001 - any error is the finding
            result = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"kind": kind} | result), flush=True)


if __name__ == "__main__":
    main()
