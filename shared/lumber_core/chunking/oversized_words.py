"""Cutting words that fit in no chunk: between words, graphemes or characters, by exact counts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.errors import ChunkSizeError
from lumber_core.spans import Span
from lumber_core.text.unicode import grapheme_cuts, word_cuts

# The first window is longer by this factor than the text that fits on average, within a maximum for
# each token of room. A window that is too small is doubled.
_WINDOW_MARGIN = 1.25
_MAX_WINDOW_CHARACTERS_PER_TOKEN = 8
# Cuts are searched this far past the window, which may end inside a word or grapheme cluster.
_CHARACTERS_BEYOND = 64


def parts_that_fit(text: str, span: Span, most: int, limits: SizeLimits) -> Iterator[Span]:
    """Yield parts of a span that have about the same length and at most `most` tokens each.

    The cuts are between words, as in "alpha,beta" or in scripts without spaces; between graphemes
    if no word fits; and between characters if no grapheme fits. Tokens are counted by
    `limits.sizes`. A single character of more than `most` raises a ChunkSizeError.
    """

    def count(start: int, stop: int) -> int:
        return limits.sizes([text[start:stop]])[0]

    start, end = span
    per_character = count(start, end) / (end - start)
    while start < end:
        window, window_count = end, 0
        size = most * _MAX_WINDOW_CHARACTERS_PER_TOKEN
        if per_character > 0:
            size = min(size, int(_WINDOW_MARGIN * most / per_character) + 1)
        while window_count <= most:
            window = min(start + size, end)
            window_count = count(start, window)
            if window_count <= most and window == end:
                yield Span(start, end)
                return
            size *= 2
        parts = max(2, -int(-per_character * (end - start) // most))
        part_size = (end - start) // parts
        body = text[start : min(window + _CHARACTERS_BEYOND, end)]
        for find in (word_cuts, grapheme_cuts, lambda body: range(1, len(body))):
            cuts = find(body)
            cuts = cuts[bisect_right(cuts, 0) : bisect_left(cuts, window - start)]
            if not cuts:
                continue
            at = bisect_left(cuts, part_size)
            cut = min(cuts[max(0, at - 1) : at + 1], key=lambda cut: abs(cut - part_size))
            if count(start, start + cut) > most:
                fitting = bisect_right(cuts, most, key=lambda cut: count(start, start + cut))
                cut = cuts[fitting - 1] if fitting else 0
            if cut:
                break
        else:
            raise ChunkSizeError(
                f"the character {text[start]!r} alone has more than {most} tokens, the room for "
                "text in a chunk: chunk_size (or theta, if that is less) minus overlap and "
                "metadata. No cut can respect this limit: raise it"
            )
        yield Span(start, start + cut)
        start += cut
