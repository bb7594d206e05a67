"""What importing an adapter adds to importing its framework, each in a new process.

Usage: python benchmarks/import_time.py [ROUNDS] [--most SHARE]

Shares are processor time, user and system together, in one process that imports the framework
first. So they hardly depend on the machine or on what else it does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from tempfile import TemporaryDirectory

LANGCHAIN, LLAMA_INDEX = "langchain_text_splitters", "llama_index.core"
STATEMENTS = {
    "import langchain_lumber": LANGCHAIN,
    "from langchain_lumber import GreedyTextSplitter": LANGCHAIN,
    "from langchain_lumber import BertTextSplitter": LANGCHAIN,
    "from langchain_lumber import LumberTextSplitter": LANGCHAIN,
    "from langchain_lumber import BertTextSplitter; BertTextSplitter()": LANGCHAIN,
    "import llamaindex_lumber": LLAMA_INDEX,
    "from llamaindex_lumber import BertNodeParser": LLAMA_INDEX,
}
"""What is measured, and the framework that each adds to."""
MEASURED = """
from time import process_time
start = process_time()
import {framework}
middle = process_time()
{statement}
end = process_time()
print(middle - start, end - middle)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rounds", nargs="?", type=int, default=11)
    parser.add_argument("--most", type=float, help="fail if a median share is above this")
    options = parser.parse_args()
    shares: dict[str, list[float]] = defaultdict(list)
    added: dict[str, list[float]] = defaultdict(list)
    with TemporaryDirectory() as bytecode:  # written by the first round, which is left out
        for number in range(options.rounds + 1):
            for statement, framework in STATEMENTS.items():
                before, own = seconds(statement, framework, bytecode)
                if number:
                    shares[statement].append(own / before)
                    added[statement].append(own)
    slow = []
    for statement, framework in STATEMENTS.items():
        low, middle, high = statistics.quantiles(shares[statement], n=4)
        print(
            f"'{statement}' adds {middle:.0%} to 'import {framework}' (half of {options.rounds} "
            f"rounds {low:.0%} to {high:.0%}), {statistics.median(added[statement]) * 1000:.0f} ms"
        )
        if options.most is not None and middle > options.most:
            slow.append(statement)
    if slow:
        sys.exit(f"above {options.most:.0%}: {', '.join(slow)}")


def seconds(statement: str, framework: str, bytecode: str) -> tuple[float, float]:
    """Measure the imports of the framework and then of ours, with bytecode as in an installation.

    Returns:
        The processor time of each.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED.format(statement=statement, framework=framework)],
        env={**kept, "PYTHONPYCACHEPREFIX": bytecode},
        capture_output=True,
        text=True,
        check=True,
    )
    before, own = map(float, done.stdout.split())
    return before, own


if __name__ == "__main__":
    main()
