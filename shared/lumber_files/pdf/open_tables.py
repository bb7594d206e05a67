"""Finds the tables of a PDF with gaps instead of upright rules between columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, repeat
from math import inf
from operator import attrgetter

from lumber_files.pdf.column_tables import join_near
from lumber_files.pdf.ruled_tables import MIN_GAP, Grid, Rule
from lumber_files.pdf.text_lines import HEADING_SCALE, TextLine, by_height

_MIN_GUTTER = 0.7  # times the font size, between two columns; a space is a third
_MAX_WORD_GAP = 0.8  # times the gap of columns, between words of a cell; wider in justified text
_MIN_PIECE_WORDS = 4  # words of a cell that looks like a piece of a sentence
_MAX_CELL_LINES = 15  # columns of text have more lines between two rules
_MAX_BAND_WORDS = 15  # of a row with one cell, such as "Revenues"; longer rows are text
_MAX_BAND_HEIGHT = 4.0  # times the font size, of such a row
_MAX_END_DISTANCE = 2.6  # times the font size, from the first or last rule to the row outside it
_FEW_RULES = 3  # rules of a simple table: above and below the header, and at the end
_MAX_DESCENT = 0.8  # times the font size, from the last line to the end of a table
_MAX_BANDS = 40  # bands compared with each band; charts have thousands
_MAX_LEADING = 1.5  # times the font size, between the lines of the row outside a rule


def find_open_grids(
    lines: Sequence[TextLine], bands: Sequence[Rule], rules: Iterable[Rule]
) -> Iterator[Grid]:
    """Yield the grids of a page without upright rules; each cell may have rules of its own.

    Rows may have `bands` as backgrounds instead of rules.
    """
    for stack in _stacks([*(rule for rule in rules if not rule.upright), *_row_edges(bands)]):
        left, right = stack[0].left - MIN_GAP, stack[0].right + MIN_GAP
        inside = [line for line in lines if line.left < right and left < line.right]
        inside.sort(key=attrgetter("base"))
        bases = [line.base + line.size / 4 for line in inside]
        rows: list[list[TextLine]] = []
        first, many = len(inside), len(stack) > _FEW_RULES
        for above, rule in pairwise([None, *stack, None]):
            last, first = first, bisect_right(bases, rule.top) if rule else 0
            row = inside[first:last]
            wide = any(line.left < left or right < line.right for line in row)
            before = rows[-1] if rows else row
            if above and rule and _is_band(row, before, above.bottom - rule.top) and not wide:
                rows += [row] if row else []
                continue
            if above:  # the last row may have no rule below
                rows += _end(row[::-1], above.bottom, left, right, is_table=many)
                yield from _grid_of(rows, stack[0], of_bands=bool(bands))
            rows = [*_end(row, rule.top, left, right, is_table=many)] if rule else []


def _row_edges(bands: Iterable[Rule]) -> Iterator[Rule]:
    """Yield the lower and upper sides of bands, except those around less high ones (pictures)."""
    ordered = sorted({*bands}, key=attrgetter("top"), reverse=True)
    for number, band in enumerate(ordered):
        low, high = band.bottom - MIN_GAP, band.top - band.bottom - MIN_GAP
        rest = ordered[number + 1 : number + _MAX_BANDS]
        if not any(o.bottom > low and o.top - o.bottom < high and o.is_over(band) for o in rest):
            yield from [*band.sides()][2:]


def _stacks(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Yield the rules that begin and end at the same places, from top to bottom."""
    levels = _group_by_place(rules, attrgetter("bottom"))
    joined = [rule for level in levels for rule in join_near(level, MIN_GAP)]
    for group in _group_by_place(joined, attrgetter("left")):
        for stack in _group_by_place(group, attrgetter("right")):
            if len(stack) > 1:
                yield sorted(stack, key=attrgetter("top"), reverse=True)


def _group_by_place(rules: Sequence[Rule], place: Callable[[Rule], float]) -> Iterator[list[Rule]]:
    start, ordered = 0, sorted(rules, key=place)
    for stop in range(1, len(ordered) + 1):
        if stop == len(ordered) or place(ordered[stop]) - place(ordered[stop - 1]) > MIN_GAP / 2:
            yield ordered[start:stop]
            start = stop


def _is_band(row: Sequence[TextLine], before: Sequence[TextLine], height: float) -> bool:
    if _gutters(row):
        return len({round(line.base) for line in row}) <= _MAX_CELL_LINES
    few = sum(len(line.words) for line in row) <= _MAX_BAND_WORDS
    size = max((line.size for line in row), default=height)
    larger = row and size > HEADING_SCALE * before[0].size  # a heading between two tables
    return few and height < _MAX_BAND_HEIGHT * size and not larger


def _end(
    lines: Sequence[TextLine], edge: float, left: float, right: float, *, is_table: bool
) -> Iterator[list[TextLine]]:
    """Yield the row outside the first or the last rule, given the lines from that rule on."""
    row: list[TextLine] = []
    for line in lines:
        far = abs(line.base - edge) > (_MAX_LEADING if row else _MAX_END_DISTANCE) * line.size
        # A caption or a note begins above or below the labels, and does not end there.
        nearest = [o for o in row if abs(o.base - row[0].base) < o.size / 2]
        starts = is_table and line.left < left + MIN_GAP + line.size
        gutters = _gutters(nearest) if starts else []
        out = gutters[1:] and line.cells[0][0].left < gutters[0] < line.cells[0][-1].right
        if far or out or line.left < left or right < line.right:
            break
        row.append(line)
        edge = line.base
    if _gutters(row):
        yield row


def _grid_of(rows: Sequence[Sequence[TextLine]], rule: Rule, *, of_bands: bool) -> Iterator[Grid]:
    """Yield the grid of rows, with upright rules in the gaps that no word of a row crosses."""
    few = len(rows) < 3
    if len(rows) < 2 or (of_bands and few):
        return
    header, *body = [row for row in rows if _gutters(row)] or [[]]
    gutters = _gutters([line for row in body or [header] for line in row], header)
    if not gutters:
        return
    # Between two bands there may be several rows without an empty cell; headers have more lines.
    full = [
        [len(_cells(o, gutters)) > max(2, len(gutters)) for o in by_height(row)] for row in rows
    ]
    several = [False, *(of_bands and all(flags) for flags in full[1:])]
    parts = map(_divide, rows, repeat(gutters), (few or flag for flag in several))
    rows = [part for row in parts for part in row]
    # `column_tables` knows the headers of numbers, but no cells that wrap after the labels, and no
    # labels that wrap between two bands.
    cells = [_cells(row, gutters) for row in rows]
    numbers = [any(n and not text.upper().isupper() for n, text in row.items()) for row in cells]
    after = -inf if of_bands and all(numbers[1:]) and not numbers[0] else gutters[0]
    wrap = any(map(_wraps, rows, numbers, repeat(after)))
    if not (wrap if any(numbers[1:]) else all(0 in row for row in cells)):
        return
    texts = [text for row in cells for text in row.values()]
    pieces = [o for o in texts if o[0].islower() and len(o.split()) >= _MIN_PIECE_WORDS]
    if 2 * len(pieces) > len(texts):  # sentences continue in them: two columns of text
        return
    tops = [max(line.base + line.size for line in row) for row in rows]
    tops.append(min(line.base for line in rows[-1]) - _MAX_DESCENT * rows[-1][0].size)
    drawn: list[Rule] = []
    for row, top, bottom in zip(rows, tops, tops[1:], strict=False):
        words = [word for line in row for word in line.words]
        clear = [x for x in gutters if not any(word.left < x < word.right for word in words)]
        places = [rule.left, *(clear if _gutters(row) else ()), rule.right]
        drawn += (Rule(x, bottom, x, top) for x in places)
        drawn += (Rule(rule.left, y, rule.right, y) for y in (top, bottom))
    yield Grid(drawn)


def _wraps(row: Sequence[TextLine], has_numbers: bool, edge: float) -> bool:
    """Return whether text after the labels continues in a second line of a row with numbers."""
    top = max(line.base - line.size / 2 for line in row)
    later = (word for line in row if line.base < top for word in line.words)
    return has_numbers and any(o.left > edge and o.text.upper().isupper() for o in later)


def _cells(lines: Iterable[TextLine], gutters: Sequence[float]) -> dict[int, str]:
    """Return the text in each column, by its number."""
    cells: dict[int, str] = {}
    for word in (word for line in lines for word in line.words):
        column = bisect_right(gutters, word.left)
        cells[column] = f"{cells.get(column, '')} {word.text}".strip()
    return cells


def align_rows(lines: Sequence[TextLine]) -> list[list[str]]:
    """Return the cells of rows below headers if a row lacks a cell before its last; else none."""
    gutters = _gutters(lines)
    gaps: tuple[list[float], list[float]] = [], []  # between words of a cell, and between cells
    for before, word in (pair for line in lines for pair in pairwise(line.words)):
        apart = bisect_right(gutters, before.left) < bisect_right(gutters, word.left)
        gaps[apart].append((word.left - before.right) / word.size)
    if all(gaps) and min(gaps[0]) > _MAX_WORD_GAP * min(gaps[1]):  # justified text
        return []
    cells = [_cells([line], gutters) for line in lines]
    lacks = any(len(row) <= max(row) for row in cells[1:])
    whole = len(gutters) > 1 and len(cells[0]) > len(gutters)
    columns = range(len(gutters) + 1)
    return [[row.get(n, "") for n in columns] for row in cells] if whole and lacks else []


def _divide(
    row: Sequence[TextLine], gutters: Sequence[float], few: bool
) -> Iterator[list[TextLine]]:
    """Yield the rows between two rules: one row, unless two numbers are in a column.

    With `few`, the only rules are above and below the headers, and below the table.
    """
    levels = by_height(row)
    cells = [_cells(level, gutters) for level in levels]
    starts = [n for n, level in enumerate(cells) if n and 0 in level and len(level) > 1]
    numbers = [
        c for level in cells for c, text in level.items() if c and not text.upper().isupper()
    ]
    starts = starts if few or len(numbers) > len(set(numbers)) else []
    for start, stop in pairwise([0, *starts, len(levels)]):
        yield [line for level in levels[start:stop] for line in level]


def _gutters(lines: Sequence[TextLine], header: Sequence[TextLine] = ()) -> list[float]:
    """Return the middles of the gaps between words that are free in all lines.

    Words of the header may reach into a gap, whose widest free part is the gap then.
    """
    words = sorted((word.left, word.right, line.size) for line in lines for word in line.words)
    ends = zip(words[1:], accumulate((right for _, right, _ in words), max), strict=False)
    gaps = [(end, left) for (left, _, size), end in ends if left - end > _MIN_GUTTER * size]
    over = sorted((word.left, word.right) for line in header for word in line.words)
    for number, gap in enumerate(gaps if over else ()):
        inside = [(left, right) for left, right in over if left < gap[1] and gap[0] < right]
        rights = accumulate((right for _, right in inside), max, initial=gap[0])
        parts = zip(rights, [*(left for left, _ in inside), gap[1]], strict=True)
        gaps[number] = max(parts, key=lambda part: part[1] - part[0])
    return [(left + right) / 2 for left, right in gaps]
