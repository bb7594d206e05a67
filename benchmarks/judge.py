"""How well judges without a language model agree with boundaries that were set before.

    python benchmarks/judge.py emma ../shared/data/gutenqa_emma
    python benchmarks/judge.py tune ../shared/data/passages/passages.jsonl

`emma` compares with the published chunks of *Emma*, which a large language model made. `tune` looks
for the preference of `BertJudge` on the narrative documents that training held out: groups there
hold as many sections as groups of 550 tokens hold chunks of *Emma*.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from lumber_core import Group, LexicalJudge, LumberChunker
from lumber_core.lumber.bert_judge import BertJudge
from lumber_evaluation.corpora import load_gutenqa, load_passages
from lumber_evaluation.documents import Document
from lumber_evaluation.segmentation import BoundaryScore, boundary_score, pk

SECTION_SHARE = 0.73  # mean length of a published chunk of Emma, as a share of theta = 550


class Chance:
    """Names any unit of a group."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def judge(self, group: Group) -> int | None:
        """Return a unit at random."""
        return self._random.choice(group.choices) if group.choices else None


def _given(units: list[tuple[int, int]], _text: str) -> list[tuple[int, int]]:
    return units


def agreement(
    judge: object, documents: Iterable[Document], thetas: Iterable[int]
) -> tuple[BoundaryScore, float]:
    """Return the boundary score over all documents, and the mean Pk."""
    total, pks = BoundaryScore(), []
    for document, theta in zip(documents, thetas, strict=True):
        units = [(a, b) for a, b in zip(document.units, ends(document), strict=True)]
        chunker = LumberChunker(judge, theta=theta, units=partial(_given, units))
        starts = [span.start for span in chunker.segment(document.text).spans]
        number = {offset: place for place, offset in enumerate(document.units)}
        # Cuts inside a unit above theta have no counterpart: boundaries are at units.
        said = [number[start] for start in starts[1:] if start in number]
        true = [number[start] for start in document.starts[1:]]
        total += boundary_score(true, said)
        pks.append(pk(true, said, units=len(units)))
    return total, sum(pks) / len(pks)


def ends(document: Document) -> Sequence[int]:
    return [*document.units[1:], len(document.text)]


def emma(folder: Path, model: str) -> None:
    (book,) = load_gutenqa(folder).documents
    print("judge | boundaries | agree (P) | R | F1 | Pk")
    print("--- | --- | --- | --- | --- | ---")
    judges = {
        "BertJudge": BertJudge(model),
        "BertJudge, position_penalty=4": BertJudge(model, position_penalty=4),
        "BertJudge, position_penalty=0": BertJudge(model, position_penalty=0),
    }
    for name, judge in {**judges, "LexicalJudge": LexicalJudge(), "chance": Chance()}.items():
        score, error = agreement(judge, [book], [550])
        print(
            f"{name} | {score.predicted} | {score.precision:.3f} | {score.recall:.3f} | "
            f"{score.f1:.3f} | {error:.3f}",
            flush=True,
        )


def tune(passages: Path, model: str) -> None:
    from lumber_training.calibration import split_held_out
    from lumber_training.recipes import SENTENCES

    every = load_passages(passages)
    _, held = split_held_out(every, share=SENTENCES.held_out)
    stories = [d for d in held if d.source == "fairytaleqa" and len(d.starts) > 3]
    thetas = [
        round(1.2 * len(story.text.split()) / len(story.starts) / SECTION_SHARE)
        for story in stories
    ]
    print(f"{len(stories)} documents held out, {sum(len(s.starts) for s in stories)} sections")
    print("target position | penalty | P | R | F1 | Pk")
    print("--- | --- | --- | --- | --- | ---")
    judge = BertJudge(model, position_penalty=4, cache_size=len(stories))
    for judge.target_position in (0.5, 0.6, 0.7, 0.8):
        for judge.position_penalty in (0, 0.5, 1, 2, 4, 8):
            score, error = agreement(judge, stories, thetas)
            print(
                f"{judge.target_position} | {judge.position_penalty} | "
                f"{score.precision:.3f} | {score.recall:.3f} | {score.f1:.3f} | {error:.3f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("emma", "tune"):
        command = commands.add_parser(name)
        command.add_argument("path", type=Path)
        command.add_argument("--model", default="bundled")
    options = parser.parse_args()
    (emma if options.command == "emma" else tune)(options.path, options.model)


if __name__ == "__main__":
    main()
