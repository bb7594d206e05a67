"""Measures how well splitters find boundaries that people annotated, on development data.

    python benchmarks/boundaries.py ../shared/data                     everything
    python benchmarks/boundaries.py ../shared/data --only bert greedy  some splitters
    python benchmarks/boundaries.py ../shared/data --model FOLDER      weights of your own

Choi's set and Wiki-50 are measured at their own sentences. The semantic splitters of LangChain and
LlamaIndex get the bundled embedder and their own defaults; the greedy splitter is given the true
mean length of a segment. "bert" cuts where a sentence's score, the highest t among its first six
tokens, is above t_c = 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.corpora import iter_wiki, load_choi
from benchmarks.splitters import langchain_semantic, llamaindex_semantic
from lumber_core import BertChunker, GreedyChunker
from lumber_core.text.units import sentences_and_lines
from lumber_evaluation.boundary_metrics import score_segmentation
from lumber_evaluation.dataset import Document
from lumber_evaluation.splitters import wrap_splitter


def above_threshold(chunker: BertChunker) -> Callable[[str], list[tuple[int, int]]]:
    """Return a splitter that cuts at the sentences and lines whose score is above 0."""

    def split(text: str) -> list[tuple[int, int]]:
        places = [start for start, _ in sentences_and_lines(text)]
        scores = chunker.scores(text).at(places)
        cuts = [place for place, t in zip(places, scores, strict=True) if place and t > 0]
        return [*pairwise([0, *cuts, len(text)])]

    return split


def splitters(mean_tokens: int, model: str) -> dict[str, Callable[[], object]]:
    """Return a function that makes each splitter, by name."""
    return {
        "bert": lambda: above_threshold(BertChunker(model, threshold=0.0)),
        "no cuts": lambda: lambda text: [text],
        "greedy": lambda: GreedyChunker(mean_tokens, tokenizer="words"),
        "langchain semantic": langchain_semantic,
        "llamaindex semantic": llamaindex_semantic,
    }


def measure(documents: Sequence[Document], splitter: object) -> str:
    """Return the columns of a row."""
    wrapped = wrap_splitter(splitter)
    splits = [wrapped.split(document) for document in documents]
    cuts = [[chunk.span.start for chunk in split.chunks] for split in splits]
    scores = score_segmentation(documents, cuts)
    return f"{scores.boundaries.f1:.3f} | {scores.pk:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", nargs="*", help="names of splitters")
    parser.add_argument("--model", default="bundled")
    options = parser.parse_args()
    print("corpus | splitter | F1 | Pk\n--- | --- | --- | ---")
    counter = GreedyChunker(1, tokenizer="words").counter
    corpora = {
        "choi": load_choi(options.data / "choi"),
        "wiki50": [*iter_wiki(options.data / "wiki50")],
    }
    for corpus, documents in corpora.items():
        segments = [s.of(d.text) for d in documents for s in d.segments]
        mean = max(1, sum(counter.count(segments)) // len(segments))
        for name, make in splitters(mean, options.model).items():
            if not options.only or name in options.only:
                print(f"{corpus} | {name} | {measure(documents, make())}", flush=True)


if __name__ == "__main__":
    main()
