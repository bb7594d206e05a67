"""Rows of tables, and dated entries of logs."""

from __future__ import annotations

import re
from collections import Counter

from lumber_core.spans import Span
from lumber_core.text.lines.columns import PART_LINES, Lines, shares
from lumber_core.text.lines.tables import html_rows, outside

_QUOTED = re.compile(r'"[^"]*"')  # commas inside do not separate fields
_DATED = re.compile(r"[\[(]?(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d:\d\d)")
_DATED_FIRSTS = frozenset("[(0123456789")
_MIN_ROWS, _MIN_DATES = 3, 2  # in a table; in a log
_MIN_SHARE_OF_ROWS, _MIN_SHARE_OF_LOG = 0.7, 0.6  # rows with as many fields; lines in a log
_MAX_ENTRY_CHARACTERS = 250


def rows_of(text: str) -> list[Span]:
    """Return the rows of tables in a text, ascending: lines, records, and rows of HTML."""
    lines = Lines(text)
    starts = [*lines.starts, len(text)]
    inside = [row.span for row in html_rows(text)]
    rows = [Span(starts[number], starts[number + 1]) for number in find_rows(lines)[0]]
    edges = {*outside((row.start for row in sorted(rows)), inside)}
    return sorted([*inside, *(row for row in rows if row.start in edges)])


def find_rows(lines: Lines) -> tuple[set[int], set[int]]:
    """Return the rows of tables and logs, and the lines that continue a dated entry."""
    entries, dated_rows = _dated_entries(lines)
    return _rows_of_tables(lines) | dated_rows, entries


def _rows_of_tables(lines: Lines) -> set[int]:
    runs: list[list[int]] = []  # of lines that may have several fields
    for number, body in enumerate(lines.bodies):
        commas = body.count(",")
        if (
            (commas > 1 and commas > body.count(", ") + 1)
            or "\t" in body
            or "|" in body
            or ";" in body
        ):
            if runs and runs[-1][-1] == number - 1 and not lines.blank[number]:
                runs[-1].append(number)
            else:
                runs.append([number])
    rows: set[int] = set()
    for run in runs:
        if len(run) >= _MIN_ROWS:
            ((fields, alike),) = Counter(_fields(lines.bodies[n]) for n in run).most_common(1)
            rows.update(run if fields > 1 and alike >= _MIN_SHARE_OF_ROWS * len(run) else ())
    return rows


def _fields(body: str) -> int:
    """Return the number of field separators in a line, tabs twice; commas of prose do not count."""
    bare = _QUOTED.sub("", body)
    commas = bare.count(",") - bare.count(", ")
    return commas + 2 * bare.count("\t") + bare.count("|") + bare.count(";")


def _dated_entries(lines: Lines) -> tuple[set[int], set[int]]:
    """Return the lines that continue a dated entry, and the rows of logs."""
    bodies, blank = lines.bodies, lines.blank
    dated = {
        number
        for number, first in enumerate(lines.firsts)
        if first in _DATED_FIRSTS and _DATED.match(bodies[number])
    }
    entries: set[int] = set()
    if len(dated) < _MIN_DATES:
        return entries, set()
    for number in dated:
        further = number + 1
        while further < len(bodies) and further not in dated and not blank[further]:
            entries.add(further)
            further += 1
    in_log = shares(number in dated or number in entries for number in range(len(bodies)))
    rows = {
        number
        for number in dated
        if len(bodies[number]) <= _MAX_ENTRY_CHARACTERS
        and in_log[number // PART_LINES] >= _MIN_SHARE_OF_LOG
        # Not in a diary, whose entries are wrapped.
        and not (number + 1 in entries and bodies[number + 1][0].islower())
    }
    return entries, rows
