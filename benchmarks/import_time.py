"""What `import langchain_lumber` adds to `import langchain_text_splitters`, each in a new process.

Usage: python benchmarks/import_time.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys

FRAMEWORK = "import langchain_text_splitters"
ADDED = """
import time
start = time.perf_counter()
import langchain_lumber
print((time.perf_counter() - start) * 1000)
"""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    added = [milliseconds() for _ in range(rounds + 1)][1:]
    low, middle, high = statistics.quantiles(added, n=4)
    print(
        f"import langchain_lumber adds {middle:.0f} ms to {FRAMEWORK!r} "
        f"(half of {rounds} rounds {low:.0f} to {high:.0f} ms)"
    )


def milliseconds() -> float:
    done = subprocess.run(
        [sys.executable, "-c", FRAMEWORK + ADDED], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    main()
