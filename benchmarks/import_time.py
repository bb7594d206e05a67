"""What importing an adapter adds to importing its framework, each in a new process.

Usage: python benchmarks/import_time.py [ROUNDS] [--most MILLISECONDS]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

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
        added = [milliseconds(adapter, framework) for _ in range(options.rounds + 1)][1:]
        low, middle, high = statistics.quantiles(added, n=4)
        print(
            f"import {adapter} adds {middle:.0f} ms to 'import {framework}' "
            f"(half of {options.rounds} rounds {low:.0f} to {high:.0f} ms)"
        )
        if options.most is not None and middle > options.most:
            slow.append(adapter)
    if slow:
        sys.exit(f"above {options.most:g} ms: {', '.join(slow)}")


def milliseconds(adapter: str, framework: str) -> float:
    code = MEASURED.format(adapter=adapter, framework=framework)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    main()
