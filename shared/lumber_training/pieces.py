"""Pieces of passages: the sentences of a passage that a training item contains.

The paper takes the first sentences of passages. Real texts are less regular: segments begin in the
middle of a thought or with a heading, and neighbouring sentences are less connected. `Variety` sets
how often training items are like that.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

_LABELS = (
    *("Introduction", "Background", "Results", "Discussion", "Methods", "Conclusion", "Summary"),
    *("Overview", "Examples", "Notes", "Procedure", "History", "Definition", "Analysis"),
)


@dataclass(frozen=True, slots=True)
class Variety:
    """How pieces differ from the paper's; every value is a share from 0 to 1.

    Attributes:
        middles: Pieces that begin at any sentence of their passage instead of the first.
        gaps: Pieces with sentences left out, one to three at a time.
        headings: Pieces that start with a heading: a label, a number, or some of their own words.
        alike: Items whose pieces all come from one source, so that style reveals no boundary.
        balance: 0 draws all documents alike, so that the largest source dominates; 1 draws all
            sources alike; values between interpolate (source size to the power 1 - balance).
    """

    middles: float = 0.0
    gaps: float = 0.0
    headings: float = 0.0
    alike: float = 0.0
    balance: float = 0.0


AS_PUBLISHED = Variety()
"""First sentences of passages, drawn from all documents alike, as in the paper."""


def take_piece(
    passage: Sequence[str], sentences: tuple[int, int], variety: Variety, rng: random.Random
) -> list[str]:
    """Take some sentences of a passage, in order.

    Args:
        passage: The sentences of the passage, at least one.
        sentences: Smallest and largest number to take. A shorter passage is taken whole; a piece
            with gaps or a later beginning may have half the number drawn.
        variety: What to vary.
        rng: Random number generator.
    """
    wanted = rng.randint(*sentences)
    left = list(passage)
    if rng.random() < variety.middles:
        fewest = max(sentences[0], wanted // 2)
        left = left[rng.randint(0, max(0, len(left) - fewest)) :]
    if rng.random() < variety.gaps:
        left = _thinned(left, max(sentences[0], wanted // 2), rng)
    piece = left[:wanted]
    if rng.random() < variety.headings:
        return _headed(piece, rng)
    return piece


def _thinned(sentences: Sequence[str], fewest: int, rng: random.Random) -> list[str]:
    """Leave out some sentences, but keep at least `fewest`."""
    spare = len(sentences) - fewest
    kept: list[str] = []
    position = 0
    while position < len(sentences):
        kept.append(sentences[position])
        skipped = rng.randint(1, 3) if rng.random() < 0.5 else 0
        skipped = max(0, min(skipped, spare))
        spare -= skipped
        position += 1 + skipped
    return kept


def _headed(piece: Sequence[str], rng: random.Random) -> list[str]:
    """Put a heading before a piece: as its own sentence, or joined to the first."""
    heading = _heading(piece, rng)
    if rng.random() < 0.5:
        return [f"{heading} .", *piece]
    return [f"{heading} {piece[0]}", *piece[1:]]


def _heading(piece: Sequence[str], rng: random.Random) -> str:
    """Make a heading for a piece."""
    draw = rng.random()
    if draw < 0.2:
        return rng.choice(_LABELS)
    number = f"{rng.randint(1, 9)}" + (f"-{rng.randint(1, 9)}" if rng.random() < 0.4 else "")
    if draw < 0.35:
        return number
    words = rng.choice(piece).split()
    length = rng.randint(1, 4)
    first = rng.randint(0, max(0, len(words) - length))
    title = " ".join(words[first : first + length]).strip(".,;:!?\"'()[] ") or rng.choice(_LABELS)
    return f"{number} . {title}" if draw < 0.45 else title
