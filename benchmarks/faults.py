"""Counts a splitter's faults on a text: chunks over the limit, characters lost, wrong offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from benchmarks.packages import Piece


def examine(
    text: str, pieces: Sequence[Piece], limit: tuple[Callable[[str], int], int]
) -> dict[str, int | None]:
    """Count the faults of the chunks of a text.

    Characters are compared as multisets: a chunk that moved counts as kept. Overlap between
    chunks would count as invented, so the chunks must be made without it. A limit is a function
    that counts a chunk, and the maximum count.

    Returns:
        Counts by name: "chunks"; "over", chunks above the limit;
        "lost", visible characters of the text that are missing from the chunks; "invented", visible
        characters of the chunks that the text does not have; and "offsets_wrong", the result of
        `wrong_offsets`.
    """
    count, max_count = limit
    in_text = _visible([text])
    in_chunks = _visible(piece.text for piece in pieces)
    return {
        "chunks": len(pieces),
        "over": sum(count(piece.text) > max_count for piece in pieces),
        "lost": (in_text - in_chunks).total(),
        "invented": (in_chunks - in_text).total(),
        "offsets_wrong": wrong_offsets(text, pieces),
    }


def wrong_offsets(text: str, pieces: Iterable[Piece]) -> int | None:
    """Return how many chunks have wrong offsets; None if no chunk has offsets.

    A chunk is not at its offsets, overlaps the chunk before, or has no offsets although others do.
    """
    wrong, has_offsets, end = 0, False, 0
    for piece in pieces:
        has_offsets |= piece.start is not None
        right = (
            piece.start is not None
            and piece.start >= end
            and text[piece.start : piece.start + len(piece.text)] == piece.text
            and piece.end == piece.start + len(piece.text)
        )
        if right:
            assert piece.end is not None
            end = piece.end
        else:
            wrong += 1
    return wrong if has_offsets else None


def _visible(texts: Iterable[str]) -> Counter[str]:
    """Count the characters of texts, white space aside, which most splitters strip on purpose."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update("".join(text.split()))
    return counts
