"""Locates chunks that another library's splitter returned as strings in the original text.

If necessary, white space is ignored in the comparison, because splitters trim it, turn it into
single spaces, or add their own between sentences.

A string may occur several times. Assumptions about the splitter are tried, from the strictest to
the most general, until every chunk has a place: the chunks tile the text; they overlap by the
splitter's known overlap; each starts and ends later than the one before; each starts later; none
starts or ends earlier; none starts earlier. The last assumption finds places whenever there are
places in order. Except for the first, all assumptions are tried with white space before any is
tried without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lumber_core.spans import Span

# Everything that `str.isspace` and `str.split` treat as white space.
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
_MAX_QUOTED_CHARACTERS = 60  # of a chunk in an error

_PlaceFunction = Callable[[str, Sequence[str]], list[int]]


class ChunkNotFoundError(ValueError):
    """A chunk is not part of the text, or comes before the chunk that it follows."""


def locate(text: str, chunks: Sequence[str], *, overlap: int | None = None) -> list[Span]:
    """Find chunks in a text, in time linear in their length.

    Args:
        text: The text that was split.
        chunks: Its chunks in the order of the text; each has a visible character.
        overlap: Maximum characters that two neighbours share; None if unknown.

    Returns:
        A span for each chunk. If the chunk is a slice of the text, the span is exact; otherwise it
        goes from the chunk's first visible character to its last.

    Raises:
        ChunkNotFoundError: A chunk is not found. The message has its number and its beginning.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    offsets = np.flatnonzero(~np.isin(codes, _SPACES))
    visible = "".join(text.split())
    bodies = ["".join(chunk.split()) for chunk in chunks]
    rules: list[_PlaceFunction] = []
    if overlap is not None:
        rules.append(partial(_in_order, overlap=overlap, growth=0))
    rules += [
        partial(_in_order, growth=1),
        partial(_in_order, growth=1, nested=True),
        partial(_in_order, growth=0),
        partial(_in_order, growth=0, nested=True),
    ]
    starts = _place_tiles(visible, bodies)
    if len(starts) < len(bodies):
        for place in rules:
            starts = place(text, chunks)
            if len(starts) == len(chunks):
                pairs = zip(starts, chunks, strict=True)
                return [Span(start, start + len(chunk)) for start, chunk in pairs]
        for place in rules:
            starts = place(visible, bodies)
            if len(starts) == len(bodies):
                break
        else:
            missing = chunks[len(starts)]
            raise ChunkNotFoundError(
                f"chunk {len(starts)}, which begins {missing.strip()[:_MAX_QUOTED_CHARACTERS]!r}, "
                "is not in the text from the start of the chunk before it; chunks must be parts of "
                "the text, in its order, and may differ from it in white space only"
            )
    return [
        _widen(text, chunk, Span(int(offsets[start]), int(offsets[start + len(body) - 1]) + 1))
        for start, chunk, body in zip(starts, chunks, bodies, strict=True)
    ]


def _widen(text: str, chunk: str, visible: Span) -> Span:
    """Return the span with the chunk's own white space, if the chunk is a slice there."""
    start = visible.start - (len(chunk) - len(chunk.lstrip()))
    if start >= 0 and text.startswith(chunk, start):
        return Span(start, start + len(chunk))
    return visible


def _place_tiles(visible: str, bodies: Sequence[str]) -> list[int]:
    """Place the chunks end to end; return no starts unless they make up the whole text."""
    starts = []
    end = 0
    for body in bodies:
        if not visible.startswith(body, end):
            return []
        starts.append(end)
        end += len(body)
    return starts if end == len(visible) else []


def _in_order(
    visible: str,
    bodies: Sequence[str],
    *,
    growth: int,
    nested: bool = False,
    overlap: int | None = None,
) -> list[int]:
    """Place each chunk where it first occurs from the start of the chunk before.

    The earliest places leave the most room for later chunks, so valid places are found if there are
    any. Returns the starts up to the first chunk without a place. A chunk starts, and unless
    `nested` ends, at least `growth` characters after the chunk before, and starts at most `overlap`
    characters before the end of that chunk.
    """
    starts: list[int] = []
    start, end = 0, 0
    for body in bodies:
        lowest = start
        if overlap is not None:
            lowest = max(lowest, end - overlap)
        if starts:
            lowest = max(lowest, start + growth)
        if starts and not nested:
            lowest = max(lowest, end + growth - len(body))
        start = visible.find(body, lowest)
        if start < 0:
            break
        starts.append(start)
        end = start + len(body)
    return starts
