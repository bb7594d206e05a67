"""How near the estimate of tokens is to what the tokenizers count, on files of your own.

    python benchmarks/token_estimate.py FILE_OR_FOLDER...

For each kind of file: how many there are, their characters, the estimate divided by the larger of
the counts of cl100k_base and o200k_base over all of them, and for the file with the least and with
the most. Then the characters a second of the estimate and of tiktoken, in turns.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from lumber_core.tokens import EstimatedCounter, TokenCounter, token_counter

LONGEST = 200_000


def texts(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield the suffix and the text of each file that is UTF-8, cut at 200,000 characters."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                try:
                    text = file.read_text("utf-8")[:LONGEST]
                except UnicodeDecodeError:
                    continue
                if len(text) >= 1000:
                    yield file.suffix or file.name, text


def seconds(counter: TokenCounter, sample: list[str]) -> float:
    started = time.perf_counter()
    counter.count(sample)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    kinds: dict[str, list[str]] = defaultdict(list)
    for kind, text in texts(parser.parse_args().paths):
        kinds[kind].append(text)
    estimate = EstimatedCounter()
    encodings = [token_counter(name) for name in ("cl100k_base", "o200k_base")]
    print("| kind | files | characters | estimate / count | least | most |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for kind, found in sorted(kinds.items()):
        counts = [max(pair) for pair in zip(*(e.count(found) for e in encodings), strict=True)]
        estimates = estimate.count(found)
        shares = [mine / count for mine, count in zip(estimates, counts, strict=True)]
        print(
            f"| {kind} | {len(found)} | {sum(map(len, found)):,} "
            f"| {sum(estimates) / sum(counts):.2f} | {min(shares):.2f} | {max(shares):.2f} |"
        )
    sample = [text for found in kinds.values() for text in found][:200]
    best = [min(seconds(c, sample) for _ in range(3)) for c in (estimate, encodings[0])]
    total = sum(map(len, sample)) / 1e6
    mine, theirs = (f"{total / best_seconds:.0f}" for best_seconds in best)
    print(f"\nestimate {mine}, cl100k_base {theirs} million characters a second")


if __name__ == "__main__":
    main()
