"""Overlap: the end of a chunk, repeated at the start of the next.

Splitters tile the text; adapters extend the spans before they slice the text. Only starts move, so
every chunk is still a slice of the text and its offsets stay exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.spans import Span
from lumber_core.text.units import sentences


def overlapping(
    text: str, spans: Sequence[Span], units: Sequence[Span], limits: SizeLimits, tokens: int
) -> list[Span]:
    """Return the spans, each extended to repeat the end of the one before.

    Args:
        text: The text the spans are of.
        spans: Spans in order, without overlap; there may be gaps between them.
        units: Units of the text.
        limits: No span has more than `limits.chunk_size` tokens, repeated text included.
        tokens: Maximum tokens to repeat.

    Returns:
        One span for each, with the same end. It starts at a unit of the span before, or if none
        fits at a sentence of that span's last unit, or else where it was; always after the start of
        the span before.
    """
    if not tokens:
        return list(spans)
    starts = [unit.start for unit in units]
    widened = list(spans[:1])
    for before, span in pairwise(spans):
        # Past the start of the chunk before, so that no chunk contains another.
        low = bisect_left(starts, max(before.start, widened[-1].start + 1))
        high = bisect_left(starts, span.start)
        begin = _earliest(text, span, starts[low:high], limits, tokens)
        if begin == span.start:
            last = max(starts[high - 1] if high else 0, before.start)
            inside = sentences(text[last : span.start], limits.language)
            places = [last + sentence.start for sentence in inside[1:]]
            begin = _earliest(text, span, places, limits, tokens)
        widened.append(Span(begin, span.end))
    return widened


def _earliest(text: str, span: Span, places: Sequence[int], limits: SizeLimits, tokens: int) -> int:
    """Return the earliest of `places` from which a span may start, or its own start.

    Places are tried by galloping search from the nearest one: few counts, and none of a text much
    longer than what fits.
    """

    def fits(number: int) -> bool:
        begin = places[-number]
        repeated, whole = limits.count([text[begin : span.start], text[begin : span.end]])
        return repeated <= tokens and (limits.chunk_size is None or whole <= limits.chunk_size)

    best, step = 0, 1
    while best + step <= len(places) and fits(best + step):
        best += step
        step *= 2
    while step > 1:
        step //= 2
        if best + step <= len(places) and fits(best + step):
            best += step
    return places[-best] if best else span.start
