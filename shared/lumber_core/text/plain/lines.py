"""The lines of a plain text that are not blank, with their places, indentation and quotation."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

# Line breaks as in `units`; a run of white space between two lines with more than one is blank.
_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_BREAK = re.compile(r"\n|\r\n?|[\v\f\x85\u2028\u2029]")
_FINAL = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"'\u2019\u201d)\]\u00bb*_]*$")
_QUOTE = re.compile(r"\s{0,3}(?:>{1,2}(?!>)\s?)+")  # but not Python's prompt
AROUND = 10
"""Lines of context on both sides."""

WIDEST_PROSE = 180
"""Characters of the widest line that prose is wrapped to."""

Flags = npt.NDArray[np.bool_]
"""An answer of yes or no for each line."""


class PlainLines:
    """The lines of a text that are not blank, one entry per line.

    Attributes:
        starts: Offset of each line.
        offsets: Offset of its first visible character.
        bodies: The line without white space at its ends.
        blank: Whether blank lines come before it.
        indents: Width of its indentation.
        indent_unit: Characters of one level of indentation.
        lengths: Number of characters up to the last visible one.
        open_ended: Whether no sentence ends with it.
        quoted: How deep it is quoted, as in an answer to an e-mail.
        quotes: Whether any line is quoted.
        pages: Whether it is the first line of a page, after a form feed.
    """

    def __init__(self, text: str) -> None:
        self.starts: list[int] = []
        self.offsets: list[int] = []
        self.bodies: list[str] = []
        self.indents: list[int] = []
        self.quoted: list[int] = []
        self.pages: list[bool] = []
        blank: list[bool] = []
        self.quotes = len(re.findall(r"^\s{0,3}>", text, re.MULTILINE)) > 1
        end = 0
        for match in _LINE.finditer(text):
            line = match.group()
            quote = _QUOTE.match(line) if self.quotes else None
            prefix = quote.end() if quote else 0
            body = line[prefix:].strip()
            if not body:
                continue
            start = match.start()
            gap = text[end:start]
            page = "\f" in gap
            several = len(gap) > 1 and gap != "\r\n" and len(_BREAK.findall(gap)) > 1 + page
            depth = line.count(">", 0, prefix)
            blank.append(several or bool(self.quoted and depth != self.quoted[-1]))
            self.quoted.append(depth)
            self.pages.append(page)
            indent = len(line) - len(line[prefix:].lstrip())
            self.starts.append(start)
            self.offsets.append(start + indent)
            self.bodies.append(body)
            self.indents.append(indent - prefix + 3 * line.count("\t", 0, indent))
            end = start + indent + len(body)
        self.blank = np.array(blank, dtype=np.bool_)
        indents = np.array(self.indents, dtype=np.int64)
        self.lengths = indents + np.fromiter(map(len, self.bodies), np.int64, len(self.bodies))
        self.open_ended = np.fromiter((not _FINAL.search(b) for b in self.bodies), np.bool_)
        deeper = indents[indents > 1]
        self.indent_unit = int(deeper.min()) if len(deeper) else 4
        if self.bodies and self.bodies[0][0] in "{[" and 1 in indents:  # as notebooks write JSON
            self.indent_unit = 1


def around(values: npt.NDArray[np.generic], *, total: bool = False) -> npt.NDArray[np.float64]:
    """Return the mean, or the total, of each value and its neighbours."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    places = np.arange(len(values))
    low = np.maximum(0, places - AROUND)
    high = np.minimum(len(values), places + AROUND + 1)
    found: npt.NDArray[np.float64] = sums[high] - sums[low]
    return found if total else found / (high - low)


def neighbours(values: Flags) -> Flags:
    """Return for each value whether it or a neighbour is true."""
    return (around(values, total=True) - values) > 0
