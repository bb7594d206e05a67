"""The passages in the report: where splitters differ, with their cuts side by side."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_MOST_CANDIDATES = 2_000


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A stretch of a passage that no splitter cuts.

    Attributes:
        text: Its text.
        chunks: For each splitter, the number of its chunk there, from 0.
        cuts: For each splitter, whether it cuts right before this row.
    """

    text: str
    chunks: tuple[int, ...]
    cuts: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class CutPassage:
    """A passage of a document with the cuts of all splitters.

    Attributes:
        document: Name of the document.
        start: Where it begins, in characters.
        end: Where it ends.
        rows: Its rows; their texts, joined, are the passage.
    """

    document: str
    start: int
    end: int
    rows: tuple[PassageRow, ...]


def telling_passages(
    texts: Mapping[str, str],
    starts: Mapping[str, Sequence[Sequence[int]]],
    *,
    count: int = 3,
    length: int = 2_600,
) -> list[CutPassage]:
    """Choose the passages where splitters differ most, and lay them out.

    Args:
        texts: The documents.
        starts: For each document and each splitter, ascending offsets where its chunks start.
        count: Maximum number of passages; they do not overlap.
        length: Approximate characters of a passage.

    Returns:
        Passages around places where some splitters cut and others do not, best first: those where
        most splitters cut several times. There are fewer if there are few differences.
    """
    candidates = []
    most = 1 + _MOST_CANDIDATES // max(1, len(texts))
    for order, (name, text) in enumerate(texts.items()):
        edges = [bisect_left(cuts, 1) for cuts in starts[name]]
        inner = [list(cuts[edge:]) for cuts, edge in zip(starts[name], edges, strict=True)]
        agreed = set.intersection(*map(set, inner)) if inner else set()
        every = sorted(set().union(*inner))
        disputed = [cut for cut in every if cut not in agreed]
        for cut in disputed[:: 1 + len(disputed) // most]:
            start = _before(text, max(0, cut - length // 4))
            end = _before(text, start + length) if start + length < len(text) else len(text)
            cuts = [bisect_right(c, end) - bisect_left(c, start + 1) for c in inner]
            # A passage that one splitter shreds tells less than one where all of them cut.
            active = sum(number > 0 for number in cuts)
            seen = sum(min(number, 4) for number in cuts)
            candidates.append((-active, -seen, order, start, end, name))
    chosen: list[CutPassage] = []
    for *_, start, end, name in sorted(candidates):
        apart = all(p.document != name or end <= p.start or start >= p.end for p in chosen)
        if apart and len(chosen) < count:
            chosen.append(lay_out(name, texts[name], start, end, starts[name]))
    return chosen


def lay_out(
    name: str, text: str, start: int, end: int, starts: Sequence[Iterable[int]]
) -> CutPassage:
    """Cut a passage wherever any splitter cuts it."""
    sets = [sorted({0, *cuts}) for cuts in starts]
    edges = sorted({start, *(cut for cuts in sets for cut in cuts if start < cut < end)})
    rows = []
    for first, last in zip(edges, [*edges[1:], end], strict=True):
        numbers = tuple(bisect_right(cuts, first) - 1 for cuts in sets)
        here = tuple(cuts[n] == first for cuts, n in zip(sets, numbers, strict=True))
        rows.append(PassageRow(text[first:last], numbers, here))
    return CutPassage(name, start, end, tuple(rows))


def _before(text: str, place: int) -> int:
    """Return the start of the paragraph, or else of the word, that a place is in."""
    paragraph = text.rfind("\n\n", max(0, place - 400), place)
    if paragraph >= 0:
        return paragraph + 2
    word = max(text.rfind(" ", 0, place), text.rfind("\n", 0, place))
    return word + 1
