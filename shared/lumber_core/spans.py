"""Character spans, and the check that a list of them covers a text exactly once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from lumber_core.errors import TilingError


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

    def shifted(self, offset: int) -> Span:
        """Return this span moved `offset` characters to the right."""
        return Span(self.start + offset, self.end + offset)

    def within(self, other: Span) -> Span:
        """Return the part of this span that is in another; with no length or less if none is."""
        return Span(max(self.start, other.start), min(self.end, other.end))

    def stripped(self, text: str) -> Span:
        """Return this span without white space at its ends.

        If the span is white space only, the result is empty and lies at `start`.
        """
        body = self.of(text)
        if body and not (body[0].isspace() or body[-1].isspace()):
            return self
        kept = body.lstrip()
        if not kept:
            return Span(self.start, self.start)
        start = self.end - len(kept)
        return Span(start, start + len(kept.rstrip()))


def spans_from_starts(starts: Sequence[int], length: int) -> tuple[Span, ...]:
    """Return the spans between the offsets where pieces start.

    Args:
        starts: Strictly increasing character offsets; the first is 0.
        length: Length of the text in characters.

    Returns:
        One span per start; the last ends at `length`.
    """
    # The constructor of a named tuple is written in Python, this one is not.
    ends = [*starts[1:], length]  # one too many if there are no starts
    return tuple(map(partial(tuple.__new__, Span), zip(starts, ends, strict=False)))


def check_tiling(spans: Iterable[Span | tuple[int, int]], length: int) -> None:
    """Raise unless `spans` cover a text of `length` characters exactly once, in order.

    Args:
        spans: The spans, or pairs of offsets.
        length: Number of characters in the text.

    Raises:
        TilingError: A span leaves a gap, overlaps, is empty or ends past the text.
    """
    position = 0
    for number, (start, end) in enumerate(spans):
        if start != position:
            fault = "overlaps the one before it" if start < position else "leaves a gap before it"
            raise TilingError(
                f"span {number} ({start}, {end}) {fault}: it should start at {position}"
            )
        if end <= start:
            raise TilingError(f"span {number} ({start}, {end}) is empty")
        position = end
    if position != length:
        raise TilingError(f"the spans end at {position}, but the text has {length} characters")
