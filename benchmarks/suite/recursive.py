"""Our splitters beside LangChain's recursive one, with the same counter: CPU time.

`python -m benchmarks.suite.recursive` prints a table. Splitters run by turns on a new text in every
round; each time is the least of all rounds, which other programs disturbed least.
"""

from __future__ import annotations

import logging
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

from benchmarks.suite.report import Table
from benchmarks.suite.splitters import TOKENS, use_shipped_vocabulary
from benchmarks.suite.texts import KINDS
from benchmarks.suite.throughput import SIZE, TIMED
from benchmarks.suite.timing import interleaved
from lumber_core.tokens import token_counter

OURS = {"layout": "LayoutTextSplitter", "greedy": "GreedyTextSplitter"}
COUNTERS = ("cl100k_base", "estimate")
_RECURSIVE = "langchain recursive"

Split = Callable[[str], object]


def splitters() -> dict[tuple[str, str], Split]:
    """Return the splitters by their name and their counter."""
    use_shipped_vocabulary()
    made: dict[tuple[str, str], Split] = {}
    recursive: Any = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter
    sizes = {"chunk_size": TOKENS, "chunk_overlap": 0}
    made[_RECURSIVE, "cl100k_base"] = recursive.from_tiktoken_encoder(
        "cl100k_base", **sizes
    ).split_text
    estimate = token_counter("estimate")
    made[_RECURSIVE, "estimate"] = recursive(
        length_function=lambda text: estimate.count([text])[0], **sizes
    ).split_text
    for name, ours in OURS.items():
        for counter in COUNTERS:
            kind = getattr(import_module("langchain_lumber"), ours)
            made[name, counter] = kind(chunk_size=TOKENS, tokenizer=counter).split_text
    return made


def ratios(size: int, rounds: int) -> Table:
    """Return our CPU time as a multiple of the recursive splitter's, for each kind of text."""
    made = splitters()
    rows = {key: [*key] for key in made if key[0] != _RECURSIVE}
    for kind in TIMED:
        texts = [KINDS[kind](size, seed) for seed in range(rounds + 1)]
        runs = {
            " ".join(key): partial(_split_next, split, iter(texts)) for key, split in made.items()
        }
        taken = interleaved(runs, rounds=rounds)
        least = {name: min(one.cpu for one in spent) for name, spent in taken.items()}
        for (name, counter), row in rows.items():
            row.append(f"{least[f'{name} {counter}'] / least[f'{_RECURSIVE} {counter}']:.2f}")
    return Table(["splitter", "counter", *TIMED], [*rows.values()])


def _split_next(split: Split, texts: Iterator[str]) -> object:
    return split(next(texts))


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(prog="python -m benchmarks.suite.recursive", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="characters of each text")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print(ratios(options.size, options.rounds).markdown())


if __name__ == "__main__":
    main()
