"""Synthetic training items, with known segment starts and no manual annotation.

An item, one training example, joins the first sentences of segments from different documents. So
the topic shifts wherever one document ends and the next begins (BertChunker's training set).
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lumber_evaluation.dataset import Document


@dataclass(frozen=True, slots=True)
class Item:
    """One training text."""

    text: str
    starts: tuple[int, ...]  # character offsets where its segments start; the first is 0


def synthesize(
    documents: Sequence[Document],
    *,
    items: int = 30_000,
    segments: int = 4,
    sentences: tuple[int, int] = (1, 5),
    seed: int = 0,
) -> list[Item]:
    """Join the first sentences of segments from different documents, as in the paper.

    Args:
        documents: The documents, divided into segments: texts on one topic.
        items: Number of items.
        segments: Number of segments in an item.
        sentences: Smallest and largest number of sentences taken from a segment. A shorter
            segment is taken whole.
        seed: The same seed gives the same items; a higher number of items appends to them.

    Returns:
        The items. No item has two segments of the same document.

    Raises:
        ValueError: There are fewer documents than segments in an item.
    """
    by_name = {(document.source, document.name): document for document in documents}
    pools = [pool for document in by_name.values() if (pool := _segments(document))]
    if len(pools) < segments:
        raise ValueError(
            f"a training example joins {segments} segments of different documents, but only "
            f"{len(pools)} documents have text: pass more documents or lower segments"
        )
    rng = random.Random(seed)
    return [
        _join([rng.choice(pool)[: rng.randint(*sentences)] for pool in rng.sample(pools, segments)])
        for _ in range(items)
    ]


def _segments(document: Document) -> list[list[str]]:
    """Return the sentences of every segment of a document that has text."""
    text, units = document.text, document.units
    segments = []
    for start, end in document.segments:
        bounds = [*units[bisect_left(units, start) : bisect_left(units, end)], end]
        segments.append([piece for a, b in pairwise(bounds) if (piece := text[a:b].strip())])
    return [segment for segment in segments if segment]


def _join(segments: Sequence[Sequence[str]]) -> Item:
    """Join sentences with single spaces, so that only the words reveal where segments start."""
    texts = [" ".join(segment) for segment in segments]
    starts = [0]
    for text in texts[:-1]:
        starts.append(starts[-1] + len(text) + 1)
    return Item(" ".join(texts), tuple(starts))
