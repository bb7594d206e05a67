"""Finds the cells of a PDF's tables: between lines that are drawn, or in columns of numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lumber_files.pdf_lines import TextLine, Word

_NEAR = 3.0  # points; lines that are nearer are one
_MOST = 0.6  # of a table's height or width; cells that go over several rows or columns lack some


_NUMBERS = 0.6  # of the cells of a table without lines; prose in columns has fewer
_TITLE = 4  # words on a line of a column's title
_UNIT = re.compile(r"[^\w\s]?[$€£¥₹]|[(]")  # stands in a column of its own before its number
_NUMBER = re.compile(r"[^\w]*\d[\d.,]*\W*|\W+|[xX]|n/?[am]", re.IGNORECASE)
_DATE = re.compile(r"(?:19|20)\d\d|\b[A-Z][a-z]+\.? \d{1,2}\b|\bQ[1-4]\b")


class Rule(NamedTuple):
    """A drawn line, as thin as it may be; lengths in points, from the lower left of the page."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def upright(self) -> bool:
        """Whether it goes up, and not to the right."""
        return self.top - self.bottom > self.right - self.left


class Grid:
    """The places between lines that are drawn around cells."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._upright = [rule for rule in rules if rule.upright]
        self._level = [rule for rule in rules if not rule.upright]
        self._lefts = _places(rule.left for rule in self._upright)
        # A row that goes on on the next page has no line below.
        ends = (place for rule in self._upright for place in (rule.bottom, rule.top))
        self._bases = _places([*(rule.bottom for rule in self._level), *ends])

    def fill(self, lines: Sequence[Sequence[Word]]) -> tuple[set[int], list[list[str]]] | None:
        """Return which lines are in cells, and the texts of the cells, by rows.

        None if there are no two rows and two columns, or a line is cut by the lines that are drawn:
        they are underlines and frames then. A line end in a cell is kept.
        """
        if min(len(self._lefts), len(self._bases)) < 3 or not self._is_closed():
            return None
        cells = [[""] * (len(self._lefts) - 1) for _ in self._bases[1:]]
        inside: set[int] = set()
        for number, words in enumerate(lines):
            last = None
            for word in words:
                place = self._cell((word.left + word.right) / 2, word.base + word.size / 4)
                if (place is None) != (last is None) and word is not words[0]:
                    return None
                if place is not None:
                    row, column = place
                    between = " " if place == last else "\n" if cells[row][column] else ""
                    cells[row][column] += between + word.text.replace("|", "\\|")
                    inside.add(number)
                last = place
        rows = [row for row in cells if any(row)]
        columns = [column for column in zip(*rows, strict=True) if any(column)]
        if len(rows) < 2 or len(columns) < 2:
            return None
        return inside, [list(row) for row in zip(*columns, strict=True)]

    def _is_closed(self) -> bool:
        upright, level = [0.0] * len(self._lefts), [0.0] * len(self._bases)
        for rule in self._upright:
            upright[bisect_right(self._lefts, rule.left + _NEAR) - 1] += rule.top - rule.bottom
        for rule in self._level:
            level[bisect_right(self._bases, rule.bottom + _NEAR) - 1] += rule.right - rule.left
        height, width = self._bases[-1] - self._bases[0], self._lefts[-1] - self._lefts[0]
        return min(upright) > _MOST * height and min(level[1:-1]) > _MOST * width

    def _cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the row and the column of a point; of a cell over several columns, the first."""
        column = bisect_right(self._lefts, x) - 1
        row = len(self._bases) - 1 - bisect_right(self._bases, y)
        if not (0 <= column < len(self._lefts) - 1 and 0 <= row < len(self._bases) - 1):
            return None
        while column and not self._is_drawn(self._lefts[column], y):
            column -= 1
        return row, column

    def _is_drawn(self, x: float, y: float) -> bool:
        return any(
            abs(rule.left - x) < _NEAR and rule.bottom - _NEAR < y < rule.top + _NEAR
            for rule in self._upright
        )


def grids(rules: Iterable[Rule]) -> Iterator[Grid]:
    """Yield what the lines that touch each other from top to bottom are drawn around."""
    together: list[Rule] = []
    lowest = 0.0
    for rule in sorted(rules, key=lambda rule: -rule.top):
        if together and rule.top < lowest - _NEAR:
            yield Grid(together)
            together = []
        lowest = min(lowest, rule.bottom) if together else rule.bottom
        together.append(rule)
    if together:
        yield Grid(together)


def _places(values: Iterable[float]) -> list[float]:
    ordered = sorted(values)
    return ordered[:1] + [value for before, value in pairwise(ordered) if value - before > _NEAR]


class _Cell(NamedTuple):
    text: str
    left: float
    right: float


def columns_of(lines: Sequence[TextLine]) -> tuple[int, list[list[str]]] | None:
    """Return the first table of rows: how many lines come before it, and its cells by rows.

    None if no line is its header, a column is not sure, or most of the cells are no numbers.
    """
    rows = [[*_cells(line)] for line in lines]
    usual = Counter(len(row) for row in rows if len(row) > 1).most_common(1)[0][0]
    full = [row for row in rows if len(row) == usual]
    columns = [
        (min(cell.left for cell in column), max(cell.right for cell in column))
        for column in zip(*full, strict=True)
    ]
    if any(before[1] >= after[0] for before, after in pairwise(columns)):
        return None
    placed = [_placed(row, columns) for row in rows]
    first = next((n for n, row in enumerate(placed) if row and _is_header(row)), None)
    if first is None:
        return None
    while (below := placed[first + 1 : first + 2]) and below[0] and _is_header(below[0]):
        first += 1
    stop = next((n for n in range(first, len(rows)) if placed[n] is None), len(rows))
    table = [row for row in placed[first:stop] if row]
    filled = [cell for row in table[1:] for cell in row[1:] if cell]
    numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in filled)
    if len(table) < 3 or numbers < _NUMBERS * len(filled):
        return None
    return first, table


def in_columns(line: TextLine, row: TextLine) -> Sequence[Sequence[Word]]:
    """Return the cells of a line whose words stand above each cell of a row but the first."""
    edges = [(cell.left, cell.right) for cell in _cells(row)]
    cells: list[list[Word]] = [[] for _ in edges]
    column = 0
    for word in line.words:
        while column + 1 < len(edges) and word.right > edges[column + 1][0]:
            column += 1
        if column and word.left >= edges[column][1]:
            return line.cells
        cells[column].append(word)
    gaps = [b[0].left - a[-1].right for a, b in pairwise(cells) if a and b]
    apart = len(gaps) == len(cells) - 1 and min(gaps) > line.size
    return cells if apart else line.cells


def stacked_titles(lines: Sequence[TextLine], row: TextLine) -> tuple[int, TextLine] | None:
    """Return how many of the last lines are titles of a row's columns, and these as one line.

    A title of several lines is drawn before the next one: "June 30," and "2023", column by column.
    """
    edges = [(cell.left, cell.right) for cell in _cells(row)][1:]
    titles: list[list[Word]] = [[] for _ in edges]
    number = 0
    for line in reversed(lines):
        above = [
            n for n, (left, right) in enumerate(edges) if line.left < right and line.right > left
        ]
        if len(above) != 1 or len(line.words) > _TITLE:
            break
        titles[above[0]][:0] = line.words
        number += 1
    named = [title for title in titles if title]
    if len(named) < max(2, len(edges) - 1):
        return None
    header = TextLine([word for title in named for word in title])
    header.cells = named
    return number, header


def _cells(line: TextLine) -> Iterator[_Cell]:
    """Yield the cells of a line, each number with the unit before it."""
    unit: _Cell | None = None
    for words in line.cells:
        text = " ".join(word.text for word in words).replace("|", "\\|")
        cell = _Cell(text, min(w.left for w in words), max(w.right for w in words))
        # Of "8,262 $", the unit is that of the next column.
        number, _, own = text.rpartition(" ")
        if unit is not None:
            cell = _Cell(f"{unit.text} {text}", unit.left, cell.right)
            number = number and f"{unit.text} {number}"
        unit = None
        if number and _UNIT.fullmatch(own):
            last = words[-1]
            unit = _Cell(own, last.left, last.right)
            yield _Cell(number, cell.left, max(w.right for w in words[:-1]))
        elif _UNIT.fullmatch(text):
            unit = cell
        else:
            yield cell
    if unit is not None:
        yield unit


def _placed(row: Sequence[_Cell], columns: Sequence[tuple[float, float]]) -> list[str] | None:
    """Return the text of each column, or None if a cell is in none or in several."""
    placed = [""] * len(columns)
    for cell in row:
        inside = [n for n, (a, b) in enumerate(columns) if cell.left < b and cell.right > a]
        if len(inside) != 1 or placed[inside[0]]:
            return None
        placed[inside[0]] = cell.text
    return placed


def _is_header(row: Sequence[str]) -> bool:
    titles = [_DATE.sub("", cell) for cell in row[1:] if cell]
    return bool(titles) and not any(re.search(r"\d", title) for title in titles)
