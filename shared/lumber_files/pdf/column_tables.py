"""Finds tables that are drawn without lines: rows whose numbers stand under heads of columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import TextLine, Word

_SIGNS = "$€£¥"
_YEAR = re.compile(r"(?:FY|CY)?\s?(?:19|20)\d\d[AE]?")
_HEAD_GAP = 0.6  # times the size, between the heads of two columns; a space is a third
_MAX_LABEL_LINES = 3  # between two rows of a table, such as "Revenues"
_MAX_LABEL_WORDS = 20  # longer lines are text
_MAX_ROW_DISTANCE = 4.0  # times the size
_MAX_HEAD_DISTANCE = 2.2  # times the size, between two lines of the heads
_MAX_WIDE_ROWS = 1.6  # times the distance of rows, from the heads to the first
_MAX_WRAP_DISTANCE = 0.8  # times the distance of rows, between two lines of a label
_NOTE = re.compile(r"\(.*\)")  # "(in millions)" in the middle of a page
_MAX_HEAD_SLACK = (
    3.0,
    8.0,
)  # times the size, by which heads reach farther left and right than numbers
_MAX_HEAD_LINES = 24  # the heads of many columns are a line for each word
_MAX_RULE_DISTANCE = 0.9  # times the size, from the head of several columns to the line below


@dataclass(eq=False)
class ColumnTable:
    """A table.

    Attributes:
        lines: Those that it is made of.
        cells: Their text; the first row has the heads of the columns.
    """

    lines: list[TextLine] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)


@dataclass(eq=False)
class _Cell:
    words: list[Word]

    @property
    def left(self) -> float:
        return self.words[0].left

    @property
    def right(self) -> float:
        return self.words[-1].right

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def is_value(self) -> bool:
        """Whether it is a number, a dash or a sign, as in a column of numbers."""
        return not any(word.text.upper().isupper() for word in self.words)


def find_column_tables(lines: Sequence[TextLine], rules: Sequence[Rule]) -> Iterator[ColumnTable]:
    """Yield the tables of a page.

    Args:
        lines: Its lines, in reading order.
        rules: The lines drawn on it. One below the head of several columns shows which these are.
    """
    cells = [_cells(line) for line in lines]
    start = 0
    while start < len(lines):
        rows = _rows_from(lines, cells, start)
        stop = rows[-1] + 1 if rows else start + 1
        while rows and _is_head(cells[rows[0]], least=1):
            del rows[0]
        if len(rows) > 1 and (columns := _columns([cells[row] for row in rows])):
            table = _make_table(lines, rows, columns, rules)
            if table is not None:
                yield table
        start = stop


def _cells(line: TextLine) -> list[_Cell]:
    """Return the cells of a line, with a sign of a currency before its number."""
    cells: list[_Cell] = []
    for words in line.cells:
        for word in words:
            sign = word.text in _SIGNS
            if word is words[0] or sign:
                before = cells[-1].words[-1].text if cells else ""
                if (before in _SIGNS and before) or (word.text.strip(")") == "%" and cells):
                    cells[-1].words.append(word)
                else:
                    cells.append(_Cell([word]))
            else:
                cells[-1].words.append(word)
    return cells


def _is_row(cells: Sequence[_Cell]) -> bool:
    return any(cell.is_value for cell in cells[1:])


def _is_head(cells: Sequence[_Cell], least: int = 2) -> bool:
    """Return whether all numbers of a row are years, and are as many as there must be."""
    values = [cell for cell in cells if cell.is_value]
    return len(values) >= least and all(_YEAR.fullmatch(cell.text) for cell in values)


def _rows_from(
    lines: Sequence[TextLine], cells: Sequence[Sequence[_Cell]], start: int
) -> list[int]:
    """Return the numbers of the rows of a table that starts at a line, without labels between."""
    rows: list[int] = []
    edge = 0.0  # where the numbers begin
    for number in range(start, len(lines)):
        line = lines[number]
        if rows:
            last = lines[rows[-1]]
            down = last.base - line.base
            far = down > (number - rows[-1]) * _MAX_ROW_DISTANCE * last.size
            if down <= 0 or far or number - rows[-1] > _MAX_LABEL_LINES + 1:
                break
        if _is_row(cells[number]):
            if rows and _is_head(cells[number]):
                break
            rows.append(number)
            edge = max(edge, next(cell.left for cell in cells[number][1:] if cell.is_value))
        elif not rows or line.right > edge or len(line.words) > _MAX_LABEL_WORDS:
            break
    return rows


def _columns(rows: Sequence[Sequence[_Cell]]) -> list[tuple[float, float]]:
    """Return the left and right ends of the columns behind the labels; none if rows disagree."""
    numbers = [cell for row in rows for cell in row[1:] if cell.is_value]
    columns = _union([(cell.left, cell.right) for cell in numbers])
    others = [cell for row in rows for cell in row[1:] if not cell.is_value]
    free = [(cell.left, cell.right) for cell in others if _place(cell, columns) is None]
    columns = sorted([*columns, *_union(free)])
    for row in rows:
        places = [_place(cell, columns) for cell in row[1:]]
        if len(set(places)) < len(places):
            return []
    return columns


def _union(ranges: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the ranges that overlapping ones make together."""
    union: list[tuple[float, float]] = []
    for left, right in sorted(ranges):
        if union and left < union[-1][1]:
            union[-1] = union[-1][0], max(union[-1][1], right)
        else:
            union.append((left, right))
    return union


def _place(cell: _Cell, columns: Sequence[tuple[float, float]]) -> int | None:
    """Return the number of the column in which most of a cell is, None if it is in none."""
    widths = [min(cell.right, right) - max(cell.left, left) for left, right in columns]
    place = max(range(len(columns)), key=widths.__getitem__)
    return place if widths[place] > 0 else None


def _make_table(
    lines: Sequence[TextLine],
    rows: Sequence[int],
    columns: Sequence[tuple[float, float]],
    rules: Sequence[Rule],
) -> ColumnTable | None:
    """Return the table of rows, with the heads above them; None if it has one column without."""
    lines_between = lines[rows[0] : rows[-1] + 1]
    pitch = median(line.base - after.base for line, after in pairwise(lines_between))
    heads, labels = _heads_above(lines, rows[0], columns, pitch)
    numbers = sum(cell.is_value for cell in max(map(_cells, lines_between), key=len)[1:])
    if not heads and numbers < 2:
        return None
    table = ColumnTable([*heads, *labels, *lines_between])
    table.cells.append(_head_row(heads, labels, columns, rules))
    lowest = min((line.base for line in heads), default=0.0)
    body = [line for line in labels if line.base < lowest - line.size / 2]
    before: TextLine | None = None
    for line in [*body, *lines_between]:
        row = [""] * (len(columns) + 1)
        for cell in _cells(line):
            place = _place(cell, columns)
            number = 0 if place is None or cell.left < columns[0][0] - line.size else place + 1
            row[number] = f"{row[number]} {cell.text}".strip()
        last = table.cells[-1]
        close = before is not None and before.base - line.base < _MAX_WRAP_DISTANCE * pitch
        if before is not None and (close or row[0][:1].islower()) and row[0] and last[0]:
            if not any(last[1:]):
                row[0] = f"{table.cells.pop()[0]} {row[0]}"
            elif not any(row[1:]):
                row = [f"{last[0]} {row[0]}", *table.cells.pop()[1:]]
        table.cells.append(row)
        before = line
    return table


def _heads_above(
    lines: Sequence[TextLine], first: int, columns: Sequence[tuple[float, float]], pitch: float
) -> tuple[list[TextLine], list[TextLine]]:
    """Return the lines with heads of columns above a row, and those with labels alone."""
    heads: list[TextLine] = []
    labels: list[TextLine] = []
    top = lines[first].base
    for line in lines[max(0, first - _MAX_HEAD_LINES) : first][::-1]:
        far = max(_MAX_HEAD_DISTANCE * line.size, _MAX_WIDE_ROWS * pitch)
        note = len(line.cells) == 1 and _NOTE.fullmatch(line.text) and line.right > columns[0][0]
        if line.base <= lines[first].base or line.base - top > far or (note and heads):
            break
        if note:
            continue
        before, behind = (slack * line.size for slack in _MAX_HEAD_SLACK)
        cells = [cell for cell in _head_cells(line) if cell.right > columns[0][0]]
        if not cells:
            labels.append(line)
        elif cells[0].left > columns[0][0] - before and cells[-1].right < columns[-1][1] + behind:
            heads.append(line)
        else:
            break
        top = max(top, line.base)
    highest = max((line.base for line in heads), default=0.0)
    return heads[::-1], [line for line in labels[::-1] if line.base < highest + line.size / 2]


def _head_cells(line: TextLine) -> list[_Cell]:
    cells = [_Cell([line.words[0]])]
    for before, word in pairwise(line.words):
        if word.left - before.right > _HEAD_GAP * line.size:
            cells.append(_Cell([word]))
        else:
            cells[-1].words.append(word)
    return cells


def _head_row(
    heads: Sequence[TextLine],
    labels: Sequence[TextLine],
    columns: Sequence[tuple[float, float]],
    rules: Sequence[Rule],
) -> list[str]:
    """Return the heads of columns; one of several columns is repeated in each of them."""
    row = [""] * (len(columns) + 1)
    lowest = min((line.base for line in heads), default=0.0)
    above = [line for line in labels if line.base >= lowest - line.size / 2]
    levels: list[list[TextLine]] = []
    for line in sorted([*heads, *above], key=lambda line: -line.base):
        if levels and levels[-1][0].base - line.base < line.size / 2:
            levels[-1].append(line)
        else:
            levels.append([line])
    for level in levels:
        cells = sorted((c for line in level for c in _head_cells(line)), key=lambda c: c.left)
        over = [cell for cell in cells if cell.right > columns[0][0]]
        for cell in cells:
            if cell not in over:
                row[0] = f"{row[0]} {cell.text}".strip()
        places = _columns_below(over, level[0], columns, rules, several=level is not levels[-1])
        for cell, numbers in zip(over, places, strict=True):
            # What all columns have in common is said once: a row's context has few words.
            common = len(numbers) == len(columns) > 1
            for number in [0] if common else [number + 1 for number in numbers]:
                row[number] = f"{row[number]} {cell.text}".strip()
    return row


def _columns_below(
    cells: Sequence[_Cell],
    line: TextLine,
    columns: Sequence[tuple[float, float]],
    rules: Sequence[Rule],
    *,
    several: bool,
) -> list[list[int]]:
    """Return the columns of each head of a row: those above the same drawn line, or around it.

    Args:
        cells: The heads.
        line: A line of the row.
        columns: Their ends.
        rules: What is drawn.
        several: Whether there are heads below, so that one may be that of several columns.
    """
    places: list[list[int]] = []
    underlined = set[int]()
    for number, cell in enumerate(cells):
        left, right = cell.left, cell.right
        middle = (left + right) / 2
        for rule in rules:
            near = 0 < line.base - rule.top < _MAX_RULE_DISTANCE * line.size
            over = [c for c in cells if rule.left < (c.left + c.right) / 2 < rule.right]
            if near and not rule.upright and over == [cell]:  # not one below all heads
                left, right = min(left, rule.left), max(right, rule.right)
                underlined.add(number)
        below = [
            place
            for place, column in enumerate(columns)
            if min(column[1], right) - max(column[0], left) > (column[1] - column[0]) / 2
        ]
        nearest = min(range(len(columns)), key=lambda n: abs(sum(columns[n]) / 2 - middle))
        places.append(below or [nearest])
    taken = {number for numbers in places for number in numbers}
    for number, (cell, numbers) in enumerate(zip(cells, places, strict=True)):
        # What stands over a line below the second and third of four is above them all.
        while several and number in underlined:
            ends = {numbers[0] - 1, numbers[-1] + 1}
            wider = [*range(min(ends), max(ends) + 1)]
            free = not ends & taken and min(ends) >= 0 and max(ends) < len(columns)
            if not free or _shift(cell, wider, columns) > line.size:
                break
            numbers[:] = wider
            taken |= ends
        for step in (-1, 1):
            end = numbers[0] if step < 0 else numbers[-1]
            while 0 <= (end := end + step) < len(columns) and end not in taken:
                wider = sorted([*numbers, end])
                if _shift(cell, wider, columns) >= _shift(cell, numbers, columns):
                    break
                numbers[:] = wider
                taken.add(end)
    return places


def _shift(cell: _Cell, numbers: Sequence[int], columns: Sequence[tuple[float, float]]) -> float:
    """Return how far the middle of a head is from that of columns."""
    left, right = columns[numbers[0]][0], columns[numbers[-1]][1]
    return abs(cell.left + cell.right - left - right) / 2
