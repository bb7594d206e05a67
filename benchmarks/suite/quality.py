"""Counts a splitter's faults on a text: chunks over the limit, characters lost, wrong offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from benchmarks.packages import Piece


@dataclass(frozen=True)
class Findings:
    """What was counted in the chunks of one text.

    Attributes:
        chunks: Number of chunks.
        over: Chunks that count more than the limit; None if there is no limit.
        lost: Visible characters of the text that are missing from the chunks.
        invented: Visible characters in the chunks that the text does not have.
        offsets_wrong: Chunks that are not where their offsets say, that overlap the one
            before, or have no offsets although others do; None if no chunk has offsets.
    """

    chunks: int
    over: int | None
    lost: int
    invented: int
    offsets_wrong: int | None

    def as_dict(self) -> dict[str, int | None]:
        """Return the counts by name."""
        return asdict(self)


def examine(
    text: str, pieces: Sequence[Piece], limit: tuple[Callable[[str], int], int] | None
) -> Findings:
    """Count what is wrong with the chunks of a text.

    Characters are compared as multisets: a chunk that moved counts as kept. Overlap between
    chunks would count as invented, so the chunks must be made without it.

    Args:
        text: The text.
        pieces: Its chunks, in order.
        limit: A function that counts a chunk, and the maximum count.
    """
    over = None
    if limit is not None:
        count, most = limit
        over = sum(count(piece.text) > most for piece in pieces)
    had = _visible([text])
    kept = _visible(piece.text for piece in pieces)
    lost, invented = (had - kept).total(), (kept - had).total()
    return Findings(len(pieces), over, lost, invented, wrong_offsets(text, pieces))


def wrong_offsets(text: str, pieces: Iterable[Piece]) -> int | None:
    """Return how many chunks have wrong offsets; None if none has any."""
    wrong, given, end = 0, False, 0
    for piece in pieces:
        given |= piece.start is not None
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
    return wrong if given else None


def _visible(texts: Iterable[str]) -> Counter[str]:
    """Count the characters of texts, white space aside, which most splitters strip on purpose."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update("".join(text.split()))
    return counts
