"""Measures which similarity separates questions that a text answers from other questions.

    python benchmarks/unanswerable.py ../shared/data

Texts are searched as in benchmarks/passages.py, with their own questions and as many questions of
other corpora. A question is refused if the similarity of its best passage is below a threshold. For
each share of own questions that are refused, the table has the threshold and the share of other
questions that are refused. The last row is `lumber-splitters ask`, which refuses a question if all
passages are below its threshold and have less than half of the question's words.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.corpora import development_corpora
from benchmarks.embedding import Bundled, index_of
from benchmarks.passages import groups
from lumber_cli.file_index import is_far
from lumber_evaluation.dataset import Document, Question

LOST = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)  # shares of answerable questions that are refused
Asked = list[tuple[float, bool]]
"""For each question, the highest similarity of a passage, and whether all passages are far."""


def ask(documents: Sequence[Document], questions: Sequence[Question]) -> Asked:
    """Return how similar the passages of documents are to questions."""
    index = index_of((text.name, text.to_split()) for text in documents)
    results = [index.search(question.question) for question in questions]
    return [
        (max((hit.similarity or 0.0 for hit in passages), default=0.0), all(map(is_far, passages)))
        for passages in results
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    Bundled.keep(options.keep)
    corpora = development_corpora(options.data, None)
    chance = random.Random(0)
    answerable: Asked = []
    unanswerable: Asked = []
    for corpus in corpora:
        foreign = [q for other in corpora if other is not corpus for q in other.questions]
        for documents, questions in groups(corpus):
            answerable += ask(documents, questions)
            unanswerable += ask(documents, chance.sample(foreign, len(questions)))
    groups_asked = answerable, unanswerable
    print(f"{len(answerable)} questions\n\nsimilarity | lost | of others, refused\n--- | --- | ---")
    own_scores, other_scores = (np.array([s for s, _ in asked]) for asked in groups_asked)
    for share in LOST:
        threshold = float(np.quantile(own_scores, share))
        print(f"{threshold:.3f} | {share:.1%} | {np.mean(other_scores < threshold):.1%}")
    lost, refused = (np.mean([all_far for _, all_far in asked]) for asked in groups_asked)
    print(f"`ask` | {lost:.1%} | {refused:.1%}")


if __name__ == "__main__":
    main()
