"""Cutting words that fit in no chunk: between words, graphemes or characters, by exact counts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.errors import ChunkSizeError
from lumber_core.spans import Span
from lumber_core.text.unicode import grapheme_cuts, word_cuts

# The window to look at first is this much longer than what fits if tokens are even, but has at most
# so many characters per token of room; a window that is too small is doubled.
_MARGIN = 1.25
_CHARACTERS_PER_TOKEN = 8
# A window may end inside a word or a cluster, so cuts are searched this many characters further.
_BEYOND = 64


def parts_that_fit(text: str, span: Span, most: int, limits: SizeLimits) -> Iterator[Span]:
    """Yield parts of a span of about the same length, none of which counts more than a maximum.

    The cuts are between words, as in "alpha,beta" or in scripts without spaces; between graphemes
    if no word fits; and between characters if no grapheme fits.

    Args:
        text: The text.
        span: What to cut.
        most: Maximum tokens in a part.
        limits: Counts the tokens, with and without outer white space.

    Raises:
        ChunkSizeError: A single character counts more than `most`.
    """

    def count(start: int, stop: int) -> int:
        return limits.sizes([text[start:stop]])[0]

    start, end = span
    per_character = count(start, end) / (end - start)
    while start < end:
        window, window_count = end, 0
        size = most * _CHARACTERS_PER_TOKEN
        if per_character > 0:
            size = min(size, int(_MARGIN * most / per_character) + 1)
        while window_count <= most:
            window = min(start + size, end)
            window_count = count(start, window)
            if window_count <= most and window == end:
                yield Span(start, end)
                return
            size *= 2
        parts = max(2, -int(-per_character * (end - start) // most))
        wanted = (end - start) // parts
        body = text[start : min(window + _BEYOND, end)]
        for find in (word_cuts, grapheme_cuts, _character_cuts):
            cuts = find(body)
            cuts = cuts[bisect_right(cuts, 0) : bisect_left(cuts, window - start)]
            fitting = _cuts_that_fit(start, cuts, most, (window - start, window_count), count)
            if fitting:
                break
        else:
            raise ChunkSizeError(
                f"the character {text[start]!r} alone counts more than {most} tokens, for which "
                "a chunk has room here: chunk_size (or theta, if that is less) without what "
                "overlap and metadata take. No cut can keep that limit: raise it"
            )
        cut = _nearest(fitting, wanted)
        if cut != fitting[-1] and count(start, start + cut) > most:  # a shorter text may count more
            cut = fitting[-1]
        yield Span(start, start + cut)
        start += cut


def _cuts_that_fit(
    start: int,
    cuts: Sequence[int],
    most: int,
    beyond: tuple[int, int],
    count: Callable[[int, int], int],
) -> Sequence[int]:
    """Return the cuts up to the last that leaves at most `most` tokens before it.

    Interpolation search finds it, which counts only a few windows.

    Args:
        start: Where the part starts.
        cuts: Offsets after its start, ascending, as all others but those to count between.
        most: Maximum tokens in the part.
        beyond: An offset past that cut, and the tokens before it.
        count: Counts the tokens between two offsets.
    """
    fits = 0  # the cut before this number has been counted, and fits
    low, low_count = 0, 0
    high, (high_offset, high_count) = len(cuts), beyond
    step = 0
    while low < high:
        if step % 3 == 2 or high_count <= low_count:
            guess = (low + high) // 2
        else:
            begin = cuts[low - 1] if low else 0
            share = (most - low_count) / (high_count - low_count)
            offset = begin + int(share * (high_offset - begin))
            guess = min(max(bisect_right(cuts, offset) - 1, low), high - 1)
        tokens = count(start, start + cuts[guess])
        if tokens <= most:
            fits = low = guess + 1
            low_count = tokens
        else:
            high, high_count, high_offset = guess, tokens, cuts[guess]
        step += 1
    return cuts[:fits]


def _nearest(cuts: Sequence[int], wanted: int) -> int:
    """Return the cut nearest to an offset."""
    position = bisect_left(cuts, wanted)
    return min(cuts[max(0, position - 1) : position + 1], key=lambda cut: abs(cut - wanted))


def _character_cuts(text: str) -> range:
    """Return every offset inside `text`."""
    return range(1, len(text))
