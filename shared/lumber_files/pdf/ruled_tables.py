"""Finds the cells of a PDF's tables between drawn lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from lumber_files.pdf.text_lines import TextLine, Word

_MIN_GAP = 3.0  # points; closer lines are one
_MIN_SHARE = 0.6  # of a table's height or width; merged cells interrupt its lines


class Rule(NamedTuple):
    """A drawn line, as thin as it may be; lengths in points, from the lower left of the page."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def upright(self) -> bool:
        """Whether it is vertical."""
        return self.top - self.bottom > self.right - self.left


class _Part(NamedTuple):
    """Words of a line in a cell.

    Attributes:
        line: The number of the line.
        first: The column of the first word.
        wide: Whether it reaches into other columns.
        text: The words.
    """

    line: int
    first: int
    wide: bool
    text: str


class Grid:
    """The cells between drawn lines."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._upright = [rule for rule in rules if rule.upright]
        self._level = [rule for rule in rules if not rule.upright]
        self._lefts = _distinct_places(rule.left for rule in self._upright)
        # A row that continues on the next page has no line below.
        ends = (place for rule in self._upright for place in (rule.bottom, rule.top))
        self._bases = _distinct_places([*(rule.bottom for rule in self._level), *ends])
        self._firsts: dict[tuple[int, int], tuple[int, int]] = {}  # of merged cells

    def fill(self, lines: Sequence[TextLine]) -> tuple[set[int], list[list[str]]] | None:
        """Return the numbers of the lines in cells, and the texts of the cells by row.

        None if there are fewer than two rows or columns, or a line lies only partly in cells: the
        rules are underlines and frames then. A line end in a cell is kept. A cell that spans some
        columns or rows is repeated in each, for a row that is read alone.
        """
        if min(len(self._lefts), len(self._bases)) < 3 or not self._is_closed():
            return None
        parts: dict[tuple[int, int], list[_Part]] = {}  # by the first place of a cell
        for number, line in enumerate(lines):
            places = set[tuple[int, int] | None]()
            for words in line.cells:
                for place, own in groupby(words, self._place):
                    places.add(place)
                    if place is not None:
                        parts.setdefault(place, []).append(self._part(number, [*own]))
            if None in places and len(places) > 1:
                return None
        cells = [[""] * (len(self._lefts) - 1) for _ in self._bases[1:]]
        for (row, column), inside in parts.items():
            # A head or a band without upright rules has the columns of the other rows.
            if len({part.first for part in inside}) > 1 and not any(part.wide for part in inside):
                for part in inside:
                    cells[row][part.first] = f"{cells[row][part.first]}\n{part.text}".strip()
                continue
            text, last = "", -1
            for part in inside:
                text += ("" if not text else " " if part.line == last else "\n") + part.text
                last = part.line
            for below, beside in self._places_of(row, column):
                cells[below][beside] = text
        rows = [row for row in cells if any(row)]
        columns = [own for own in zip(*rows, strict=True) if any(own)]
        if len(rows) < 2 or len(columns) < 2:
            return None
        taken = {part.line for inside in parts.values() for part in inside}
        return taken, [list(row) for row in zip(*columns, strict=True)]

    def _part(self, number: int, words: Sequence[Word]) -> _Part:
        columns = [self._column(word) for word in words]
        text = " ".join(word.text.replace("|", "\\|") for word in words)
        return _Part(number, columns[0], max(columns) > min(columns), text)

    def _places_of(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Yield the rows and columns of a cell; of one over all columns, such as a band, one."""
        bottom, right = row, column
        while bottom + 2 < len(self._bases) and not self._is_ruled(column, bottom + 1):
            bottom += 1
        while right + 2 < len(self._lefts) and not self._is_drawn(right + 1, row):
            right += 1
        if right - column + 2 == len(self._lefts):
            right = column
        for place in range(row, bottom + 1):
            yield from ((place, other) for other in range(column, right + 1))

    def _is_closed(self) -> bool:
        upright, level = [0.0] * len(self._lefts), [0.0] * len(self._bases)
        for rule in self._upright:
            upright[bisect_right(self._lefts, rule.left + _MIN_GAP) - 1] += rule.top - rule.bottom
        for rule in self._level:
            level[bisect_right(self._bases, rule.bottom + _MIN_GAP) - 1] += rule.right - rule.left
        height, width = self._bases[-1] - self._bases[0], self._lefts[-1] - self._lefts[0]
        return min(upright) > _MIN_SHARE * height and min(level[1:-1]) > _MIN_SHARE * width

    def _column(self, word: Word) -> int:
        return bisect_right(self._lefts, (word.left + word.right) / 2) - 1

    def _place(self, word: Word) -> tuple[int, int] | None:
        """Return the first row and column of the cell that a word is in."""
        column = self._column(word)
        row = len(self._bases) - 1 - bisect_right(self._bases, word.base + word.size / 4)
        if not (0 <= column < len(self._lefts) - 1 and 0 <= row < len(self._bases) - 1):
            return None
        if (row, column) not in self._firsts:
            self._firsts[row, column] = self._first(row, column)
        return self._firsts[row, column]

    def _first(self, row: int, column: int) -> tuple[int, int]:
        while column and not self._is_drawn(column, row):
            column -= 1
        while row and not self._is_ruled(column, row):
            row -= 1
        return row, column

    def _is_drawn(self, column: int, row: int) -> bool:
        """Return whether there is a rule on the left of a cell."""
        x, y = self._lefts[column], (self._bases[-1 - row] + self._bases[-2 - row]) / 2
        return any(
            abs(rule.left - x) < _MIN_GAP and rule.bottom - _MIN_GAP < y < rule.top + _MIN_GAP
            for rule in self._upright
        )

    def _is_ruled(self, column: int, row: int) -> bool:
        """Return whether there is a rule above a cell."""
        x, y = (self._lefts[column] + self._lefts[column + 1]) / 2, self._bases[-1 - row]
        return any(
            abs(rule.bottom - y) < _MIN_GAP and rule.left - _MIN_GAP < x < rule.right + _MIN_GAP
            for rule in self._level
        )


def find_grids(rules: Iterable[Rule]) -> Iterator[Grid]:
    """Yield a grid for each group of lines that touch each other from top to bottom."""
    group: list[Rule] = []
    lowest = 0.0
    for rule in sorted(rules, key=lambda rule: -rule.top):
        if group and rule.top < lowest - _MIN_GAP:
            yield Grid(group)
            group = []
        lowest = min(lowest, rule.bottom) if group else rule.bottom
        group.append(rule)
    if group:
        yield Grid(group)


def _distinct_places(values: Iterable[float]) -> list[float]:
    ordered = sorted(values)
    return ordered[:1] + [value for before, value in pairwise(ordered) if value - before > _MIN_GAP]
