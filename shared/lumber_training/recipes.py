"""Recipes: every setting of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lumber_evaluation.documents import Document
from lumber_training.augmentation import Augmentation
from lumber_training.items import Item
from lumber_training.parts import Part
from lumber_training.pieces import Variety


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of a training run. Defaults are the paper's (BertChunker, training).

    Attributes:
        name: Name of the recipe.
        parts: Kinds of items.
        items: Total number of items.
        epochs: Passes over the items.
        batch_size: Windows per step.
        learning_rate: Peak learning rate, reached after warm-up.
        weight_decay: Weight decay of AdamW.
        beta2: Second beta of AdamW.
        warmup_steps: Number of steps of warm-up; in a short run a tenth of the steps.
        average_last: Share of the steps, from the end, whose checkpoints' weights are averaged to
            give the model; 0 takes the last step's.
        schedule: "cosine": cosine decay after warm-up. "trapezoid": a constant rate, then linear
            decay in the last 30 % of the steps, so that a run can be extended from a checkpoint.
        loss_at: "tokens" computes the loss at every token; "sentences" at the first token of each
            sentence, except at the start of a window, where there is no context before.
        other_weight: With `loss_at="sentences"`, weight of the mean loss at all other tokens.
        frozen_layers: Number of encoder layers, from the lowest, that are not trained.
        freeze_embeddings: Whether to leave the embeddings untrained.
        dropout: Dropout probability; None for the base model's.
        masked: For "places", share of the words left out in training, so that no single word
            decides.
        window: Tokens in a window, including [CLS] and [SEP].
        held_out: Share of the documents held out to measure F1 and to set the threshold.
        fold_threshold: Whether to subtract the best threshold on held-out documents from the
            classifier's bias, so that 0 becomes the best threshold.
        taught: Whether a run learns from teachers; its items are chosen for that, and their labels
            are not used.
        scores: What the model scores. "tokens": a classifier of tokens. "places": a small model of
            the places where chunks may start (`place_model`), which learns from one exported
            classifier. For "places", the rate decays in the last 40 % of the steps, and `loss_at`,
            `other_weight`, `frozen_layers`, `freeze_embeddings`, `average_last` and `window` do
            not apply.
        seed: Same seed, same items, same order.
        items_seed: Seed of the items alone, for runs that differ in `seed` but share items, and
            what a teacher says of them; None for `seed`.
    """

    name: str = "paper"
    parts: tuple[Part, ...] = (Part("synthetic", 1.0),)
    items: int = 30_000
    epochs: int = 3
    batch_size: int = 8
    learning_rate: float = 3e-4
    weight_decay: float = 0.1
    beta2: float = 0.95
    warmup_steps: int = 112  # a hundredth of the steps
    average_last: float = 0.0
    schedule: Literal["cosine", "trapezoid"] = "cosine"
    loss_at: Literal["tokens", "sentences"] = "tokens"
    other_weight: float = 0.0
    frozen_layers: int = 0
    freeze_embeddings: bool = False
    dropout: float | None = None
    masked: float = 0.0
    window: int = 255
    held_out: float = 0.05
    fold_threshold: bool = False
    taught: bool = False
    scores: Literal["tokens", "places"] = "tokens"
    seed: int = 0
    items_seed: int | None = None

    def __post_init__(self) -> None:
        total = sum(part.share for part in self.parts)
        if not self.parts or abs(total - 1) > 1e-6:
            raise ValueError(f"the shares of a recipe's parts must add up to 1, not {total:g}")
        if self.items < 1 or self.epochs < 1 or self.batch_size < 1:
            raise ValueError("items, epochs and batch_size must be at least 1")
        if self.fold_threshold and not self.held_out:
            raise ValueError("fold_threshold needs held-out documents: set held_out above 0")

    def check_teachers(self, teachers: Sequence[object]) -> None:
        """Raise unless there are teachers if the recipe needs them.

        Raises:
            ValueError: The recipe needs teachers and there are none, or one and there are more.
        """
        if self.taught and not teachers:
            raise ValueError(
                f"the recipe {self.name!r} learns the scores of trained classifiers, and none was "
                "passed: pass teachers (--teacher FOLDER), or choose a recipe that learns from "
                "labels"
            )
        if self.scores == "places" and len(teachers) != 1:
            raise ValueError(
                f"the recipe {self.name!r} learns the scores of one exported classifier, not of "
                f"{len(teachers)}: pass one --teacher FOLDER, or --teacher large"
            )

    @property
    def seed_of_items(self) -> int:
        """The seed of the items."""
        return self.seed if self.items_seed is None else self.items_seed

    def make_items(self, documents: Sequence[Document]) -> list[tuple[Item, Part]]:
        """Make the items of this recipe, each with its part.

        Parts alternate in proportion to their shares. The first items are the same however many
        are made.
        """
        order, seed = self._order(), self.seed_of_items
        made = [
            iter(part.items(documents, count, seed=seed * 1000 + number) if count else ())
            for number, part in enumerate(self.parts)
            for count in [order.count(number)]
        ]
        return [(next(made[number]), self.parts[number]) for number in order]

    def count_steps(self, items: int, max_steps: int | None) -> int:
        """Return the number of steps of a run.

        Args:
            items: Number of items that were made.
            max_steps: Most steps; None for all items.

        Raises:
            ValueError: `max_steps` is below 1.
        """
        if max_steps is not None and max_steps < 1:
            raise ValueError(f"max_steps must be at least 1, not {max_steps}")
        all_of_it = -(-items // self.batch_size) * self.epochs
        return all_of_it if max_steps is None else min(max_steps, all_of_it)

    def _order(self) -> list[int]:
        """Return the index of each item's part."""
        made = [0] * len(self.parts)
        order = []
        for count in range(1, self.items + 1):
            missing = [p.share * count - m for p, m in zip(self.parts, made, strict=True)]
            number = missing.index(max(missing))
            made[number] += 1
            order.append(number)
        return order


PAPER = Recipe()
"""The paper's recipe: four pieces, loss at every token, all weights trained."""

_AUGMENTED = Variety(middles=0.3, gaps=0.4, headings=0.15, alike=0.2, balance=0.5)
_FEW_HEADINGS = replace(_AUGMENTED, headings=0.05)
_ANY_WAY = Augmentation(
    labels=0.08,
    lists=0.12,
    headings=0.1,
    speakers=0.08,
    tables=0.05,
    citations=0.08,
    unpunctuated=0.05,
    wrapped=0.06,
    ocr=0.06,
)
_MARKED = Augmentation(
    labels=0.05, lists=0.1, headings=0.08, citations=0.1, unpunctuated=0.03, wrapped=0.05, ocr=0.04
)

_LABELLED = Augmentation(labels=1.0, lists=0.2, citations=0.15, ocr=0.08, wrapped=0.1, tables=0.03)

_CONTINUOUS_PROSE = ("fairytaleqa", "squad2", "quoref", "pubmedqa", "wiki_sections")

MIXED = Recipe(
    name="mixed",
    parts=(
        Part("synthetic", 0.05, variety=_AUGMENTED, tokenised=0.2, augmentation=_ANY_WAY),
        Part(
            "synthetic",
            0.17,
            segments=(4, 10),
            sentences=(1, 12),
            variety=_AUGMENTED,
            tokenised=0.2,
            augmentation=_ANY_WAY,
        ),
        Part(
            "synthetic",
            0.3,
            segments=(3, 5),
            sentences=(3, 11),
            sources=_CONTINUOUS_PROSE,
            variety=_AUGMENTED,
            tokenised=0.5,
        ),
        Part(
            "notes",
            0.15,
            segments=(2, 7),
            sentences=(2, 16),
            start_weight=3,
            sources=("wiki_sections",),
            prose=True,
        ),
        Part(
            "excerpts",
            0.08,
            sentences=(8, 40),
            start_weight=5,
            sources=("wiki_sections",),
            prose=True,
        ),
        Part(
            "excerpts",
            0.06,
            sentences=(8, 40),
            start_weight=4,
            sources=("fairytaleqa",),
            augmentation=_MARKED,
        ),
        Part("excerpts", 0.11, sentences=(15, 60), sources=("meetings",)),
        Part(
            "notes",
            0.08,
            segments=(3, 12),
            augmentation=_LABELLED,
        ),
    ),
    items=26_400,
    epochs=1,
    learning_rate=1.5e-4,
    warmup_steps=150,
    average_last=0.5,
    schedule="trapezoid",
    loss_at="sentences",
    other_weight=0.2,
    freeze_embeddings=True,
    dropout=0.0,
    held_out=0.08,
    fold_threshold=True,
)
"""One stage from all-MiniLM-L6-v2: prose pieces, short sections, meetings, labels, lists, noise."""

REFINED = replace(
    MIXED,
    name="refined",
    parts=(
        replace(MIXED.parts[0], variety=_FEW_HEADINGS),
        replace(MIXED.parts[1], variety=_FEW_HEADINGS),
        replace(
            MIXED.parts[2],
            share=0.24,
            start_weight=0.7,
            sources=(),
            variety=_FEW_HEADINGS,
            tokenised=0.6,
        ),
        replace(MIXED.parts[3], share=0.18, start_weight=5),
        replace(MIXED.parts[4], share=0.1, start_weight=8),
        replace(MIXED.parts[5], start_weight=6),
        replace(MIXED.parts[6], share=0.1, start_weight=0.3),
        replace(MIXED.parts[7], share=0.1),
    ),
    items=8_000,
    learning_rate=1e-4,
    warmup_steps=30,
    frozen_layers=2,
)
"""A short last stage for a trained classifier: short sections, meetings, labels, lists, noise.

Articles are annotated at their top level only, so that runs of their sentences teach to overlook
the start of a subsection; the beginnings of their sections, joined, do not. The two lowest layers
keep their weights, which saves a fifth of the time.
"""

_TAUGHT_SHARES = (0.05, 0.12, 0.2, 0.16, 0.2, 0.1, 0.09, 0.08)

TAUGHT = replace(
    REFINED,
    name="taught",
    parts=tuple(
        replace(part, share=share)
        for part, share in zip(REFINED.parts, _TAUGHT_SHARES, strict=True)
    ),
    items=9_600,
    frozen_layers=0,
    taught=True,
    seed=21,
)
"""A last stage that learns from other classifiers (`teachers` of `train`) instead of labels.

Labels do not matter then, so more items are continuous text, whose annotations are incomplete. The
seed is not one that the teachers have, so that the items are new to them.
"""

SECTIONED = replace(
    REFINED,
    name="sectioned",
    parts=(
        replace(REFINED.parts[0], share=0.04),
        replace(REFINED.parts[1], share=0.1),
        replace(REFINED.parts[2], share=0.16),
        replace(REFINED.parts[3], share=0.16, sources=("wiki_sections", "wikipedia")),
        replace(REFINED.parts[4], share=0.04),
        replace(REFINED.parts[5], share=0.06),
        replace(REFINED.parts[6], share=0.08),
        replace(REFINED.parts[7], share=0.08),
        replace(REFINED.parts[4], share=0.28, start_weight=4, sources=("wikipedia",)),
    ),
    items=12_000,
    seed=34,
)
"""A last stage that learns from articles annotated at all levels, of which it needs some.

Pass articles of a dump of Wikipedia: runs of their sentences are more than a quarter of the items.
"""

_LONG = Part("excerpts", 0.04, sentences=(30, 200), start_weight=2.5, sources=("wiki_sections",))
_JOINED = Part("synthetic", 0.13, variety=_FEW_HEADINGS)
_BRIEF = Part("synthetic", 0.08, segments=(2, 5), sentences=(1, 7), variety=_FEW_HEADINGS)

SMALL = Recipe(
    name="small",
    parts=(
        replace(_BRIEF, augmentation=_ANY_WAY),
        replace(_BRIEF, tokenised=0.5),
        replace(_BRIEF, kind="excerpts", sentences=(4, 24)),
        replace(
            _JOINED,
            segments=(6, 24),
            sentences=(1, 12),
            tokenised=0.2,
            augmentation=_ANY_WAY,
        ),
        replace(_JOINED, segments=(6, 12), sentences=(3, 11), tokenised=0.55),
        Part(
            "notes",
            0.14,
            segments=(4, 14),
            sentences=(2, 16),
            start_weight=1.5,
            sources=("wiki_sections", "wikipedia"),
            prose=True,
        ),
        replace(_LONG, share=0.07, prose=True),
        _LONG,
        replace(_LONG, share=0.05, sources=("wikipedia",)),
        replace(_LONG, sources=("wikipedia",), prose=True),
        replace(_LONG, share=0.05, sources=("fairytaleqa",), augmentation=_MARKED),
        replace(_LONG, share=0.05, start_weight=1.3, sources=("meetings",)),
        Part("notes", 0.06, segments=(5, 24), augmentation=_LABELLED),
    ),
    items=12_000,
    epochs=3,
    batch_size=16,
    learning_rate=1e-3,
    weight_decay=0.02,
    beta2=0.98,
    warmup_steps=60,
    dropout=0.1,
    masked=0.08,
    held_out=0.08,
    fold_threshold=True,
    taught=True,
    scores="places",
    items_seed=77,
)
"""A small model of places learns the scores of the classifier, which has read the items.

Most items are long, because the model sees many places at once; a quarter are short, as texts may
be. Where texts are as they were written, starts are rare, and the loss weighs more the more likely
the teacher finds a start.
"""

RECIPES = {recipe.name: recipe for recipe in (PAPER, MIXED, REFINED, TAUGHT, SECTIONED, SMALL)}
