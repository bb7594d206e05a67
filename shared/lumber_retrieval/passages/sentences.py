"""What passages are made of: sentences, items and rows, without what says nothing at their ends.

A rule, a heading or the header of a table says something only with what stands below it, so no
passage ends with one alone. A small table is one thing, and read whole if there is room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import regex

from lumber_core.spans import Span
from lumber_core.text.captions import read_cues, without_times
from lumber_core.text.lines.rows import rows_of
from lumber_core.text.lines.tables import outside
from lumber_core.text.units import sentences
from lumber_retrieval.words.word_count import count_words

_MOST_ROWS = 10
"""Rows of a table that is read whole."""
_FEWEST_WORDS = 3
"""Words of what can be a passage of its own: fewer are the label of an item, a name or a number,
unless they end as a sentence does, which has two at least."""

_NAMES = re.compile(r"[^\W_]+")
_FIELDS = ("<t", "\t", '",', ',"')  # only where one is, there may be other rows
_ENDED = regex.compile(r"\p{Sentence_Terminal}\W*$")
HEADING = re.compile(r"^[ \t>]*#{1,6}(?:\s|$)", re.MULTILINE)
_ROW = re.compile(r"^[ \t>]*\|", re.MULTILINE)
_DIVIDER = re.compile(r"[ \t>|:-]*-[ \t>|:-]*$")


def sentences_of(text: str, language: str, *, whole_lines: bool = False) -> Iterator[Span]:
    """Yield the places of the sentences of a text, without what says nothing at their ends.

    A heading and the number of an item belong to the sentence after them. A row of a table is not
    divided, nor is a cue of captions, nor with `whole_lines` a line, as of code.
    """
    starts = [0]
    for before, span in pairwise(sentences(text, language)):
        line = text.rfind("\n", 0, span.start) + 1
        said = before.of(text)
        # A heading, or what no word is in: the number of an item of a list.
        inside = whole_lines and bool(text[line : span.start].strip())
        opening = inside or said.lstrip().startswith("#") or not any(map(str.isalpha, said))
        if not opening and not _ROW.match(text, line, span.start):
            starts.append(span.start)
    cues = [cue.span for cue in read_cues(text)]
    if cues or any(sign in text for sign in _FIELDS):
        rows = cues or rows_of(text)
        begin = (row.start for row in rows if not _ROW.match(text, row.start))
        starts = sorted({0, *outside(starts, rows), *begin})
    for start, end in pairwise([*starts, len(text)]):
        span = _trimmed(text, Span(start, end))
        if span.start < span.end:
            yield span


def says_something(text: str) -> bool:
    """Return whether a text has a sentence, an item or a row, and not headings or a label alone."""
    words = 0
    for line in without_times(text).splitlines():
        if not HEADING.match(line):
            words += sum(map(count_words, _NAMES.findall(line)))
            if words >= _FEWEST_WORDS or (words == _FEWEST_WORDS - 1 and _ENDED.search(line)):
                return True
    return False


def small_table(text: str, part: Span) -> Span | None:
    """Return the place of the table that a part of a text has a row of.

    None if it has none whose rows begin with "|", or the table has no header or above ten rows.
    """
    row = _ROW.search(text, text.rfind("\n", 0, part.start) + 1, part.end)
    if row is None:
        return None
    start = end = row.start()
    lines = 0
    while start and lines <= _MOST_ROWS + 2:
        before = text.rfind("\n", 0, start - 1) + 1
        if not _ROW.match(text, before):
            break
        start, lines = before, lines + 1
    while end < len(text) and lines <= _MOST_ROWS + 2 and _ROW.match(text, end):
        after = text.find("\n", end)
        end, lines = (len(text) if after < 0 else after + 1), lines + 1
    table = Span(start, end).stripped(text)
    rows = table.of(text).splitlines()
    if 2 < len(rows) <= _MOST_ROWS + 2 and _DIVIDER.match(rows[1]):
        return table
    return None


def _trimmed(text: str, span: Span) -> Span:
    """Return a part without white space, rules, headings alone and headers alone at its ends."""
    lines = span.of(text).splitlines(keepends=True)
    first, last = 0, len(lines)
    start, end = span
    while first < last and _says_nothing(lines[first]):
        start += len(lines[first])
        first += 1
    while first < last:
        line = lines[last - 1]
        header = "|" in line and _DIVIDER.match(line.rstrip())
        if header and last - first > 1:  # of a table whose rows are left out
            last -= 1
            end -= len(line)
            line = lines[last - 1]
        elif not (header or _says_nothing(line) or HEADING.match(line)):
            break
        last -= 1
        end -= len(line)
    return Span(start, end).stripped(text)


def _says_nothing(line: str) -> bool:
    """Return whether a line is blank or a rule: "---", "* * *", ">", but no row of a table."""
    return "|" not in line and not any(map(str.isalnum, line))
