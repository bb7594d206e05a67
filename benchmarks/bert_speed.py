"""Cold start and memory of BertChunker; its speed is a part of `benchmarks.suite`.

python benchmarks/bert_speed.py start                  import to first chunk
python benchmarks/bert_speed.py memory [MEGABYTES]     peak memory and linear time
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from lumber_core import BertChunker

STORY = Path(__file__).parent.parent / "examples" / "data" / "the_tide_clock.txt"


def start() -> None:
    code = (
        "import time; began = time.perf_counter()\n"
        "from lumber_core import BertChunker\n"
        "BertChunker().segment('The ship left at dawn. Bread needs flour, water and salt.')\n"
        "print(time.perf_counter() - began)"
    )
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(7)
    ]
    print(f"import to first chunk: median {statistics.median(runs):.2f} s, worst {max(runs):.2f} s")


def memory(megabytes: float) -> None:
    story = STORY.read_text(encoding="utf-8")
    splitter = BertChunker()
    splitter.segment(story[:2000])
    for share in (0.1, 1.0):
        size = int(megabytes * share * 1e6)
        text = (story * (size // len(story) + 1))[:size]
        began = time.perf_counter()
        chunks = len(splitter.segment(text).spans)
        took = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{size / 1e6:g} MB: {chunks:,} chunks, {took:.1f} s, {size / took / 1e6:.3f} MB/s, "
            f"peak memory of the process {peak:.0f} MiB",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("start")
    commands.add_parser("memory").add_argument("megabytes", type=float, nargs="?", default=10)
    options = parser.parse_args()
    if options.command == "start":
        start()
    else:
        memory(options.megabytes)


if __name__ == "__main__":
    main()
