"""The lines of a plain text as columns, from which code, rows, headings and prose are found."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate, compress, count, pairwise, repeat
from operator import add, sub

from lumber_core.text.lines.labels import label_end
from lumber_core.text.lines.tables import broken_cells, outside

PART_LINES = 10  # lines judged together, along with as many lines before and after them
MAX_WIDTH = 180  # characters; longer lines are not wrapped, and rarely code
CLOSING = "\"'\u2019\u201d)]\u00bb*_"  # may follow the punctuation at the end of a sentence
_FINAL = frozenset(".!?:;\u2026\u3002\uff01\uff1f")  # ends a sentence or introduces a list
_QUOTE = re.compile(r"[ \t]{0,3}(?:>{1,2}(?!>)\s?)+")  # but not Python's prompt


class Lines:
    """The lines of a text that are not blank, as columns; a record with line breaks is one line.

    Attributes:
        starts: Offset of each line.
        bodies: Each line without white space at its ends, and without the ">" of quotations.
        offsets: Offset of each body.
        indents: Width of its indentation.
        firsts: Its first visible character.
        blank: Whether blank lines or another depth of quotation come before it.
        pages: The numbers of the first lines of pages; empty if no page ends.
    """

    def __init__(self, text: str) -> None:
        for separator in "\x1c\x1d\x1e":  # these end lines for `splitlines`, but not here
            text = text.replace(separator, "\x1f")
        lines = text.splitlines(keepends=True)
        cells = broken_cells(text)
        if cells:  # a record is one line
            edges = outside(accumulate(map(len, lines), initial=0), cells)
            lines = [text[start:end] for start, end in pairwise(edges)]
        edges = [*accumulate(map(len, lines), initial=0)]
        quoted = text.count(">") > 1
        if quoted:
            marks = map(_QUOTE.match, lines)
            lines = [
                line[mark.end() :] if mark else line
                for mark, line in zip(marks, lines, strict=True)
            ]
        bodies = [*map(str.strip, lines)]
        lines = [*compress(lines, bodies)]
        unindented = [*map(len, map(str.lstrip, lines))]
        self.starts = [*compress(edges, bodies)]
        self.bodies = [*filter(None, bodies)]
        self.offsets = [*map(sub, compress(edges[1:], bodies), unindented)]
        self.indents = [*map(sub, map(len, lines), unindented)]
        self.firsts = [body[0] for body in self.bodies]
        numbers = [*compress(count(), bodies)]
        gaps = [*map(sub, numbers, [0, *numbers])]
        self.blank = [gap > 1 for gap in gaps]
        self.blank[:1] = [False]
        if "\t" in text:  # a tab is as wide as four blanks
            tabs = map(text.count, repeat("\t"), self.starts, self.offsets)
            self.indents = [*map(add, self.indents, (3 * tab for tab in tabs))]
        if quoted:
            depths = map(text.count, repeat(">"), self.starts, self.offsets)
            for number, (above, depth) in enumerate(pairwise(depths), start=1):
                self.blank[number] |= above != depth
        self.pages: list[int] = []
        if "\f" in text and numbers:
            feeds = (number for number, end in enumerate(edges) if end and text[end - 1] == "\f")
            self.pages = sorted({0, *(bisect_left(numbers, n) for n in feeds)} - {len(numbers)})
            for number in self.pages:
                self.blank[number] = gaps[number] > 2

    @cached_property
    def ended(self) -> list[bool]:
        """Whether each line ends a sentence."""
        return [body.rstrip(CLOSING)[-1:] in _FINAL for body in self.bodies]

    @cached_property
    def labels(self) -> list[int]:
        """Where a label at the start of each body ends; 0 without one."""
        return [*map(label_end, self.bodies)]


def shares(flags: Iterable[bool]) -> list[float]:
    """Return the share of flagged lines in and around each part of the lines."""
    sums = [*accumulate(flags, initial=0)]
    last = len(sums) - 1
    part = PART_LINES
    around = ((max(0, at - part), min(last, at + 2 * part)) for at in range(0, last, part))
    return [(sums[end] - sums[start]) / (end - start) for start, end in around]
