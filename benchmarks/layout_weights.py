"""Recall of Layout with other weights of kinds of places, of sizes and of mixed chunks.

    python benchmarks/layout_weights.py ../shared/data --keep work.db
    python benchmarks/layout_weights.py ../shared/data --keep work.db --corpora multi
    python benchmarks/layout_weights.py ../shared/data --only "sizes 6" "sizes 24"

Every variant is brought to the same mean words a chunk, for each corpus apart, as in retrieval.py:
at 120 words, and at 40 with surroundings in the vectors; headings, which only Markdown has, are in
both. For each size: the words that were reached, fewer where scores outweigh sizes, recall at 300
and at 600 words, and the mean of both by halves of the questions and by corpus, or by collection if
there is one corpus only. The last column is what the mean over both sizes has more than that of the
first variant, with its 95 % interval.

A variant has the name of what it changes: bonuses of clauses, lines, paragraphs and headings, of a
heading's level, the cost of indentation, the weight of sizes, and the cost of a mixed chunk.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from retrieval import (
    ASKED_OF_ALL,
    Values,
    development_corpora,
    interval,
    parts_of,
    sized,
)
from sized_splitters import Bert, Peer

from lumber_core.bert.embedder import TextEmbedder
from lumber_core.chunking import cutting
from lumber_core.text.place import Kind
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.documents import Corpus
from lumber_evaluation.embedders import Embedder, embedder
from lumber_evaluation.retrieval import retrieve
from lumber_retrieval.embedding import ALL_CONTEXT

SIZES = {120: ("headings",), 40: ALL_CONTEXT}
"""Words of a chunk, with what its vector knows beside its text."""
BUDGETS = (300, 600)
VARIANTS = (
    "today",
    "sizes 6",
    "sizes 24",
    "paragraphs 4, headings 6",
    "lines 0",
    "lines 0, paragraphs 1, headings 2",
    "sizes 3",
    "sizes 48",
    "lines 2, paragraphs 4, headings 6",
    "lines 2, paragraphs 2",
    "clauses -1",
    "clauses -4",
    "lines 0, paragraphs 3, headings 4, sizes 6",
    "mixed 0",
    "mixed 3",
    "levels 0",
    "levels 2",
    "depth 0",
    "depth 3",
    "lines 0, paragraphs 0, headings 0, levels 0",
)


@contextmanager
def weights(variant: str) -> Iterator[None]:
    """Set the weights of a variant, in plain text and in Markdown alike.

    "sizes 6" is the weight in plain text; in Markdown, where it is twice as high, that is 12.
    """
    before = {name: getattr(cutting, name) for name in ("_KIND_SCORES", "_LEVEL_SCORES")}
    before |= {name: getattr(cutting, name) for name in ("_DEPTH_COST", "_PLAIN", "_MARKDOWN")}
    kinds = dict(before["_KIND_SCORES"])
    try:
        for name, number in re.findall(r"(\w+) (-?[\d.]+)", variant):
            value = float(number)
            if name == "sizes":
                cutting._PLAIN = cutting._PLAIN._replace(size=value)
                cutting._MARKDOWN = cutting._MARKDOWN._replace(size=2 * value)
            elif name == "mixed":
                cutting._MARKDOWN = cutting._MARKDOWN._replace(mixed=value)
            elif name == "levels":
                cutting._LEVEL_SCORES = tuple(value * one for one in before["_LEVEL_SCORES"])
            elif name == "depth":
                cutting._DEPTH_COST = value
            else:
                kinds[Kind[name.removesuffix("s").upper()]] = value
        cutting._KIND_SCORES = kinds
        yield
    finally:
        for name, value in before.items():
            setattr(cutting, name, value)


def measure(corpus: Corpus, variant: str, words: int, embeds: Embedder) -> tuple[Values, float]:
    """Return the recall of a variant, shape (budgets, questions), and its mean words a chunk."""
    with weights(variant):
        splits, mean = sized(corpus, variant, Peer(Bert(scored=False), 30, 1500), words, None)
    within = corpus.name not in ASKED_OF_ALL
    found = retrieve(corpus, splits, embeds, context=SIZES[words], within_document=within)
    recall = [[one.word_recall(at) for one in found.questions] for at in BUDGETS]
    return np.array(recall), mean


def thinned(corpus: Corpus, every: int) -> Corpus:
    """Return every second, third, ... document of a corpus, with its questions."""
    kept = corpus.documents[::every]
    names = {document.name for document in kept}
    return Corpus(corpus.name, kept, tuple(q for q in corpus.questions if q.document in names))


def parts(corpora: Sequence[Corpus]) -> dict[str, list[int]]:
    """Return numbers of questions of all corpora: each half, and each corpus or collection."""
    total = sum(len(corpus.questions) for corpus in corpora)
    found = {"even": [*range(0, total, 2)], "odd": [*range(1, total, 2)]}
    if len(corpora) == 1:
        return found | {name.split("/")[-1]: of for name, of in parts_of(corpora[0]).items()}
    start = 0
    for corpus in corpora:
        found[corpus.name] = [*range(start, start + len(corpus.questions))]
        start += len(corpus.questions)
    return found


def table(corpora: Sequence[Corpus], chosen: Sequence[str], embeds: Embedder) -> None:
    """Write a row for each variant as soon as it is measured."""
    groups = parts(corpora)
    documents = [f"{corpus.name}/{one.document}" for corpus in corpora for one in corpus.questions]
    columns = ["weights"]
    for words in SIZES:
        columns += [f"words of about {words}", "at 300", "at 600", *groups]
    print(" | ".join([*columns, "more than the first"]))
    print(" | ".join(["---"] * (len(columns) + 1)))
    first: Values | None = None
    for variant in chosen:
        cells, means = [variant], []
        for words in SIZES:
            found = [measure(corpus, variant, words, embeds) for corpus in corpora]
            recall = np.concatenate([one for one, _ in found], axis=1)
            means.append(recall.mean(axis=0))
            cells.append(f"{np.mean([mean for _, mean in found]):.0f}")
            cells += [f"{value:.3f}" for value in np.nanmean(recall, axis=1)]
            cells += [f"{np.nanmean(means[-1][numbers]):.3f}" for numbers in groups.values()]
        mean = np.mean(means, axis=0)
        first = mean if first is None else first
        low, high = interval(mean - first, documents)
        cells.append(f"{np.nanmean(mean - first):+.3f} ({low:+.3f} to {high:+.3f})")
        print(" | ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--only", nargs="+", default=VARIANTS, help="variants; the first is compared"
    )
    parser.add_argument("--corpora", nargs="+", help="beginnings of names, such as covidqa")
    parser.add_argument("--every", type=int, default=1, help="of many documents, every second, ...")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    embeds = embedder(TextEmbedder(threads=1))
    if options.keep is not None:
        embeds = CachedEmbedder(embeds, options.keep)
    corpora = development_corpora(options.data, options.corpora)
    table([thinned(corpus, options.every) for corpus in corpora], options.only, embeds)


if __name__ == "__main__":
    main()
