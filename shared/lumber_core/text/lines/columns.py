"""The lines of a plain text as columns, with the labels at their starts: bullets, times, speakers.

From these, code, rows, headings and prose are found.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate, compress, count, pairwise, repeat
from operator import add, sub

from lumber_core.spans import Span, outside

PART_LINES = 10  # lines judged together, along with as many lines before and after them
MAX_WIDTH = 180  # characters; longer lines are not wrapped, and rarely code
CLOSING = "\"'\u2019\u201d)]\u00bb*_"  # may follow the punctuation at the end of a sentence
_FINAL = frozenset(".!?:;\u2026\u3002\uff01\uff1f")  # end a sentence or introduce a list
SEPARATORS = ",;\t|"  # separate the values of a record
_BESIDE = frozenset(SEPARATORS)
# A cell in quotes; a quote inside is doubled.
_QUOTED_CELL = re.compile(rf'"(?<![^{SEPARATORS}\r\n]")[^"]*"(?:"[^"]*")*(?=[{SEPARATORS}\r\n]|\Z)')
_QUOTE = re.compile(r"[ \t]{0,3}(?:>{1,2}(?!>)\s?)+")  # matches no ">>>", the prompt of Python


def broken_cells(text: str) -> list[Span]:
    """Return the quoted cells of separated values that contain line breaks, ascending."""
    if '"' not in text:
        return []
    cells = _QUOTED_CELL.finditer(text)
    broken = (cell.span() for cell in cells if "\n" in cell[0] or "\r" in cell[0])
    return [
        Span(start, end)
        for start, end in broken
        # There are other cells next to it, so it is not quoted speech.
        if text[end : end + 1] in _BESIDE or text[max(0, start - 1) : start] in _BESIDE
    ]


class Lines:
    """The lines of a text that are not blank, as columns; a record with line breaks is one line."""

    def __init__(self, text: str) -> None:
        for separator in "\x1c\x1d\x1e":  # they end lines for `splitlines`, but not here
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
        # Without white space at the ends, and without the ">" of quotations.
        self.bodies = [*filter(None, bodies)]
        self.offsets = [*map(sub, compress(edges[1:], bodies), unindented)]  # where bodies start
        self.indents = [*map(sub, map(len, lines), unindented)]
        self.firsts = [body[0] for body in self.bodies]
        numbers = [*compress(count(), bodies)]
        gaps = [*map(sub, numbers, [0, *numbers])]
        # Whether blank lines or another depth of quotation come before a line.
        self.blank = [gap > 1 for gap in gaps]
        self.blank[:1] = [False]
        if "\t" in text:  # a tab is as wide as four blanks
            tabs = map(text.count, repeat("\t"), self.starts, self.offsets)
            self.indents = [*map(add, self.indents, (3 * tab for tab in tabs))]
        if quoted:
            depths = map(text.count, repeat(">"), self.starts, self.offsets)
            for number, (above, depth) in enumerate(pairwise(depths), start=1):
                self.blank[number] |= above != depth
        self.pages: list[int] = []  # the first lines of pages; empty if no page ends
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


_BULLETS = "-*+:\u2022\u2023\u2043\u25aa\u25cf\u25e6\u2013\u2014\u00b7"
_LABEL = re.compile(
    rf"""(?:
      [{_BULLETS}](?=\s)                                                          # - bullet
    | \[(?:[\w*\u2020\u2021]{{1,6}}|\^[^\s\]]{{1,40}})\]:?                          # [5]  [^5]:
    | \(?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,5}})[.)](?=\s)                         # 3.  b)  (iv)
    | \d{{1,2}}(?:\.\d{{1,2}}){{1,3}}\.?(?=\s)                                    # 2.1
    | \[?\(?\d{{1,2}}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?\)?\]?    # [10:32]
    | \[?\d\d?[/.]\d\d?[/.]\d{{2,4}},?\s\d\d?:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?\]? # 12/3/24, 10:15
    | \[?\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?\]?           # 2024-05-01 10:32
    )\s*(?:[-\u2013\u2014|:]\s+)?""",
    re.VERBOSE,
)
_FIRSTS = frozenset(f"{_BULLETS}[(0123456789")
SPEAKER = re.compile(
    r"((?:[A-Z][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}|<[^<>\s]{1,30}>|@?\w{1,20})"
    r"(?:\s?[(\[][^()\[\]]{1,30}[)\]])?(?::|(?<=>)))\s+"
)
_MAX_SPEAKER_CHARACTERS, _MAX_HEAD_CHARACTERS = 60, 100  # of a name; of a line above speech
_TIME = r"[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?"
# "0:15", "00:15.000 --> 00:17.500 align:start"; and with a speaker: "Ann Lee  10:15 AM",
# "Ann Lee - Today at 10:15", "[Ann Lee] 00:15:07", "[10:15] Ann Lee".
_TIMES = re.compile(rf"{_TIME}(?:\s*(?:-->|[-\u2013\u2014])\s*{_TIME}(?:\s+\w+:\S+)*)?:?$")
_NAME_AND_TIME = re.compile(
    r"\[?[A-Z@][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}?\]?(?:\s*[,|\u2013\u2014\u00b7-])?"
    rf"\s+(?:\w+\sat\s)?{_TIME}:?$"
    rf"|(?=[\[(]){_TIME}\s+(?:[-\u2013\u2014]\s+)?[A-Z@][\w.'\u2019-]*(?:\s[\w'\u2019-]+){{0,3}}:?$"
)
_NUMBER_OR_NAME = re.compile(r"(?:\d+|[A-Z][\w.'\u2019-]*(?:\s[A-Z][\w.'\u2019-]*){0,3})$")


def label_end(body: str) -> int:
    """Return where a label at the start of a line ends, before its first word; 0 without one."""
    end, head = 0, body[1:6]
    if (body[:1] in _FIRSTS or "." in head or ")" in head) and (label := _LABEL.match(body)):
        end = label.end()
    if ":" in body or ">" in body:
        speaker = SPEAKER.match(body, end)
        if speaker and speaker.end(1) <= end + _MAX_SPEAKER_CHARACTERS:
            end = speaker.end()
    return end


def lines_above_speech(bodies: list[str], blank: list[bool]) -> set[int]:
    """Return the lines that contain only the time, or time and speaker, of the speech below.

    Subtitles, transcripts and copied chats have such lines. The number of a subtitle or the name of
    the speaker may be on a separate line above the time. `blank` is whether blank lines come before
    each line.
    """
    short = [
        (n, body)
        for n, body in enumerate(bodies)
        if ":" in body and len(body) <= _MAX_HEAD_CHARACTERS
    ]
    timed = [number for number, body in short if body.partition(":")[2][:1].isdigit()]
    times = {number for number in timed if _TIMES.match(bodies[number])}
    name_lines = {number for number in timed if _NAME_AND_TIME.match(bodies[number])}
    heads = times | name_lines if len(name_lines) > 1 else times
    # In a timetable, only the last of several consecutive lines has text below.
    heads = {n for n in heads if n + 1 < len(bodies) and n + 1 not in heads}
    close = (number for number in times if number and not blank[number] and number - 2 not in times)
    return heads | {number - 1 for number in close if _NUMBER_OR_NAME.match(bodies[number - 1])}
