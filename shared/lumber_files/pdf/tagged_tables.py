"""Finds the tables that a tagged PDF states, if its text is where such tables have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from lumber_files.formats.markdown_cleanup import MAX_REPEATED_CELLS
from lumber_files.pdf.column_tables import SPACE_AT_SIGN
from lumber_files.pdf.page_tags import CellTag
from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import TextLine

_MAX_OVERLAP = 2.0  # points, of cells beside each other; italics reach out of theirs
_MAX_LOOSE_SHARE = 0.25  # of the rows have one cell that is not the first: lines of other rows
_MAX_BAND = 200  # characters of a cell that is alone in its row; longer ones are in forms

TaggedTable = tuple[list[TextLine], list[Sequence[str]]]
"""The lines of a table, and the texts of its cells by row."""
_Areas = Mapping[CellTag, Rule]


def find_tagged_tables(page: Sequence[TextLine]) -> tuple[Sequence[TextLine], list[TaggedTable]]:
    """Return the lines of a page, divided where a table is beside other text, and its tables."""
    parts: dict[int, dict[CellTag, list[TextLine]]] = {}
    for line in page:
        for cell, words in groupby(line.words, lambda word: word.cell):
            parts.setdefault(cell.table, {}).setdefault(cell, []).append(TextLine([*words]))
    tables: dict[int, TaggedTable] = {}
    for number, cells in parts.items():
        left, bottom, right, top = _area([line for lines in cells.values() for line in lines])
        others = (word for line in page for word in line.words if word.cell.table != number)
        beside = (word for word in others if bottom - 1 < word.base < top + 1)
        apart = not any(left < (word.left + word.right) / 2 < right for word in beside)
        if number and apart and (rows := _rows(cells)):
            tables[number] = [], rows
    lines: list[TextLine] = []
    for line in page if tables else ():
        for owner, words in groupby(line.words, lambda word: tables.get(word.cell.table)):
            lines.append(TextLine([*words], added=line.added))
            if owner:
                owner[0].append(lines[-1])
    return lines or page, [*tables.values()]


def _rows(cells: Mapping[CellTag, Sequence[TextLine]]) -> list[Sequence[str]]:
    """Return the texts of a table's cells by row; none if it only arranges the page.

    A cell that spans columns or rows is repeated in each, unless it spans all columns.
    """
    areas = {cell: _area(cells[cell]) for cell in cells}
    by_row = [[*row] for _, row in groupby(sorted(cells), lambda cell: cell.row)]
    beside = (pair for row in by_row for pair in pairwise(row))
    tops = [max(areas[cell].top for cell in row) for row in by_row]
    apart = (areas[one].right < areas[other].left + _MAX_OVERLAP for one, other in beside)
    in_order = all(apart) and all(above > below for above, below in pairwise(tops))
    if not in_order or sum(cell.rows * cell.columns for cell in cells) > MAX_REPEATED_CELLS:
        return []
    starts = _starts(by_row, areas)
    width = max(starts[cell] + cell.columns for cell in cells)
    numbers = range(by_row[0][0].row, by_row[-1][0].row + 1)
    grid = {n: [""] * width for n in numbers if width * len(numbers) <= MAX_REPEATED_CELLS}
    for cell, start in starts.items():
        if not grid or grid[cell.row][start]:  # a cell from above that spans rows is there
            return []
        text = SPACE_AT_SIGN.sub("", "\n".join(line.text for line in cells[cell]))
        for row in range(cell.row, min(cell.row + cell.rows, numbers.stop)):
            for place in range(start, start + (cell.columns if cell.columns < width else 1)):
                grid[row][place] = grid[row][place] or text
    rows = [row for row in grid.values() if any(row)]
    alone = [row for row in rows if sum(map(bool, row)) == 1]
    loose = sum(not row[0] for row in alone)
    values = [text for row in rows[1:] for text in row[1:] if text]
    if 2 * sum(o.upper().isupper() for o in values) < len(values) and not all(rows[0][1:]):
        return []  # numbers whose heads state no spans, which `column_tables` knows
    is_data = len(rows) > len(alone) + 1 and loose <= max(1, _MAX_LOOSE_SHARE * len(rows))
    if not is_data or any(len("".join(row)) > _MAX_BAND for row in alone):
        return []
    columns = (column for column in zip(*rows, strict=True) if any(column))
    return [*zip(*columns, strict=True)]


def _starts(by_row: Sequence[Sequence[CellTag]], areas: _Areas) -> dict[CellTag, int]:
    """Return the column of each cell, given the cells with text by row.

    Some programs state no spans: a row with too few cells has them in the columns of other rows.
    """
    starts, taken = dict[CellTag, int](), set[tuple[int, int]]()
    for row in by_row:
        start = before = -1
        for cell in row:
            for _ in range(before, cell.number):  # also for cells without text
                start += 1
                while (cell.row, start) in taken:
                    start += 1
            starts[cell], before = start, cell.number
            spanned = range(cell.row, cell.row + cell.rows)
            taken.update((n, start + m) for n in spanned for m in range(cell.columns))
    width = max(starts[row[-1]] + row[-1].columns for row in by_row)
    short = [row for row in by_row if starts[row[-1]] + row[-1].columns < width]
    columns: dict[int, Rule] = {}  # with the areas of their cells in whole rows
    for cell in starts.keys() - {cell for row in short for cell in row}:
        if cell.columns == 1:
            area, other = areas[cell], columns.get(starts[cell], areas[cell])
            left, right = min(area.left, other.left), max(area.right, other.right)
            columns[starts[cell]] = other._replace(left=left, right=right)
    for row in (row for row in short if len(row) > 1):
        first = 0
        for cell in row:
            start = max(first, starts[cell])
            while start in columns and not columns[start].is_over(areas[cell]):
                start += 1
            starts[cell], first = start, start + cell.columns
    return starts


def _area(lines: Sequence[TextLine]) -> Rule:
    """Return the area of lines, without the height of their letters."""
    ends = ((line.left, line.right, line.base) for line in lines)
    lefts, rights, bases = zip(*ends, strict=True)
    return Rule(min(lefts), min(bases), max(rights), max(bases))
