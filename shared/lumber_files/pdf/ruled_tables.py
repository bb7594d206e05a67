"""Finds the cells of a PDF's tables between drawn lines, some of which may be missing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise, repeat
from operator import attrgetter, itemgetter
from typing import NamedTuple

from lumber_files.pdf.text_lines import TextLine, Word, by_height

_MIN_BAND_HEIGHT = 6.0  # points; what is thinner is a rule
_MIN_GAP = 3.0  # points; closer lines are one
_MIN_SHARE = 0.6  # of a table's height or width; merged cells interrupt its lines
_MIN_GUTTER = 0.7  # times the size, between two columns; a space is a third
_MAX_SPACE = 0.8  # times the gap of columns, between words of a cell; justified text has wider
_MIN_PIECE_WORDS = 4  # of a piece of a sentence
_MAX_CELL_LINES = 15  # the columns of a page have more between two rules
_MAX_BAND_WORDS = 15  # of a row with one cell, such as "Revenues"; more are text
_MAX_BAND_HEIGHT = 4.0  # times the size, of such a row
_MAX_END_DISTANCE = 2.6  # times the size, from a rule to a row that has none on its other side
_MAX_LEADING = 1.5  # times the size, of the lines of such a row


class Rule(NamedTuple):
    """A drawn line, or a filled rectangle; lengths in points, from the lower left of the page."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def upright(self) -> bool:
        """Whether it is vertical."""
        return self.top - self.bottom > self.right - self.left

    @property
    def is_band(self) -> bool:
        """Whether it is a rectangle, as behind the cells of a row."""
        return min(self.top - self.bottom, self.right - self.left) > _MIN_BAND_HEIGHT

    def is_over(self, other: Rule) -> bool:
        """Return whether it has some of its width in common with another one."""
        return max(self.left, other.left) < min(self.right, other.right)

    def is_at(self, x: float, y: float) -> bool:
        """Return whether a point is on it or near it."""
        near = self.left - _MIN_GAP < x < self.right + _MIN_GAP
        return near and self.bottom - _MIN_GAP < y < self.top + _MIN_GAP

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
        self._firsts: dict[tuple[int, int], tuple[int, int]] = {}  # of merged cells

    def fill(self, lines: Sequence[TextLine]) -> tuple[set[int], list[list[str]]] | None:
        """Return the numbers of the lines in cells, and the texts of the cells by row.

        None if there are fewer than two rows or columns, or a line lies only partly in cells: the
        rules are underlines and frames then. A line end in a cell is kept. A cell that spans some
        columns or rows is repeated in each, for a row that is read alone.
        """
        if min(len(self._lefts), len(self._bases)) < 3 or not self._is_closed():
            return None
        parts: dict[tuple[int, int], list[tuple[int, TextLine]]] = {}  # by a cell's first place
        for number, line in enumerate(lines):
            places = set[tuple[int, int] | None]()
            for words in line.cells:
                for place, own in groupby(words, self._place):
                    places.add(place)
                    if place is not None:
                        parts.setdefault(place, []).append((number, TextLine([*own])))
            if None in places and len(places) > 1:
                return None
        cells = [[""] * (len(self._lefts) - 1) for _ in self._bases[1:]]
        repeated: list[tuple[int, int, str]] = []
        for (row, column), inside in parts.items():
            # A head or a band without upright rules has the columns of the other rows.
            columns = [{self._column(word) for word in part.words} for _, part in inside]
            if len(set().union(*columns)) > 1 and all(len(own) == 1 for own in columns):
                for (_, part), (at,) in zip(inside, columns, strict=True):
                    cells[row][at] = f"{cells[row][at]}\n{part.text}".strip()
                continue
            texts = (" ".join(p.text for _, p in own) for _, own in groupby(inside, itemgetter(0)))
            cells[row][column] = text = "\n".join([cells[row][column], *texts]).strip()
            repeated += ((*place, text) for place in self._places_of(row, column))
        for below, beside, text in repeated:
            cells[below][beside] = cells[below][beside] or text
        rows = [row for row in cells if any(row)]
        filled = [own for own in zip(*rows, strict=True) if any(own)]
        if len(rows) < 2 or len(filled) < 2:
            return None
        taken = {line for inside in parts.values() for line, _ in inside}
        return taken, [list(row) for row in zip(*filled, strict=True)]

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
        width = self._lefts[-1] - self._lefts[0]
        return min(upright) > _MIN_SHARE * self._height and min(level[1:-1]) > _MIN_SHARE * width

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
        y = (self._bases[-1 - row] + self._bases[-2 - row]) / 2
        return any(rule.is_at(self._lefts[column], y) for rule in self._upright)

    def _is_ruled(self, column: int, row: int) -> bool:
        """Return whether there is a rule above a cell."""
        x = (self._lefts[column] + self._lefts[column + 1]) / 2
        return any(rule.is_at(x, self._bases[-1 - row]) for rule in self._level)


def find_grids(bands: Sequence[Rule], rules: Iterable[Rule]) -> Iterator[Grid]:
    """Yield a grid for each group of lines that touch each other from top to bottom.

    A band above or below one is a row of it.
    """
    groups: list[list[Rule]] = []
    lowest = 0.0
    for rule in sorted(rules, key=lambda rule: -rule.top):
        if not groups or rule.top < lowest - _MIN_GAP:
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
        inside = [
            r for r in group if any(r.left - _MIN_GAP < x < r.right + _MIN_GAP for x in lefts)
        ]
        left, right = min(r.left for r in inside), max(r.right for r in inside)
        near = (b for b in bands for x in b[1::2] if min(abs(x - low), abs(x - high)) < _MIN_GAP)
        ends = [b for b in near if left - _MIN_GAP < b.left and b.right < right + _MIN_GAP]
        sides = [Rule(x, low, x, high) for x in (left, right)]
        yield from (Grid([*group, *sides], row) for row in (ends, ()))


def _distinct_places(values: Iterable[float]) -> list[float]:
    ordered = sorted(values)
    return ordered[:1] + [value for before, value in pairwise(ordered) if value - before > _MIN_GAP]


def find_open_grids(lines: Sequence[TextLine], rules: Iterable[Rule]) -> Iterator[Grid]:
    """Yield the grids of a page whose columns have no upright rules; each cell may have its own."""
    for stack in _stacks([rule for rule in rules if not rule.upright]):
        left, right = stack[0].left - _MIN_GAP, stack[0].right + _MIN_GAP
        inside = [line for line in lines if line.left < right and left < line.right]
        inside.sort(key=attrgetter("base"))
        bases = [line.base + line.size / 4 for line in inside]
        rows: list[list[TextLine]] = []
        first = len(inside)
        for above, rule in pairwise([None, *stack, None]):
            last, first = first, bisect_right(bases, rule.top) if rule else 0
            row = inside[first:last]
            wide = any(line.left < left or right < line.right for line in row)
            if above and rule and _is_band(row, above.bottom - rule.top) and not wide:
                rows += [row] if row else []
                continue
            if above:  # the last row may have no rule below
                yield from _grid_of([*rows, *_end(row[::-1], above.bottom, left, right)], stack[0])
            rows = [*_end(row, rule.top, left, right)] if rule else []


def _stacks(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Yield the rules that begin and end at the same places, from top to bottom."""
    joined: list[Rule] = []
    for level in _alike(rules, attrgetter("bottom")):
        for number, rule in enumerate(sorted(level)):
            if number and rule.left < joined[-1].right + _MIN_GAP:
                joined[-1] = joined[-1]._replace(right=max(joined[-1].right, rule.right))
            else:
                joined.append(rule)
    for group in _alike(joined, attrgetter("left")):
        for stack in _alike(group, attrgetter("right")):
            if len(stack) > 1:
                yield sorted(stack, key=attrgetter("top"), reverse=True)


def _alike(rules: Sequence[Rule], place: Callable[[Rule], float]) -> Iterator[list[Rule]]:
    start, ordered = 0, sorted(rules, key=place)
    for stop in range(1, len(ordered) + 1):
        if stop == len(ordered) or place(ordered[stop]) - place(ordered[stop - 1]) > _MIN_GAP / 2:
            yield ordered[start:stop]
            start = stop


def _is_band(row: Sequence[TextLine], height: float) -> bool:
    if _gutters(row):
        return len({round(line.base) for line in row}) <= _MAX_CELL_LINES
    few = sum(len(line.words) for line in row) <= _MAX_BAND_WORDS
    return few and height < _MAX_BAND_HEIGHT * max((line.size for line in row), default=height)


def _end(
    lines: Sequence[TextLine], edge: float, left: float, right: float
) -> Iterator[list[TextLine]]:
    """Yield the row outside the first or the last rule, given the lines from that rule on."""
    row: list[TextLine] = []
    for line in lines:
        far = abs(line.base - edge) > (_MAX_LEADING if row else _MAX_END_DISTANCE) * line.size
        if far or line.left < left or right < line.right:
            break
        row.append(line)
        edge = line.base
    if _gutters(row):
        yield row


def _grid_of(rows: Sequence[Sequence[TextLine]], rule: Rule) -> Iterator[Grid]:
    """Yield the grid of rows, with upright rules in the gaps that no word of a row crosses."""
    columned = [row for row in rows if _gutters(row)]
    gutters = _gutters([line for row in columned[len(columned) > 1 :] for line in row])
    if not gutters or len(rows) < 2:
        return
    rows = [part for row in rows for part in _divide(row, gutters, few=len(rows) < 3)]
    # `column_tables` knows the heads of numbers, but no cells that wrap behind the labels.
    cells = [_cells(row, gutters) for row in rows]
    numbers = [any(n and not one.upper().isupper() for n, one in own.items()) for own in cells]
    wrap = any(map(_wraps, rows, numbers, repeat(gutters[0])))
    if not (wrap if any(numbers[1:]) else all(0 in own for own in cells)):
        return
    texts = [text for own in cells for text in own.values()]
    pieces = [o for o in texts if o[0].islower() and len(o.split()) >= _MIN_PIECE_WORDS]
    if 2 * len(pieces) > len(texts):  # sentences go on in them: two columns of text
        return
    tops = [max(line.base + line.size for line in row) for row in rows]
    tops.append(min(line.base for line in rows[-1]) - rows[-1][0].size)
    drawn: list[Rule] = []
    for row, top, bottom in zip(rows, tops, tops[1:], strict=False):
        words = [word for line in row for word in line.words]
        clear = [x for x in gutters if not any(word.left < x < word.right for word in words)]
        places = [rule.left, *(clear if _gutters(row) else ()), rule.right]
        drawn += (Rule(place, bottom, place, top) for place in places)
        drawn += (Rule(rule.left, y, rule.right, y) for y in (top, bottom))
    yield Grid(drawn)


def _wraps(row: Sequence[TextLine], has_numbers: bool, behind: float) -> bool:
    """Return whether text behind the labels goes on in a second line of a row with numbers."""
    top = max(line.base - line.size / 2 for line in row)
    later = (word for line in row if line.base < top for word in line.words)
    return has_numbers and any(o.left > behind and o.text.upper().isupper() for o in later)


def _cells(lines: Iterable[TextLine], gutters: Sequence[float]) -> dict[int, str]:
    """Return the text in each column, by its number."""
    cells: dict[int, str] = {}
    for word in (word for line in lines for word in line.words):
        column = bisect_right(gutters, word.left)
        cells[column] = f"{cells.get(column, '')} {word.text}".strip()
    return cells


def align_rows(lines: Sequence[TextLine]) -> list[list[str]]:
    """Return the cells of rows below heads if a row lacks a cell before others, else none."""
    gutters = _gutters(lines)
    gaps: tuple[list[float], list[float]] = [], []  # between words of a cell, and between cells
    for before, word in (pair for line in lines for pair in pairwise(line.words)):
        apart = bisect_right(gutters, before.left) < bisect_right(gutters, word.left)
        gaps[apart].append((word.left - before.right) / word.size)
    if all(gaps) and min(gaps[0]) > _MAX_SPACE * min(gaps[1]):  # justified text
        return []
    cells = [_cells([line], gutters) for line in lines]
    lacks = any(len(row) <= max(row) for row in cells[1:])
    whole = len(gutters) > 1 and len(cells[0]) > len(gutters)
    columns = range(len(gutters) + 1)
    return [[row.get(n, "") for n in columns] for row in cells] if whole and lacks else []


def _divide(
    row: Sequence[TextLine], gutters: Sequence[float], *, few: bool
) -> Iterator[list[TextLine]]:
    """Yield the rows between two rules: one, unless two numbers stand in a column.

    The rules may be a `few`: those above and below the heads, and below the table.
    """
    levels = by_height(row)
    cells = [_cells(level, gutters) for level in levels]
    starts = [n for n, own in enumerate(cells) if n and 0 in own and len(own) > 1]
    numbers = [c for own in cells for c, text in own.items() if c and not text.upper().isupper()]
    starts = starts if few or len(numbers) > len(set(numbers)) else []
    for start, stop in pairwise([0, *starts, len(levels)]):
        yield [line for level in levels[start:stop] for line in level]


def _gutters(lines: Sequence[TextLine]) -> list[float]:
    """Return the middles of the gaps between words that all lines leave free."""
    words = sorted((word.left, word.right, line.size) for line in lines for word in line.words)
    ends = zip(words[1:], accumulate((right for _, right, _ in words), max), strict=False)
    return [(left + end) / 2 for (left, _, size), end in ends if left - end > _MIN_GUTTER * size]
