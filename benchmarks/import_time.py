"""What importing an adapter adds to importing its framework, each in a new process.

Usage: python benchmarks/import_time.py [ROUNDS] [--most MILLISECONDS]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from tempfile import TemporaryDirectory

ADAPTERS = {"langchain_lumber": "langchain_text_splitters", "llamaindex_lumber": "llama_index.core"}
"""Each adapter and its framework."""
MEASURED = """
import {framework}
import time
start = time.perf_counter()
import {adapter}
print((time.perf_counter() - start) * 1000)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rounds", nargs="?", type=int, default=11)
    parser.add_argument("--most", type=float, help="fail if a median is above so many milliseconds")
    options = parser.parse_args()
    slow = []
    for adapter, framework in ADAPTERS.items():
        with TemporaryDirectory() as bytecode:  # written by the first round, which is left out
            rounds = range(options.rounds + 1)
            added = [milliseconds(adapter, framework, bytecode) for _ in rounds][1:]
        low, middle, high = statistics.quantiles(added, n=4)
        print(
            f"import {adapter} adds {middle:.0f} ms to 'import {framework}' "
            f"(half of {options.rounds} rounds {low:.0f} to {high:.0f} ms)"
        )
        if options.most is not None and middle > options.most:
            slow.append(adapter)
    if slow:
        sys.exit(f"above {options.most:g} ms: {', '.join(slow)}")


def milliseconds(adapter: str, framework: str, bytecode: str) -> float:
    """Measure an import, with the bytecode that an installation has."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED.format(adapter=adapter, framework=framework)],
        env={**kept, "PYTHONPYCACHEPREFIX": bytecode},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


if __name__ == "__main__":
    main()
