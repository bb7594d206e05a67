"""Finds the cells of a PDF's tables between drawn lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lumber_files.pdf.text_lines import Word

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


class Grid:
    """The cells between drawn lines."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._upright = [rule for rule in rules if rule.upright]
        self._level = [rule for rule in rules if not rule.upright]
        self._lefts = _distinct_places(rule.left for rule in self._upright)
        # A row that continues on the next page has no line below.
        ends = (place for rule in self._upright for place in (rule.bottom, rule.top))
        self._bases = _distinct_places([*(rule.bottom for rule in self._level), *ends])

    def fill(self, lines: Sequence[Sequence[Word]]) -> tuple[set[int], list[list[str]]] | None:
        """Return the numbers of the lines in cells, and the texts of the cells by row.

        None if there are fewer than two rows or columns, or a line lies only partly in cells: the
        rules are underlines and frames then. A line end in a cell is kept.
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
            upright[bisect_right(self._lefts, rule.left + _MIN_GAP) - 1] += rule.top - rule.bottom
        for rule in self._level:
            level[bisect_right(self._bases, rule.bottom + _MIN_GAP) - 1] += rule.right - rule.left
        height, width = self._bases[-1] - self._bases[0], self._lefts[-1] - self._lefts[0]
        return min(upright) > _MIN_SHARE * height and min(level[1:-1]) > _MIN_SHARE * width

    def _cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the row and the column of a point; of a merged cell, its first column."""
        column = bisect_right(self._lefts, x) - 1
        row = len(self._bases) - 1 - bisect_right(self._bases, y)
        if not (0 <= column < len(self._lefts) - 1 and 0 <= row < len(self._bases) - 1):
            return None
        while column and not self._is_drawn(self._lefts[column], y):
            column -= 1
        return row, column

    def _is_drawn(self, x: float, y: float) -> bool:
        return any(
            abs(rule.left - x) < _MIN_GAP and rule.bottom - _MIN_GAP < y < rule.top + _MIN_GAP
            for rule in self._upright
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
