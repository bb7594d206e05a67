"""Finds the cells of a PDF's tables between the lines that are drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lumber_files.pdf.text_lines import Word

_NEAR = 3.0  # points; lines that are nearer are one
_MOST = 0.6  # of a table's height or width; cells that go over several rows or columns lack some


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
