"""Finds the tables of a tagged PDF, if the places of the text on the page agree with the tags."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from operator import attrgetter

from lumber_files.formats.markdown_cleanup import MAX_REPEATED_CELLS
from lumber_files.pdf.column_tables import SIGNS, SPACE_AT_SIGN
from lumber_files.pdf.page_tags import CellTag
from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import TextLine

_MAX_OVERLAP = 2.0  # points, of cells beside each other; italic letters reach out of their cells
_MAX_LOOSE_SHARE = 0.25  # share of rows whose only cell is not the first: lines of other rows
_MAX_BAND_CHARACTERS = 200  # characters of a cell alone in its row; longer cells are in forms

TaggedTable = tuple[list[TextLine], list[Sequence[str]]]
"""The lines of a table, and the texts of its cells by row."""
_Areas = Mapping[CellTag, Rule]


def find_tagged_tables(page: Sequence[TextLine]) -> tuple[Sequence[TextLine], list[TaggedTable]]:
    """Return the lines of a page, divided where a table is beside other text, and its tables."""
    parts: dict[int, dict[CellTag, list[TextLine]]] = {}
    for line in page:
        for cell, words in groupby(line.words, attrgetter("cell")):
            if cell.table:
                parts.setdefault(cell.table, {}).setdefault(cell, []).append(TextLine([*words]))
    tables: dict[int, TaggedTable] = {}
    for number, cells in parts.items():
        left, bottom, right, top = Rule.around([line for lines in cells.values() for line in lines])
        others = (word for line in page for word in line.words if word.cell.table != number)
        beside = (word for word in others if bottom - 1 < word.base < top + 1)
        apart = not any(left < (word.left + word.right) / 2 < right for word in beside)
        if apart and (rows := _rows(cells)):
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
    areas = {cell: Rule.around(cells[cell]) for cell in cells}
    by_row = [[*row] for _, row in groupby(sorted(cells), lambda cell: cell.row)]
    beside = (pair for row in by_row for pair in pairwise(row))
    tops = [max(areas[cell].top for cell in row) for row in by_row]
    are_apart = (areas[one].right < areas[other].left + _MAX_OVERLAP for one, other in beside)
    in_order = all(are_apart) and all(above > below for above, below in pairwise(tops))
    if not in_order or sum(cell.rows * cell.columns for cell in cells) > MAX_REPEATED_CELLS:
        return []
    places = _stated_places(by_row)
    is_stated = _are_apart(places, areas)
    if not is_stated:  # some programs state no spans, or not the cells without text
        places = _places_of(areas)
    width = max(place.stop for place in places.values())
    numbers = range(by_row[0][0].row, by_row[-1][0].row + 1)
    grid = {n: [""] * width for n in numbers if width * len(numbers) <= MAX_REPEATED_CELLS}
    for cell, columns_of_cell in places.items():
        if not grid or grid[cell.row][columns_of_cell.start]:  # another cell is there
            return []
        text = SPACE_AT_SIGN.sub("", "\n".join(line.text for line in cells[cell]))
        height = cell.rows if is_stated else 1
        for row in range(cell.row, min(cell.row + height, numbers.stop)):
            for place in columns_of_cell if len(columns_of_cell) < width else columns_of_cell[:1]:
                grid[row][place] = grid[row][place] or text
    rows = [row for row in grid.values() if any(row)]
    alone = [row for row in rows if len({*row} - {""}) == 1]
    loose = sum(not row[0] for row in alone)
    values = [text for row in rows[1:] for text in row[1:] if text]
    of_numbers = 2 * sum(o.upper().isupper() for o in values) < len(values)
    heads = {*rows[0][1:]}
    if of_numbers and ("" in heads or not (is_stated or len(heads) == len(rows[0]) - 1)):
        return []  # `column_tables` knows the headers of numbers
    is_data = len(rows) > len(alone) + 1 and loose <= max(1, _MAX_LOOSE_SHARE * len(rows))
    if not is_data or any(len(max(row)) > _MAX_BAND_CHARACTERS for row in alone):
        return []
    columns = list[Sequence[str]]()
    for column in (column for column in zip(*rows, strict=True) if any(column)):
        pairs = [*zip(columns[-1], column, strict=True)] if columns else []
        alike = any(one == other or one in SIGNS for one, other in pairs if one)
        fit = all(one == other or not (one and other) or one in SIGNS for one, other in pairs)
        if fit and (alike or (columns and not is_stated)):  # the same cells, or a currency sign
            columns[-1] = [one if one == other else one + other for one, other in pairs]
        else:
            columns.append(column)
    return [*zip(*columns, strict=True)]


def _stated_places(by_row: Sequence[Sequence[CellTag]]) -> dict[CellTag, range]:
    """Return the columns of each cell, given the cells with text by row."""
    places, taken = dict[CellTag, range](), set[tuple[int, int]]()
    for row in by_row:
        start = before = -1
        for cell in row:
            for _ in range(before, cell.number):  # cells without text count, too
                start += 1
                while (cell.row, start) in taken:
                    start += 1
            places[cell], before = range(start, start + cell.columns), cell.number
            spanned = range(cell.row, cell.row + cell.rows)
            taken.update((n, place) for n in spanned for place in places[cell])
    return places


def _are_apart(places: Mapping[CellTag, range], areas: _Areas) -> bool:
    """Return whether each cell begins after the cells of the columns before its own."""
    width = max(place.stop for place in places.values())
    ends = [0.0] * (width + 1)
    for cell, spanned in places.items():
        ends[spanned.stop] = max(
            ends[spanned.stop], areas[cell].right if len(spanned) < width else 0.0
        )
    ends = [*accumulate(ends, max)]
    return all(
        ends[place.start] < areas[cell].left + _MAX_OVERLAP for cell, place in places.items()
    )


def _places_of(areas: _Areas) -> dict[CellTag, range]:
    """Return the columns of each cell by its place on the page: those that it overlaps with."""
    lefts, rights = list[float](), list[float]()  # sides of the columns

    def place(area: Rule) -> range:
        edge = min(_MAX_OVERLAP, (area.right - area.left) / 2)
        start = bisect_right(rights, area.left + edge)
        return range(start, max(start, bisect_left(lefts, area.right - edge)))

    for area in sorted(areas.values(), key=lambda area: area.right - area.left):
        columns = place(area)
        if len(columns) < 2:  # a wider cell spans columns
            inside = slice(columns.start, columns.stop)
            lefts[inside] = [min([area.left, *lefts[inside]])]
            rights[inside] = [max([area.right, *rights[inside]])]
    return {cell: place(area) for cell, area in areas.items()}
