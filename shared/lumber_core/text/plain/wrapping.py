"""Prose whose lines were wrapped to a width, where a line break means nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.text.plain.labels import label_end
from lumber_core.text.plain.lines import (
    AROUND,
    WIDEST_PROSE,
    Flags,
    PlainLines,
    around,
    neighbours,
)
from lumber_core.text.plain.pages import RunningLines

_LONG_LINE = 50  # characters; long enough to be wrapped


class Wrapping(NamedTuple):
    """Which lines were wrapped.

    Attributes:
        prose: Whether a line belongs to prose that was wrapped to a width.
        joined: Whether it continues the line before it.
    """

    prose: Flags
    joined: Flags


class _Shapes:
    """What tells wrapped lines, for each line.

    Attributes:
        width: Width of the text around it.
        full: Whether its first word would not have fitted into the line before.
        open: Whether no sentence ends with the line before.
        small: Whether it begins with a lower-case letter.
    """

    def __init__(self, lines: PlainLines) -> None:
        count = len(lines.bodies)
        words = np.fromiter((min(20, len(b.split(None, 1)[0])) for b in lines.bodies), np.int64)
        self.width = _widths(lines.lengths)
        self.full = np.zeros(count, dtype=np.bool_)
        self.full[1:] = lines.lengths[:-1] + 1 + words[1:] >= 0.87 * self.width[1:]
        self.open = np.zeros(count, dtype=np.bool_)
        self.open[1:] = lines.open_ended[:-1]
        self.small = np.fromiter((b[0].islower() for b in lines.bodies), np.bool_)


def find_wrapping(
    lines: PlainLines, running: RunningLines, whole: Flags, *, mail: bool
) -> Wrapping:
    """Return which lines were wrapped.

    Args:
        lines: The lines.
        running: Running titles, which interrupt the prose of their pages.
        whole: Whether a line is a row, or code.
        mail: Whether the text is an e-mail, whose short paragraphs may be wrapped as well.
    """
    shapes = _Shapes(lines)
    prose = _in_wrapped_prose(lines, shapes, running) & ~whole
    return Wrapping(prose, _joined(lines, shapes, prose, whole, mail=mail))


def _in_wrapped_prose(lines: PlainLines, shapes: _Shapes, running: RunningLines) -> Flags:
    """Return for each line whether it belongs to prose that was wrapped to a width.

    Such a line ends where the next word would not have fitted, mostly without punctuation, and
    the next line often starts with a lower-case letter.
    """
    inner = ~lines.blank
    inner[[0, *running.tops, *running.bottoms, *(n + 1 for n in running.tops)]] = False
    caseless = np.fromiter(
        (b[0].isalpha() and b[0].lower() == b[0].upper() for b in lines.bodies), np.bool_
    )
    count = around(inner, total=True)
    many = np.maximum(count, 1)

    def share(of: Flags) -> npt.NDArray[np.float64]:
        return around(of & inner, total=True) / many

    result: Flags = (
        (count >= 2)
        & (shapes.width >= 25)
        & (shapes.width <= WIDEST_PROSE)
        & (share(shapes.full) >= 0.6)
        & (share(shapes.open) >= 0.5)
        & (share(shapes.small | caseless) >= 0.25)
    )
    return result


def _joined(lines: PlainLines, shapes: _Shapes, prose: Flags, whole: Flags, *, mail: bool) -> Flags:
    """Return for each line whether it continues the wrapped line before it."""
    width, full, opened, small = shapes.width, shapes.full, shapes.open, shapes.small
    goes_on = (full | small) & (opened | full)
    labelled = np.fromiter((label_end(b) > 0 for b in lines.bodies), np.bool_)
    goes_on &= ~labelled | (full & opened & ~neighbours(labelled))
    indents = np.array(lines.indents)
    hanging = np.zeros(len(goes_on), dtype=np.bool_)
    hanging[1:] = (indents[1:] > indents[:-1]) & ~opened[1:]
    # A short line without punctuation, after a sentence and before a capital, may be a heading.
    titles = np.zeros(len(goes_on), dtype=np.bool_)
    short = lines.lengths[1:-1] < 0.6 * width[1:-1]
    titles[1:-1] = short & ~opened[1:-1] & opened[2:] & ~small[1:-1] & ~small[2:]
    joins = prose & goes_on & ~titles
    if mail:
        # In a short letter, a long line must end where the next word did not fit.
        long = np.zeros(len(goes_on), dtype=np.bool_)
        long[1:] = (lines.lengths[:-1] >= _LONG_LINE) & (lines.lengths[:-1] <= WIDEST_PROSE)
        joins |= full & opened & small & ~labelled & long & (width <= WIDEST_PROSE) & ~whole
    result: Flags = joins & ~lines.blank & ~hanging
    result[0] = False
    return result


def _widths(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the width of the text around each line: about one line in five is longer."""
    size = 2 * AROUND + 1
    padded = np.pad(lengths, AROUND, mode="reflect" if len(lengths) > AROUND else "wrap")
    result = np.empty(len(lengths), dtype=np.float64)
    for start in range(0, len(lengths), 1 << 16):
        block = padded[start : start + (1 << 16) + size - 1]
        near = np.lib.stride_tricks.sliding_window_view(block, size)
        result[start : start + len(near)] = np.partition(near, size - 4, axis=1)[:, size - 4]
    return result
