"""Rows of tables and of logs, and header rows: of separated values, Markdown and HTML."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from lumber_core.spans import Span, outside
from lumber_core.text.lines.columns import PART_LINES, SEPARATORS, Lines, shares

# What may be before the records of a file: Excel states the separator in a line of its own.
_BEFORE_RECORDS = re.compile("\ufeff?(?:sep=.[\r\n]+)?", re.IGNORECASE)
_SAMPLE_RECORDS = 20  # read to distinguish a header from a record
_MAX_NAME_CHARACTERS = 80  # characters in the name of a column
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_MARKDOWN_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_TAG = re.compile(r"<(/?)(?:(table)|tr)\b[^<>]*>", re.IGNORECASE)
_HEAD_END = re.compile(r"</thead[^<>]*>", re.IGNORECASE)
_MAX_HEADER_ROWS = 3  # of a table in HTML; a table may consist of header cells alone
_ROW_END = re.compile(r"</tr[^<>]*>", re.IGNORECASE)
_FIRST_CELL = re.compile(r"\s*<t[dh]\b", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^<>]*>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]*>")
_QUOTED = re.compile(r'"[^"]*"')  # commas inside do not separate fields
_DATED = re.compile(r"[\[(]?(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d:\d\d)")
_DATED_FIRSTS = frozenset("[(0123456789")
_MIN_ROWS, _MIN_DATES = 3, 2  # rows of a table; lines with a date in a log
# Share of rows with the same number of fields in a table; share of lines with a date in a log.
_MIN_SHARE_OF_ROWS, _MIN_SHARE_OF_LOG = 0.7, 0.6
_MAX_ENTRY_CHARACTERS = 250  # characters in a line of a log; longer lines are prose with a date


def without_bars(text: str) -> str:
    """Return a text with the rows of Markdown tables as words, for embedding.

    Bars and the dashes below a header move a row's vector away from the vector of its words.
    """

    def cells_alone(row: re.Match[str]) -> str:
        return "" if _RULE.fullmatch(row[0]) else " ".join(row[0].replace("|", " ").split())

    return _MARKDOWN_ROW.sub(cells_alone, text) if "|" in text else text


def has_rows(text: str) -> bool:
    """Return whether a text has a row of a Markdown table."""
    return "|" in text and _MARKDOWN_ROW.search(text) is not None


def find_header(text: str) -> Span:
    """Return the first record that names columns, or an empty span at 0.

    It names columns if it has at least two cells, most records have no more, and all its cells are
    short names, not numbers, that do not occur below. Two columns may share a name. An empty
    column and the first column may lack a name. Readers that drop the header join cells by ", " (as
    LlamaIndex's): if there is a space after each comma, a header needs numbers below it. Records
    with fewer cells, and comments, may be above a header. If a record above has two cells or more,
    the header needs numbers below it.
    """
    headers = [(0, Span(0, 0))]
    for separator in SEPARATORS:
        records, spans = _first_records(text, separator)
        most_cells = 0  # in a record above
        for number, (first, span) in enumerate(zip(records, spans, strict=True)):
            cells = sum(map(bool, first))
            is_comment = first[0].startswith("#")
            is_prose = is_comment and first[0] != "#" and any(cell[:1] == " " for cell in first)
            below = records[number + 1 :]
            if cells > most_cells and not is_prose and _is_header(first, below, most_cells > 1):
                headers.append((len(first), span))
                break
            most_cells = most_cells if is_comment else max(most_cells, cells)
    return max(headers)[1]


def _first_records(text: str, separator: str) -> tuple[list[list[str]], list[Span]]:
    """Return some records, and their places."""
    before = _BEFORE_RECORDS.match(text)
    start = position = before.end() if before else 0

    def lines() -> Iterator[str]:
        nonlocal position
        for match in _LINE.finditer(text, position):
            position = match.end()
            yield match.group()

    records: list[list[str]] = []
    spans: list[Span] = []
    try:
        for record in csv.reader(lines(), delimiter=separator):
            if any(map(str.strip, record)):
                records.append(record)
                spans.append(Span(start, position))
            start = position
            if len(records) > _SAMPLE_RECORDS:
                break
    except csv.Error:
        pass  # a quote that is never closed: the records before it count
    return records, spans


def _is_header(
    first: Sequence[str], below: Sequence[Sequence[str]], needs_numbers: bool = False
) -> bool:
    """Return whether a record names the columns of the records below, which may need numbers."""
    width = len(first)
    below = [row for row in below if row != first]  # joined files repeat the header
    fitting = [row for row in below if len(row) > 1 and not any(row[width:])]
    if width < 2 or not below or 2 * len(fitting) <= len(below):
        return False
    names = [cell.strip() for cell in first]
    if not any(names[1:]) or len({*names}) < 2 or max(map(len, names)) > _MAX_NAME_CHARACTERS:
        return False
    columns = [[row[n] if n < len(row) else "" for row in fitting] for n in range(width)]
    for number, (name, column) in enumerate(zip(names, columns, strict=True)):
        is_year = _YEAR.fullmatch(name) and not all(map(_YEAR.fullmatch, column))
        is_repeated = name != "" and name in column
        is_unnamed = not name and any(column) and number > 0  # the first may number the rows
        if (_is_value(name) and not is_year) or is_repeated or is_unnamed:
            return False
    with_numbers = any(
        any(column) and all(map(_is_value, filter(None, column))) for column in columns
    )
    return with_numbers or (names == [*first] and not needs_numbers)


def _is_value(cell: str) -> bool:
    """Return whether a cell is a number, a date or an amount."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


class HtmlRow(NamedTuple):
    """A row of a table in HTML: from the start of its line or tag to the next row or its end.

    Its number in the table begins at 0.
    """

    span: Span
    number: int


def html_rows(text: str, start: int = 0, stop: int | None = None) -> list[HtmlRow]:
    """Return the rows of tables in HTML in a range, ascending; tables in cells are not read."""
    rows: list[HtmlRow] = []
    begin = -1  # where the open row begins
    number = inner = 0  # the next row, and how many tables are open inside a row
    for tag in _TAG.finditer(text, start, len(text) if stop is None else stop):
        ends, is_table = bool(tag[1]), bool(tag[2])
        if begin >= 0 and is_table and (inner or not ends):
            inner += -1 if ends else 1
        elif not inner:
            if begin >= 0:
                end = tag.end() if ends and not is_table else tag.start()
                rows.append(HtmlRow(Span(begin, end), number))
                begin, number = -1, number + 1
            if is_table:
                number = 0
            elif not ends and _FIRST_CELL.match(text, tag.end()):
                begin = tag.start()
                line = begin
                while line > start and text[line - 1] in " \t":
                    line -= 1
                begin = line if line == start or text[line - 1] in "\r\n" else begin
                if number and rows:
                    rows[-1] = rows[-1]._replace(span=Span(rows[-1].span.start, begin))
    return rows


def html_header(text: str, rows: Sequence[HtmlRow]) -> Span:
    """Return the first rows of a table in HTML that name columns, otherwise an empty span."""
    first, *below = [
        [" ".join(_ANY_TAG.sub(" ", cell).split()) for cell in _CELL.split(span.of(text))[1:]]
        for span, _ in rows[: _SAMPLE_RECORDS + 1]
    ]
    head = _HEAD_END.search(text, rows[0].span.start, rows[-1].span.end)
    stop = head.start() if head else 0
    heads = takewhile(
        lambda row: row.span.start < stop or "<td" not in row.span.of(text).casefold(),
        [row for n, row in enumerate(rows[:_MAX_HEADER_ROWS]) if row.number == n],
    )
    spans = [row.span for row in heads] or [rows[0].span] * _is_header(first, below)
    end = _ROW_END.search(text, *spans[-1]) if spans else None
    return Span(spans[0].start, end.end() if end else spans[-1].end) if spans else Span(0, 0)


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
    entries, rows = _dated_entries(lines)
    runs: list[list[int]] = []  # of lines that may have several fields
    for number, body in enumerate(lines.bodies):
        commas = body.count(",")
        listed = commas > 1 and commas > body.count(", ") + 1
        if listed or "\t" in body or "|" in body or ";" in body:
            if runs and runs[-1][-1] == number - 1 and not lines.blank[number]:
                runs[-1].append(number)
            else:
                runs.append([number])
    for run in runs:
        if len(run) >= _MIN_ROWS:
            bodies = [_QUOTED.sub("", lines.bodies[number]) for number in run]
            # Separators of fields: tabs twice, and no commas of prose.
            marks = (sum(map(body.count, "|;,\t\t")) - body.count(", ") for body in bodies)
            ((fields, count),) = Counter(marks).most_common(1)
            rows.update(run if fields > 1 and count >= _MIN_SHARE_OF_ROWS * len(run) else ())
    return rows, entries


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
        following = number + 1
        while following < len(bodies) and following not in dated and not blank[following]:
            entries.add(following)
            following += 1
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
