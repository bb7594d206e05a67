"""Parts of a recipe: one kind of training item, and how many of the items are of this kind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lumber_evaluation.documents import Document
from lumber_training.augmentation import UNCHANGED, Augmentation, augment
from lumber_training.items import Item, tokenised
from lumber_training.pieces import AS_PUBLISHED, Variety
from lumber_training.synthesis import excerpts, full_sentences, notes, synthesize


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of training item and its share.

    Attributes:
        kind: "synthetic" joins pieces of different documents; "excerpts" takes runs of sentences
            from documents with annotated sections; "notes" joins passages of one document, which
            only their labels separate.
        share: This kind's share of the items; the shares of a recipe add up to 1.
        segments: For synthetic items and notes: number of pieces, or the smallest and largest
            number.
        sentences: Smallest and largest number of sentences: of a piece for synthetic items and
            notes, of the whole item for excerpts.
        start_weight: Weight of the loss at a start; 1 elsewhere. Rare, difficult starts get low
            scores; a higher weight aligns the best threshold of this kind with the others'.
        sources: Sources of the documents to use; empty for all.
        prose: Whether to leave out what is no full sentence (list items, titles, table rows), as
            corpora for segmentation do.
        variety: For synthetic items: how pieces differ from the paper's.
        tokenised: Share of the items rewritten in the style of tokenised corpora, with spaces
            around punctuation.
        augmentation: Shares of the items rewritten in other ways.
    """

    kind: Literal["synthetic", "excerpts", "notes"]
    share: float
    segments: int | tuple[int, int] = 4
    sentences: tuple[int, int] = (1, 5)
    start_weight: float = 1.0
    sources: tuple[str, ...] = ()
    prose: bool = False
    variety: Variety = AS_PUBLISHED
    tokenised: float = 0.0
    augmentation: Augmentation = UNCHANGED

    @property
    def fewest_and_most_segments(self) -> tuple[int, int]:
        """The range of `segments`."""
        few, many = (
            (self.segments, self.segments) if isinstance(self.segments, int) else self.segments
        )
        return few, many

    def items(self, documents: Sequence[Document], count: int, seed: int) -> list[Item]:
        """Make `count` items of this kind.

        Raises:
            ValueError: No document comes from one of `sources`.
        """
        chosen = [d for d in documents if not self.sources or d.source in self.sources]
        if self.prose:
            chosen = full_sentences(chosen)
        if not chosen:
            raise ValueError(
                f"no document comes from {', '.join(self.sources) or 'any source'}, which the "
                "recipe needs: pass such documents or change the recipe's parts"
            )
        if self.kind == "excerpts":
            made = excerpts(chosen, items=count, sentences=self.sentences, seed=seed)
        elif self.kind == "notes":
            made = notes(
                chosen,
                items=count,
                segments=self.fewest_and_most_segments,
                sentences=self.sentences,
                seed=seed,
            )
        else:
            made = synthesize(
                chosen,
                items=count,
                segments=self.segments,
                sentences=self.sentences,
                variety=self.variety,
                seed=seed,
            )
        rng = random.Random(seed)
        return [self._rewritten(item, rng) for item in made]

    def _rewritten(self, item: Item, rng: random.Random) -> Item:
        if rng.random() < self.tokenised:
            item = tokenised(item, rng)
        return augment(item, self.augmentation, rng)
