"""How well judges without a language model agree with boundaries that were set before.

    python benchmarks/judge.py ../shared/data/gutenqa_emma [--model FOLDER]

The boundaries are those of the published chunks of *Emma*, which a large language model made.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lumber_core import Group, LumberChunker
from lumber_core.lumber.bert_judge import BertJudge
from lumber_evaluation.corpora import load_gutenqa
from lumber_evaluation.documents import Document
from lumber_evaluation.segmentation import BoundaryScore, boundary_score, pk

THETA = 550  # of the published chunks


class Chance:
    """Names any unit of a group."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def judge(self, group: Group) -> int | None:
        """Return a unit at random."""
        return self._random.choice(group.choices) if group.choices else None


def _given(units: list[tuple[int, int]], _text: str) -> list[tuple[int, int]]:
    return units


def agreement(judge: object, document: Document) -> tuple[BoundaryScore, float]:
    """Return the boundary score and Pk."""
    units = [(a, b) for a, b in zip(document.units, ends(document), strict=True)]
    chunker = LumberChunker(judge, theta=THETA, units=partial(_given, units))
    starts = [span.start for span in chunker.segment(document.text).spans]
    number = {offset: place for place, offset in enumerate(document.units)}
    # Cuts inside a unit above theta have no counterpart: boundaries are at units.
    said = [number[start] for start in starts[1:] if start in number]
    true = [number[start] for start in document.starts[1:]]
    return boundary_score(true, said), pk(true, said, units=len(units))


def ends(document: Document) -> Sequence[int]:
    return [*document.units[1:], len(document.text)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="bundled")
    options = parser.parse_args()
    (book,) = load_gutenqa(options.folder).documents
    print("judge | boundaries | P | R | F1 | Pk")
    print("--- | --- | --- | --- | --- | ---")
    judges = {
        "BertJudge (default)": BertJudge(options.model),
        "BertJudge, position_penalty=4": BertJudge(options.model, position_penalty=4),
        "BertJudge, position_penalty=0": BertJudge(options.model, position_penalty=0),
        "chance": Chance(),
    }
    for name, judge in judges.items():
        score, error = agreement(judge, book)
        print(
            f"{name} | {score.predicted} | {score.precision:.3f} | {score.recall:.3f} | "
            f"{score.f1:.3f} | {error:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
