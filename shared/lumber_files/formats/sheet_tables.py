"""Writes the cells of a sheet as tables in Markdown, divided where cells are empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from lumber_core.support.wording import with_noun
from lumber_files.formats.markdown_cleanup import (
    MAX_REPEATED_CELLS,
    NUMBER_START,
    join_table,
    names_columns,
)

MAX_COLUMNS = 16_384  # columns of a sheet in Excel and LibreOffice
_MAX_CELLS = 20_000_000  # cells of a sheet, empty cells included; hostile files have more
_Cells = dict[int, dict[int, str]]


@dataclass
class SheetCells:
    """The texts of a sheet by row and column, and the first and last corners of merged cells."""

    cells: _Cells = field(default_factory=dict)
    merged: list[tuple[int, ...]] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)


def write_cells(grid: SheetCells, counts: Counter[str]) -> Iterator[str]:
    """Yield the tables of a sheet and the titles above them; count hidden rows and columns."""
    _repeat_merged(grid)
    hidden_rows = grid.hidden_rows & grid.cells.keys()
    used = {column for n in grid.cells.keys() - hidden_rows for column in grid.cells[n]}
    counts.update(row=len(hidden_rows), column=len(used & grid.hidden_columns))
    columns = used - grid.hidden_columns
    visible_cells = {
        n: {column: cells[column] for column in cells if column in columns and n not in hidden_rows}
        for n, cells in grid.cells.items()
    }
    yield from divide_rows(_dense_rows(visible_cells))


def list_notices(counts: Counter[str]) -> list[str]:
    """Return notices of hidden sheets, rows and columns, and of formulas."""
    kinds = [kind for kind in ("sheet", "row", "column") if counts[kind]]
    hidden = ", ".join(with_noun(counts[kind], f"hidden {kind}") for kind in kinds)
    formulas = f"{with_noun(counts['formula'], 'formula')} without a stored value"
    return [*[f"{hidden} left out"][: len(kinds)], *[formulas][: counts["formula"]]]


def _repeat_merged(grid: SheetCells) -> None:
    """Repeat each merged cell in the rows and columns that it spans.

    A cell that is alone in its row is a title, and is not repeated.
    """
    room, cells = MAX_REPEATED_CELLS, grid.cells
    for top, left, bottom, right in grid.merged:
        text = cells.get(top, {}).get(left, "")
        width, below = right + 1 - left, range(top, bottom + 1)
        rows = [n for n in below if n in cells] if text and len(below) <= room else []
        for number in rows if rows[1:] or len(cells.get(top, ())) > 1 else ():
            if width <= room:
                room -= width
                cells[number] = dict.fromkeys(range(left, right + 1), text) | cells[number]


def _dense_rows(cells: _Cells) -> Iterator[list[str]]:
    """Yield the rows of a sheet with their empty cells; an empty row replaces missing rows."""
    used = sorted({column for row in cells.values() for column in row})
    columns: list[int] = []
    for column in used:
        columns += [0, column] if columns and column - columns[-1] > 1 else [column]
    if len(cells) * len(columns) > _MAX_CELLS:
        raise ValueError("its cells are too far apart")
    for before, number in pairwise([0, *sorted(cells)]):
        if number - before > 1:
            yield []
        if row := cells[number]:  # a hidden row is empty, and the table continues below it
            yield [row.get(column, "") for column in columns]


def divide_rows(rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield the tables in the rows of a sheet, and the titles above them."""
    header: list[str] = []  # a table without a header has the header of the table before
    for table in _tables(rows):
        while table and sum(map(bool, table[0])) == 1:
            below = table[1] if table[1:] else []
            if sum(map(bool, below)) == 1 and any(map(all, zip(table[0], below, strict=True))):
                break  # the titles are a column
            yield f"**{''.join(table.pop(0))}**"
        if table:
            columns = [n for n, column in enumerate(zip(*table, strict=True)) if any(column)]
            first, *records = ([row[n] for n in columns] for row in table)
            if records and names_columns(first, records):
                header = table.pop(0)
            elif len(header) != len(table[0]) or not all(header[n] for n in columns[1:]):
                header = [""] * len(table[0])
            yield join_table([row[n] for n in columns] for row in (header, *table))


def _tables(rows: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the tables of a sheet: empty rows divide them, or they are side by side."""
    for filled, group in groupby(rows, any):
        if not filled:
            continue
        block: list[list[str]] = []
        before: list[int] = []
        for row in group:
            places = [n for n, text in enumerate(row) if text]
            if min(len(before), len(places)) > 1 and (
                before[-1] < places[0] or places[-1] < before[0]
            ):
                yield block
                block = []
            block.append(row)
            before = places
        gap = _find_gap(block)
        if gap:
            yield from _tables([row[:gap] for row in block])
            yield from _tables([[""] * gap + row[gap:] for row in block])
        else:
            yield block


def _find_gap(rows: list[list[str]]) -> int:
    """Return the empty column between two tables that both have a header; 0 if there is none."""
    used = {n for row in rows for n, text in enumerate(row) if text}
    for gap in sorted(set(range(1, len(rows[0]))) - used):
        left, right = (
            _start_of_table(rows, sorted(used & set(columns)))
            for columns in (range(gap), range(gap, len(rows[0])))
        )
        if left and right:
            labels = [row[right[1]] for row in rows[right[0] + 1 :]]
            if left[0] != right[0] or not any(map(NUMBER_START.match, labels)):
                return gap
    return 0


def _start_of_table(rows: list[list[str]], columns: list[int]) -> tuple[int, int] | None:
    """Return the first row and column of a table, None if its first row does not name columns."""
    top = next((n for n, row in enumerate(rows) if any(row[c] for c in columns)), len(rows))
    names = [row[column] for row in rows[top : top + 1] for column in columns]
    is_table = len(names) > 1 and all(names) and top + 1 < len(rows)
    return None if not is_table or any(map(NUMBER_START.match, names)) else (top, columns[0])
