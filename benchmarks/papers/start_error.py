"""How far greedy chunks start from an article's sections: the greedy article's experiment.

    python -m benchmarks.papers.start_error ../shared/data/wiki50
    python -m benchmarks.papers.start_error ../shared/data/wiki50 --levels 1 2

The error of a document is the sum of |predicted - actual| over its sections' start tokens, where
the shorter list is padded with its last value; the table has its MAE and RMSE over all documents.
Every splitter gets the articles without their headings. "fixed" cuts after any word.
On 25 articles, the mean error is 3,130 for Greedy at the mean length, and 3,129 for fixed lengths.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import sqrt
from pathlib import Path

from benchmarks.corpora import iter_wiki
from lumber_core import BertChunker, Chunker, GreedyChunker
from lumber_core.tokens import token_counter, tokens_of
from lumber_evaluation.baselines import fixed_length
from lumber_evaluation.dataset import Document

ENCODING = "cl100k_base"
COLUMNS = ("splitter", "MAE", "RMSE", "chunks")


def start_error(actual: Sequence[int], predicted: Sequence[int]) -> int:
    """Return the error of a document.

    Example:
        >>> start_error([0, 50, 100, 200], [0, 49, 105, 180])
        26
        >>> start_error([0, 50, 100, 200], [0, 49, 150])
        101
    """
    length = max(len(actual), len(predicted))
    padded = ([*starts, *[*starts[-1:]] * (length - len(starts))] for starts in (actual, predicted))
    return sum(abs(guess - true) for true, guess in zip(*padded, strict=True))


def start_tokens(document: Document, offsets: Sequence[int]) -> tuple[list[int], int]:
    """Return the number of tokens before each character offset, and in the whole text.

    Tokens are counted as `GreedyChunker` counts them, so positions do not depend on the cuts.
    """
    tokens = tokens_of(document.text, token_counter(ENCODING))
    edges = sorted({*offsets, *document.units, len(document.text)})
    counts = tokens.count([*pairwise(edges)])
    before = dict(zip(edges, accumulate([0, *counts]), strict=True))
    return [before[offset] for offset in offsets], before[len(document.text)]


def splitters(sizes: Sequence[int], mean: int) -> dict[str, Chunker]:
    """Return the splitters, by name."""
    chunkers: dict[str, Chunker] = {}
    for size in sizes:
        name = f"{size}, the mean" if size == mean else str(size)
        chunkers[f"greedy {name}"] = GreedyChunker(size, tokenizer=ENCODING)
        chunkers[f"fixed {name}"] = fixed_length(size, tokenizer=ENCODING)
    chunkers["bert"] = BertChunker(threshold=0.0)
    return chunkers


def row(name: str, documents: Sequence[Document], chunker: Chunker) -> tuple[str, ...]:
    """Return a row of the table."""
    cuts = [[span.start for span in chunker.segment(d.text).spans] for d in documents]
    errors = [
        start_error(start_tokens(document, document.starts)[0], start_tokens(document, starts)[0])
        for document, starts in zip(documents, cuts, strict=True)
    ]
    mae = sum(errors) / len(errors)
    rmse = sqrt(sum(error**2 for error in errors) / len(errors))
    return name, f"{mae:,.0f}", f"{rmse:,.0f}", f"{sum(map(len, cuts)):,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="files of Wiki-50 or Wiki-727K")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 400], metavar="TOKENS")
    parser.add_argument("--levels", type=int, nargs="+", help="which start a section; default all")
    options = parser.parse_args()
    documents = [*iter_wiki(options.folder, options.levels)]
    sections = sum(len(document.starts) for document in documents)
    tokens = sum(start_tokens(document, ())[1] for document in documents)
    mean = round(tokens / sections)
    print(f"{len(documents)} articles, {sections} sections, {tokens:,} tokens of {ENCODING}\n")
    print(" | ".join(COLUMNS), " | ".join(["---"] * len(COLUMNS)), sep="\n")
    for name, chunker in splitters(sorted({*options.sizes, mean}), mean).items():
        print(" | ".join(row(name, documents, chunker)), flush=True)


if __name__ == "__main__":
    main()
