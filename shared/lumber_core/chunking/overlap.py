"""Overlap: each chunk begins with the end of the chunk before.

Only starts move, so every chunk is still a slice of the text, and its offsets are exact.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from lumber_core.chunking.size_limits import MAX_CHARACTERS_PER_TOKEN, SizeLimits
from lumber_core.spans import Span
from lumber_core.text.captions import speech
from lumber_core.text.parsed import ParsedText
from lumber_core.text.structured import NESTED
from lumber_core.text.unicode import grapheme_cuts, word_cuts


def overlap_spans(
    parsed: ParsedText,
    spans: Sequence[Span],
    limits: SizeLimits,
    tokens: int,
    *,
    trim: bool = False,
) -> list[Span]:
    """Return the spans, each extended to repeat at most `tokens` tokens of the span before.

    A span starts at a unit of the span before. If no unit fits, it starts at a sentence of that
    span's last unit, or else at a line, clause or word. In code and data, lines come first. If not
    even a word fits, the span is unchanged. It always starts after the start of the span before,
    and has at most `limits.chunk_size` tokens.

    `spans` may have gaps between them, but do not overlap. With `trim`, the repeated text begins
    with a visible character, as the spans then do.
    """
    text = parsed.text
    starts, sections = [unit.start for unit in parsed.units()], parsed.section_starts
    extended = list(spans[:1])
    for before, span in pairwise(spans):
        # A chunk starts later than the chunk before, so that no chunk contains another.
        section = bisect_right(sections, span.start)
        first = max(before.start, extended[-1].start + 1, sections[section - 1] if section else 0)
        begin = span.start
        for places in _repeatable(parsed, starts, Span(first, span.start), tokens):
            begin = _earliest_start(text, span, places, limits, tokens)
            if begin < span.start:
                break
        longer = Span(begin, span.end)
        extended.append(longer.strip(text) if trim else longer)
    return extended


def _repeatable(
    parsed: ParsedText, units: Sequence[int], room: Span, tokens: int
) -> Iterator[list[int]]:
    """Yield offsets in `room` where the repeated text may begin, kind by kind, the best first."""
    text, stop, kind = parsed.text, room.end, parsed.source.kind
    spoken = speech(text) if kind == "captions" else ""
    visible_end = room.strip(text).end
    earliest = max(room.start, stop - tokens * MAX_CHARACTERS_PER_TOKEN)

    def keep_visible(offsets: Iterable[int]) -> list[int]:
        # A part of a cue begins with spoken words, not with its times.
        return [at for at in offsets if at < visible_end and not spoken[at : at + 1].isspace()]

    if kind in NESTED:
        yield keep_visible(parsed.places(earliest, stop).offsets)
    yield [*units[bisect_left(units, room.start) : bisect_left(units, stop)]]
    yield keep_visible(parsed.places(earliest, stop).offsets)
    for places in parsed.finer_places(earliest, stop):
        yield keep_visible(places.offsets)
    # Words of scripts without spaces, or parts of a longer word. Punctuation is not a word.
    end = text[earliest:visible_end]
    yield [earliest + at for at in word_cuts(end) if end[at : at + 1].isalnum()]
    if len(end.split()) == 1:
        yield [earliest + at for at in grapheme_cuts(end)]


def _earliest_start(
    text: str, span: Span, places: Sequence[int], limits: SizeLimits, tokens: int
) -> int:
    """Return the earliest of `places` from which a span may start, or its own start.

    Galloping search from the nearest place needs few counts, and never counts much more text than
    fits.
    """

    def fits(number: int) -> bool:
        begin = places[-number]
        repeated, whole = limits.sizes([text[begin : span.start], text[begin : span.end]])
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
