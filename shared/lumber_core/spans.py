"""Character spans."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of characters: `text[start:end]`.

    Attributes:
        start: Offset of the first character.
        end: Offset just past the last character.
    """

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters of `text` that this span covers."""
        return text[self.start : self.end]

    def shift(self, offset: int) -> Span:
        """Return this span moved `offset` characters to the right."""
        return _new((self.start + offset, self.end + offset))

    def within(self, other: Span) -> Span:
        """Return the part of this span inside another; `end <= start` if they do not overlap."""
        return _new((max(self.start, other.start), min(self.end, other.end)))

    def strip(self, text: str) -> Span:
        """Return this span without white space at its ends.

        If the span is white space only, the result is empty and lies at `start`.
        """
        body = self.of(text)
        if body and not (body[0].isspace() or body[-1].isspace()):
            return self
        visible = body.lstrip()
        if not visible:
            return Span(self.start, self.start)
        start = self.end - len(visible)
        return _new((start, start + len(visible.rstrip())))


# The constructor of a named tuple is written in Python; `tuple.__new__` is faster.
_new: Callable[[tuple[int, int]], Span] = partial(tuple.__new__, Span)


def spans_from_starts(starts: Sequence[int], length: int) -> tuple[Span, ...]:
    """Return a span for each character offset where a piece starts; the last ends at `length`.

    The offsets are strictly ascending.
    """
    ends = [*starts[1:], length]  # one end too many if there are no starts
    return tuple(map(_new, zip(starts, ends, strict=False)))


def outside(offsets: Iterable[int], spans: Sequence[Span]) -> list[int]:
    """Return the offsets that lie in none of the spans, which are ascending."""
    starts = [span.start for span in spans]
    return [
        at
        for at in offsets
        if not (before := bisect_left(starts, at)) or at >= spans[before - 1].end
    ]
