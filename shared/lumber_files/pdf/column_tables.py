"""Finds tables of numbers without drawn lines, such as "Sales  12  14" below "2023  2024"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, takewhile
from math import inf
from operator import attrgetter
from statistics import median
from typing import NamedTuple, TypeVar

from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import TextLine, Word, by_height, divide_words

SIGNS = "$€£¥"
_TOP = attrgetter("top")
SPACE_AT_SIGN = re.compile(rf"(?<=[{SIGNS}]) (?=[^\s\w]*\d|[—-])|(?<=[\d)—-]) (?=%)")
# A year, possibly with a note mark, or two years: "21/20" heads a column of changes.
_YEAR = re.compile(
    r"(?:FY|CY)?\s?(?:19|20)\d\d(?:[-\u2013/]\d{2,4})?[AE]?(?:\^\d|\(\d\))?|\d\d/\d\d"
)
_DATE = re.compile(r"\b(?:19|20)\d\d$")
_ROMAN = re.compile("x{0,3}(?:ix|iv|v?i{1,3}|v|x)")
# A number or a range, or "(X)" or a dagger in place of a number. "(1)" after it marks a note.
_NUMBER = re.compile(
    rf"[({SIGNS}*\u2013\u2212-]*\d(?:[\d.,\u2013]*\d)?[%)*]*|[\u2020\u2021]|\([A-Z]{{1,2}}\)"
)
_MARK = re.compile(r"\(\d\)")
# "12 kg", but not "2 of", nor the header "2Q".
_MEASURE = re.compile(r"[^\w\s]{0,2}\d[\d.,]* ?\W?(?![HQ]\b)[^\W\d_aeiouy]{1,2}")
_MIN_HEADER_GAP = 0.6  # times the font size, between the headers of two columns; a space is a third
_MIN_NUMBER_GAP = 0.4  # times the font size, between two numbers; a space may separate thousands
_MAX_CELL_GAP = 2.0  # points, between a column and its dashes
_MAX_LABEL_LINES = 3  # lines between two rows of a table; as many as rows above, if these are more
_MAX_ROW_DISTANCE = 4.0  # times the font size, between two lines of a table
_MAX_HEADER_DISTANCE = 2.2  # times the font size, between two lines of the headers
_MAX_WIDE_HEADER_DISTANCE = 1.6  # the same in tables with wide rows, times their distance
_MAX_WRAP_DISTANCE = 0.8  # times the distance of rows, between two lines of a label
_SENTENCE_END = re.compile(r"[a-z\d)]{4}\.$")  # matches no "U.S." or "Inc."
_MIN_COLUMNS = 4  # headers 1, 2, 3 and so on; fewer are numbers in a row
_NOTE = re.compile(r"\(.*\)|\[.*\]")  # "(in millions)" in the middle of a page
_MAX_HEADER_WORDS = 8  # words of a header; a longer line is text
_MAX_HEADER_LINES = 40  # headers of many columns have one word per line
_MAX_RULE_DISTANCE = 0.9  # times the font size, from a header of several columns to its rule
# How much farther left and right than numbers headers may extend, times the font size.
_MAX_LEFT_SLACK, _MAX_RIGHT_SLACK = 3.0, 8.0


class _Range(NamedTuple):
    """The left and right ends of a cell or a column, and the text of a cell."""

    left: float
    right: float
    text: str = ""

    @property
    def is_value(self) -> bool:
        """Whether it is a number, also roman or with a unit, or has no letters, such as "$"."""
        text = self.text
        return not text.upper().isupper() or bool(
            _ROMAN.fullmatch(text) or _MEASURE.fullmatch(text)
        )


_Ranges = Sequence[_Range]
_R = TypeVar("_R", _Range, Rule)


def find_column_tables(
    lines: Sequence[TextLine], rules: Sequence[Rule]
) -> Iterator[tuple[Sequence[TextLine], list[list[str]]]]:
    """Yield the lines and the cells of the tables of a page, given its lines in reading order.

    A rule below the header of several columns shows which columns it covers.
    """
    cells = [_cells(line) for line in lines]
    rules = sorted((rule for rule in rules if not rule.upright), key=_TOP)
    start = last = 0
    while start < len(lines):
        rows = _rows_from(lines, cells, start)
        stop = rows[-1] + 1 if rows else start + 1
        while rows and _is_header(cells[rows[0]], least=1):
            del rows[0]
        most = max((sum(c.is_value for c in cells[row][1:]) for row in rows), default=0)
        if len(rows) + most > 2 and (columns := _columns([cells[row][1:] for row in rows])):
            pitch = median([a.base - b.base for a, b in pairwise(lines[rows[0] : stop])] or [0.0])
            edge = max(cells[row][0].right for row in rows)
            first = min(cells[row][0].left for row in rows) + pitch
            inner = [rule for rule in rules if rule.left > first]  # not below the labels
            headers, labels = _headers_above(lines[last : rows[0] + 1], columns, inner, pitch, edge)
            header = _header_row(headers, columns, rules, inner)
            body = [*labels, *lines[rows[0] : stop]]
            signed = any(word.text in SIGNS for row in rows for word in lines[row].words)
            # A single row is a table if each of its columns has a header.
            if all(header[1:]) if len(rows) == 1 else headers or most > 1 or signed:
                yield [*chain(*headers), *body], [header, *_body(body, columns, pitch)]
                last = stop
        start, last = stop, stop if len(rows) > 1 else last


def _cells(line: TextLine, edge: float = inf) -> list[_Range]:
    """Return the cells of a line.

    A cell begins with a currency sign, or with a number after a wider gap than between words. The
    first column of numbers may have an `edge`.
    """
    cells: list[list[Word]] = []
    for words in line.cells:
        for number, word in enumerate(words):
            last = cells[-1][-1] if cells else None
            begins = not number or word.text in SIGNS
            if number and last and word.left - last.right > _MIN_NUMBER_GAP * line.size:
                first = last.right < edge < word.left + _MAX_CELL_GAP
                apart = first or (_NUMBER.fullmatch(last.text) and not _MARK.fullmatch(word.text))
                begins = begins or bool(apart and _NUMBER.fullmatch(word.text))
            if last and (last.text in SIGNS or word.text.strip(")") == "%"):
                begins = _YEAR.fullmatch(last.text) is not None  # "%" is the next header
            if begins:
                cells.append([])
            cells[-1].append(word)
    return [*map(_range_of, cells)]


def _range_of(words: Sequence[Word]) -> _Range:
    text = SPACE_AT_SIGN.sub("", " ".join(word.text for word in words))
    return _Range(words[0].left, words[-1].right, text)


def _is_header(cells: _Ranges, least: int = 2) -> bool:
    """Return whether the numbers of a row are at least `least` years, or count up from 1."""
    values = [cell.text for cell in cells if cell.is_value and cell.text != "%"]
    counts = len(values) >= _MIN_COLUMNS and values == [*map(str, range(1, len(values) + 1))]
    return counts or (len(values) >= least and all(map(_YEAR.fullmatch, values)))


def _rows_from(lines: Sequence[TextLine], cells: Sequence[list[_Range]], start: int) -> list[int]:
    """Return the line numbers of the rows of a table that starts at a line, without label lines."""
    rows: list[int] = []
    edge = 0.0  # where the numbers begin
    for number in range(start, len(lines)):
        line, row = lines[number], cells[number]
        alike = rows[-1:] == [number - 1] and len(row) == len(cells[number - 1]) - 1
        sums = all(c.is_value and c.right > edge for c in row) and not _is_header(row, least=1)
        below = sums and lines[number - 1].base - line.base > line.size / 2
        if alike and below and any(map(str.isdigit, line.text)):
            row.insert(0, _Range(lines[rows[0]].left, lines[rows[0]].left))  # without labels
        values = [cell for cell in row[1:] if cell.is_value]
        is_note = len(row) == 1 and _SENTENCE_END.search(line.text)
        if rows:
            down = lines[rows[-1]].base - line.base
            # A label that wraps may be drawn before the numbers beside its first line.
            drawn = lines[max(rows[0], rows[-1] - _MAX_LABEL_LINES) : rows[-1] + 1]
            wrapped = [o.base for o in drawn if abs(o.left - line.left) < line.size]
            low = min([lines[rows[-1]].base, *wrapped])
            far = low - line.base > (number - rows[-1]) * _MAX_ROW_DISTANCE * lines[rows[-1]].size
            if down <= 0 or far or number - rows[-1] > max(_MAX_LABEL_LINES, len(rows)) + 1:
                break
        if values and not (rows and _is_header(cells[number])):
            rows.append(number)
            edge = max(edge, values[0].left)
        elif values or not rows or line.right > edge or is_note:
            break
    return rows


def _columns(rows: Sequence[_Ranges]) -> list[_Range]:
    """Return the columns after the labels; none if two cells of a row are in one column."""
    values = [cell for row in rows for cell in row if cell.is_value]
    others = [cell for row in rows for cell in row if not cell.is_value]
    for gap in (_MAX_CELL_GAP, 0.0):
        columns = join_near(values, gap)
        columns = sorted([*columns, *join_near(c for c in others if _place(c, columns) is None)])
        places = [[_place(cell, columns) for cell in row] for row in rows]
        if all(len(set(row)) == len(row) for row in places):
            return columns
    return []


def join_near(ranges: Iterable[_R], gap: float = 0.0) -> list[_R]:
    """Join ranges that overlap or are closer than a gap."""
    joined: list[_R] = []
    for one in sorted(ranges):
        if joined and one.left < joined[-1].right + gap:
            joined[-1] = joined[-1]._replace(right=max(joined[-1].right, one.right))
        else:
            joined.append(one)
    return joined


def _overlap(one: _Range, other: _Range) -> float:
    return min(one.right, other.right) - max(one.left, other.left)


def _place(cell: _Range, columns: _Ranges) -> int | None:
    """Return the number of the column that contains most of a cell, or None."""
    place = max(range(len(columns)), key=lambda number: _overlap(cell, columns[number]))
    return place if _overlap(cell, columns[place]) > 0 else None


def _body(lines: Sequence[TextLine], columns: _Ranges, pitch: float) -> Iterator[list[str]]:
    """Yield the rows of a table; lines of one label are joined."""
    last: list[str] = []
    before: TextLine | None = None
    for line in lines:
        row = [""] * (len(columns) + 1)
        for nth, cell in enumerate(_cells(line, edge=columns[0].left)):
            place = _place(cell, columns)
            is_label = not nth and cell.left < columns[0].left - line.size
            number = 0 if place is None or is_label else place + 1
            row[number] = f"{row[number]} {cell.text}".strip()
        close = before is not None and before.base - line.base < _MAX_WRAP_DISTANCE * pitch
        wraps = close or (row[0][:1].islower() and last and last[0])
        if wraps and not (any(last[1:]) and any(row[1:])):
            row = [f"{last[0]} {row[0]}".strip(), *(last[1:] if any(last[1:]) else row[1:])]
        elif last:
            yield last
        last, before = row, line
    yield last


def _headers_above(
    lines: Sequence[TextLine], columns: _Ranges, rules: Sequence[Rule], pitch: float, edge: float
) -> tuple[list[list[TextLine]], list[TextLine]]:
    """Return the levels of headers above the last line, and the label lines below the headers.

    The labels of the rows end at an `edge`.
    """
    row, levels, headed = lines[-1], list[list[TextLine]](), list[int]()
    before = lines[-1 - _MAX_HEADER_LINES : -1][::-1]
    top = row.base
    for level in by_height(takewhile(lambda line: line.base > row.base, before))[::-1]:
        size = max(line.size for line in (row, *level))
        beside, over = _headers(level, columns, rules)
        far = max(_MAX_HEADER_DISTANCE * size, _MAX_WIDE_HEADER_DISTANCE * pitch)
        if len(over) in (0, len(columns)):
            far *= 2  # a blank line may be between
        is_note = len(over) == 1 < len(columns) and _NOTE.fullmatch(over[0].text) is not None
        is_text = _is_long(level[0]) and level[0].text[-1] == ":"
        if level[-1].base - top > far or (headed and (is_text or (is_note and not beside))):
            break
        top = level[0].base
        if over and (
            any(_is_long(o) and o.left < edge and columns[0].left < o.right for o in level)
            or over[0].left <= min(edge, columns[0].left - _MAX_LEFT_SLACK * size)
            or over[-1].right >= columns[-1].right + _MAX_RIGHT_SLACK * size
        ):
            ends = [o for o in level if _is_long(o) and levels and o.left <= levels[-1][0].left]
            if ends and levels[-1][0].text[0].islower() and headed[-1:] == [len(levels) - 1]:
                headed.pop()  # the sentence of the line continues there
            break
        headed += [len(levels)] * bool(over and not is_note)
        levels += [level] * (bool(beside) or not is_note)
    lowest, highest = (headed[0], headed[-1]) if headed else (0, -1)
    labels = [line for level in levels[:lowest][::-1] for line in level]
    return levels[lowest : highest + 1][::-1], labels


def _headers(
    level: Sequence[TextLine], columns: _Ranges, rules: Sequence[Rule]
) -> tuple[list[_Range], list[_Range]]:
    """Return the cells of a level above the labels, and the cells above columns."""
    gaps = [_MIN_HEADER_GAP * line.size * (1 + 0.8 * line.fixed) for line in level]
    words = (line.words for line in level)
    cells = sorted(map(_range_of, chain(*map(divide_words, words, gaps))))
    slack = _MAX_LEFT_SLACK * level[0].size  # a year may be above a currency sign
    below = [] if _is_long(level[0]) else _rules_below(level[0], rules)
    groups = [_above(rule, cells) for rule in below if rule.right > columns[0].left]
    alone = [group[0] for group in groups if len(group) == 1]
    ends = [columns[0].left - slack * bool(_YEAR.fullmatch(cell.text)) for cell in cells]
    left = [c.right <= end and c not in alone for c, end in zip(cells, ends, strict=True)]
    return cells[: sum(left)], cells[sum(left) :]


def _is_long(line: TextLine) -> bool:
    return len(line.cells) < 3 and len(line.cells[-1]) > _MAX_HEADER_WORDS  # a label may be first


def _above(rule: _Range, cells: _Ranges) -> list[_Range]:
    return [c for c in cells if rule.left < (c.left + c.right) / 2 < rule.right]


def _rules_below(line: TextLine, rules: Sequence[Rule]) -> list[_Range]:
    """Return the rules just below headers."""
    ends = line.base - _MAX_RULE_DISTANCE * line.size, line.base
    first, last = (bisect_left(rules, end, key=_TOP) for end in ends)
    return [_Range(rule.left, rule.right) for rule in rules[first:last]]


def _header_row(
    levels: Sequence[list[TextLine]], columns: _Ranges, rules: Sequence[Rule], inner: Sequence[Rule]
) -> list[str]:
    """Return the headers of columns; a header of several columns is repeated in each column."""
    row = [""] * (len(columns) + 1)
    columns = [*columns]
    for level in levels[::-1]:
        beside, over = _headers(level, columns, inner)
        places = [range(1)] * len(beside)
        lower = row[1:] if level is not levels[-1] else []
        ranges = _columns_below(over, level[0], columns, rules, lower)
        for cell, covered in zip(over, ranges, strict=True):
            # Text in the headers of all columns is kept once: a row's context has few words.
            common = len(covered) == len(columns) > 1
            places.append(range(1) if common else range(covered.start + 1, covered.stop + 1))
            if len(covered) == 1:  # the headers above have the same width
                left, right, _ = columns[covered.start]
                columns[covered.start] = _Range(min(left, cell.left), max(right, cell.right))
        for cell, numbers in [*zip([*beside, *over], places, strict=True)][::-1]:
            for number in numbers:
                row[number] = f"{cell.text} {row[number]}".strip()
    return row


def _columns_below(
    cells: _Ranges, line: TextLine, columns: _Ranges, rules: Sequence[Rule], lower: Sequence[str]
) -> list[range]:
    """Return the columns of each header of a level: above the same rule, or around the header.

    If the columns have `lower` headers, a header in the middle of several columns covers all of
    them if it is above a rule, extends into the columns beside its own or ends with a year, or if
    their lower headers differ only in the year.
    """
    places, spreads, below = [], [], _rules_below(line, rules)
    for cell in cells:
        wide = cell
        for rule in below:
            # The rule is below this header alone; each of its columns may have a piece of the rule.
            if _above(rule, cells) in ([], [cell]) and _overlap(cell, rule) > 0:
                wide = _Range(min(wide.left, rule.left), max(wide.right, rule.right))
        shifts = [_shift(cell, range(n, n + 1), columns) for n in range(len(columns))]
        over = [n for n, c in enumerate(columns) if 2 * _overlap(c, wide) > c.right - c.left]
        over = over or [shifts.index(min(shifts))]
        places.append(range(over[0], over[-1] + 1))
        reached = {n for n, column in enumerate(columns) if _overlap(column, cell) > 0}
        most = len(columns) // len(cells) if _DATE.search(cell.text) else 0
        apart = wide is cell and not {over[0] - 1, over[-1] + 1} <= reached
        spreads.append(most if apart else len(columns))
    # Headers may begin at the left of their columns, and numbers end at the right. Headers above
    # the same lower headers, as years may be, cover equally many columns, anywhere above them.
    width = len(columns) // max(1, len(cells))
    differ = 1 < len(cells) == len({cell.text for cell in cells}) and all(lower)
    repeated = differ and lower and [*lower] == [*lower[:width]] * len(cells)
    if repeated or len(cells) == len(columns) > len({place.start for place in places}):
        rights = [-inf, *(column.right for column in columns[width - 1 :: width])]
        lefts = [*(column.left for column in columns[width::width]), inf]
        gaps = zip(rights, cells, lefts, strict=False)
        if all(left < cell.left and cell.right < right for left, cell, right in gaps):
            return [range(n, n + width) for n in range(0, len(columns), width)]
    for number, cell in enumerate(cells):
        covered = places[number]
        low = max((p.stop for p in places if p.stop <= covered.start), default=0)
        high = min((p.start for p in places if p.start >= covered.stop), default=len(columns))
        ends = (
            (n, m) for n in range(low, covered.start + 1) for m in range(covered.stop, high + 1)
        )
        wider = {(n, m): _shift(cell, range(n, m), columns) for n, m in ends}
        even = [w for w in wider if lower and wider[w] < line.size]
        even = [(n, m) for n, m in even if m - n <= spreads[number] or _differ_in_year(lower[n:m])]
        column = columns[covered.start]
        if cell.left > column.left and abs(cell.right - column.right) < line.size / 2:
            wider[covered.start, covered.stop] = 0.0  # right-aligned, like numbers
        one_sided = [w for w in wider if covered.start == w[0] or covered.stop == w[1]]
        places[number] = range(*even[0] if even else min(one_sided, key=wider.__getitem__))
    return places


def _differ_in_year(headers: Sequence[str]) -> bool:
    """Return whether each header differs from other headers only in the year."""
    others = [_DATE.sub("", header) for header in headers]
    return all(map(_DATE.search, headers)) and all(others.count(name) > 1 for name in others)


def _shift(cell: _Range, numbers: range, columns: _Ranges) -> float:
    """Return the distance from the middle of a header to the middle of columns."""
    left, right = columns[numbers[0]].left, columns[numbers[-1]].right
    return abs(cell.left + cell.right - left - right) / 2
