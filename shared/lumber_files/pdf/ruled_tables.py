"""Finds the cells of a PDF's tables between drawn lines, some of which may be missing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from lumber_files.pdf.text_lines import TextLine, Word

_MIN_BAND_HEIGHT = 6.0  # points; a thinner rectangle is a rule
MIN_GAP = 3.0  # points; closer lines are one line
# Share of a table's height or width that its lines fill, as merged cells interrupt them. Below
# `_SURE_SHARE`, cells must be short: lines on a cover surround longer texts.
_MIN_SHARE, _SURE_SHARE = 0.2, 0.6
_MAX_CELL_CHARACTERS = 400


class Rule(NamedTuple):
    """A drawn line, or a filled rectangle; lengths in points, from the lower left of the page."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, lines: Sequence[TextLine]) -> Rule:
        """Return the area of lines, without the height of their letters."""
        bases = [line.base for line in lines]
        left, right = min(line.left for line in lines), max(line.right for line in lines)
        return cls(left, min(bases), right, max(bases))

    @property
    def upright(self) -> bool:
        """Whether it is vertical."""
        return self.top - self.bottom > self.right - self.left

    @property
    def is_band(self) -> bool:
        """Whether it is a rectangle, such as the background of a row."""
        return min(self.top - self.bottom, self.right - self.left) > _MIN_BAND_HEIGHT

    def is_over(self, other: Rule) -> bool:
        """Return whether its width overlaps with that of another rule."""
        return max(self.left, other.left) < min(self.right, other.right)

    def is_at(self, x: float, y: float) -> bool:
        """Return whether a point is on it or near it."""
        near = self.left - MIN_GAP < x < self.right + MIN_GAP
        return near and self.bottom - MIN_GAP < y < self.top + MIN_GAP

    def sides(self) -> Iterator[Rule]:
        """Yield the left, right, lower and upper sides."""
        left, bottom, right, top = self
        yield from (Rule(x, bottom, x, top) for x in (left, right))
        yield from (Rule(left, y, right, y) for y in (bottom, top))


class Grid:
    """The cells between drawn lines."""

    def __init__(self, rules: Sequence[Rule], bands: Sequence[Rule] = ()) -> None:
        self._height = max(rule.top for rule in rules) - min(rule.bottom for rule in rules)
        rules = [*rules, *(side for band in bands for side in band.sides())]
        self._upright = [rule for rule in rules if rule.upright]
        self._level = [rule for rule in rules if not rule.upright]
        self._lefts = _distinct_places(rule.left for rule in self._upright)
        # A row that continues on the next page has no line below.
        ends = (place for rule in self._upright for place in (rule.bottom, rule.top))
        self._bases = _distinct_places([*(rule.bottom for rule in self._level), *ends])
        self._firsts: dict[tuple[int, int], tuple[int, int]] = {}  # by a place in a merged cell

    def fill(self, lines: Sequence[TextLine]) -> tuple[set[TextLine], list[list[str]]] | None:
        """Return the lines in cells, and the texts of the cells by row.

        None if there are fewer than two rows or columns, or a line lies only partly in cells: then
        the rules are underlines or frames. A line end in a cell is kept. A cell that spans columns
        or rows is repeated in each, because a row may be read alone.
        """
        if min(len(self._lefts), len(self._bases)) < 3 or (share := self._share()) < _MIN_SHARE:
            return None
        parts: dict[tuple[int, int], list[tuple[TextLine, TextLine]]] = {}  # by a cell's place
        for line in lines:
            places = set[tuple[int, int] | None]()
            for words in line.cells:
                for place, cell_words in groupby(words, self._place):
                    places.add(place)
                    if place is not None:
                        parts.setdefault(place, []).append((line, TextLine([*cell_words])))
            if None in places and len(places) > 1:
                return None
        cells = [[""] * (len(self._lefts) - 1) for _ in self._bases[1:]]
        repeated: list[tuple[int, int, str]] = []
        for (row, column), inside in parts.items():
            # A header or a band without upright rules has the columns of the other rows.
            columns = [{self._column(word) for word in part.words} for _, part in inside]
            if len(set().union(*columns)) > 1 and all(len(numbers) == 1 for numbers in columns):
                for (_, part), (at,) in zip(inside, columns, strict=True):
                    cells[row][at] = f"{cells[row][at]}\n{part.text}".strip()
                continue
            texts = (
                " ".join(p.text for _, p in parts) for _, parts in groupby(inside, itemgetter(0))
            )
            cells[row][column] = text = "\n".join([cells[row][column], *texts]).strip()
            repeated += ((*place, text) for place in self._places_of(row, column))
        for below, beside, text in repeated:
            cells[below][beside] = cells[below][beside] or text
        rows = [part for row in cells if any(row) for part in _rows_in(row)]
        filled = [column for column in zip(*rows, strict=True) if any(column)]
        longest = max((len(cell) for row in rows for cell in row), default=0)
        is_sure = share > _SURE_SHARE or (longest < _MAX_CELL_CHARACTERS and len(rows) > 2)
        if len(rows) < 2 or len(filled) < 2 or not is_sure:
            return None
        in_cells = {line for inside in parts.values() for line, _ in inside}
        return in_cells, [list(row) for row in zip(*filled, strict=True)]

    def _places_of(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Yield the rows and columns that a cell spans; only the first if it spans all columns."""
        bottom, right = row, column
        while bottom + 2 < len(self._bases) and not self._has_rule_above(column, bottom + 1):
            bottom += 1
        while right + 2 < len(self._lefts) and not self._has_rule_left(right + 1, row):
            right += 1
        if right - column + 2 == len(self._lefts):
            right = column
        for place in range(row, bottom + 1):
            yield from ((place, other) for other in range(column, right + 1))

    def _share(self) -> float:
        """Return the least share of the table's height or width in which a line is drawn."""
        upright, level = [0.0] * len(self._lefts), [0.0] * len(self._bases)
        for rule in self._upright:
            upright[bisect_right(self._lefts, rule.left + MIN_GAP) - 1] += rule.top - rule.bottom
        for rule in self._level:
            level[bisect_right(self._bases, rule.bottom + MIN_GAP) - 1] += rule.right - rule.left
        width = self._lefts[-1] - self._lefts[0]
        return min(min(upright) / self._height, min(level[1:-1]) / width)

    def _column(self, word: Word) -> int:
        return bisect_right(self._lefts, (word.left + word.right) / 2) - 1

    def _place(self, word: Word) -> tuple[int, int] | None:
        """Return the first row and column of the cell around a word."""
        column = self._column(word)
        row = len(self._bases) - 1 - bisect_right(self._bases, word.base + word.size / 4)
        if not (0 <= column < len(self._lefts) - 1 and 0 <= row < len(self._bases) - 1):
            return None
        if (place := (row, column)) not in self._firsts:
            while column and not self._has_rule_left(column, row):
                column -= 1
            while row and not self._has_rule_above(column, row):
                row -= 1
            self._firsts[place] = row, column
        return self._firsts[place]

    def _has_rule_left(self, column: int, row: int) -> bool:
        y = (self._bases[-1 - row] + self._bases[-2 - row]) / 2
        return any(rule.is_at(self._lefts[column], y) for rule in self._upright)

    def _has_rule_above(self, column: int, row: int) -> bool:
        x = (self._lefts[column] + self._lefts[column + 1]) / 2
        return any(rule.is_at(x, self._bases[-1 - row]) for rule in self._level)


def _rows_in(row: Sequence[str]) -> Iterable[Sequence[str]]:
    """Return the rows between two rules: one per line of the cells if a cell has numbers."""
    stacks = [cell.split("\n") for cell in row]
    high = [len(stack) for stack in stacks if len(stack) > 1]
    # One line beside three lines belongs to all three; two lines may be a value and its error.
    whole = max(high, default=0) > 2 or len(high) == sum(map(bool, row))
    numbers = any("\n" in cell and not any(map(str.isalpha, cell)) for cell in row)
    if numbers and whole and len(high) > 1 == len({*high}):
        return zip(*(stack * (high[0] // len(stack)) for stack in stacks), strict=True)
    return [row]


def find_grids(bands: Sequence[Rule], rules: Iterable[Rule]) -> Iterator[Grid]:
    """Yield a grid for each group of lines that are connected from top to bottom.

    A band above or below a grid is a row of it.
    """
    groups: list[list[Rule]] = []
    lowest = 0.0
    for rule in sorted(rules, key=lambda rule: -rule.top):
        if not groups or rule.top < lowest - MIN_GAP:
            groups.append([])
            lowest = rule.bottom
        lowest = min(lowest, rule.bottom)
        groups[-1].append(rule)
    for group in groups:
        low, high = min(rule.bottom for rule in group), max(rule.top for rule in group)
        lefts = _distinct_places(rule.left for rule in group if rule.upright)
        if len(lefts) < 2:
            continue
        # The first and the last column may be open.
        inside = [r for r in group if any(r.left - MIN_GAP < x < r.right + MIN_GAP for x in lefts)]
        left, right = min(r.left for r in inside), max(r.right for r in inside)
        near = (b for b in bands for x in b[1::2] if min(abs(x - low), abs(x - high)) < MIN_GAP)
        ends = [b for b in near if left - MIN_GAP < b.left and b.right < right + MIN_GAP]
        sides = [Rule(x, low, x, high) for x in (left, right)]
        yield from (Grid([*group, *sides], row) for row in (ends, ()))


def _distinct_places(values: Iterable[float]) -> list[float]:
    ordered = sorted(values)
    return ordered[:1] + [value for before, value in pairwise(ordered) if value - before > MIN_GAP]
