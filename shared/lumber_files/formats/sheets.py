"""Reads workbooks (XLSX) with values as they are shown, and divides sheets into tables."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from io import BytesIO
from itertools import groupby, pairwise
from typing import Any

from lumber_core.support.wording import with_noun
from lumber_files.formats.charts import read_chart
from lumber_files.formats.markdown_cleanup import (
    MAX_REPEATED_CELLS,
    NUMBER_START,
    join_table,
    names_columns,
    split_row,
)
from lumber_files.formats.number_formats import BUILT_IN, show_number, show_text
from lumber_files.formats.package import clean_description, find, link_targets, parse_xml, show_runs
from lumber_files.formats.symbol_fonts import show_symbols

_RUNS = ("x", "x:rFont/@val", "x:vertAlign/@val")  # of a text in a cell, for show_runs
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")  # of a character, such as a line end
_LINK = "string(@*[local-name()='id'])"
_MOST_CELLS = 20_000_000  # of a sheet with its empty ones; hostile files have more
_MOST_COLUMNS = 16_384  # of a sheet in Excel
_Grid = dict[int, dict[int, str]]


class _Workbook:
    """The parts of a workbook that its sheets refer to, and counts of what is not shown."""

    def __init__(self, parts: Mapping[str, bytes], workbook: str) -> None:
        self.notices: Counter[str] = Counter()
        self._parts = parts
        folder, links = posixpath.dirname(workbook), link_targets(parts, workbook)
        root, strings, styles = (
            parse_xml(parts.get(name, b"<x/>"))
            for name in (workbook, f"{folder}/sharedStrings.xml", f"{folder}/styles.xml")
        )
        sheets = root.iterfind("{*}sheets/{*}sheet")
        self.sheets = [(sheet, links.get(sheet.xpath(_LINK), "")) for sheet in sheets]
        self._from_1904 = bool(root.xpath("//*[@date1904='1' or @date1904='true']"))
        # XlsxWriter calculates nothing: it writes 0, and that all is to be calculated.
        self._not_calculated = {"0"} if root.xpath("//*[@fullCalcOnLoad='1']") else set()
        for item in find(strings, "//x:si[x:r]"):
            show_runs(item, *_RUNS)
        self._strings = [_text(item) for item in strings.iterfind("{*}si")]
        codes = dict(BUILT_IN)
        for each in styles.iterfind("{*}numFmts/{*}numFmt"):
            codes[int(each.get("numFmtId", 0))] = each.get("formatCode", "")
        looks = [*styles.iterfind("{*}cellXfs/{*}xf")]
        self._formats = [codes.get(int(look.get("numFmtId", 0)), "General") for look in looks]
        names = [find(font, "string(x:name/@val)") for font in find(styles, "x:fonts/x:font")]
        self._fonts = [(names[int(look.get("fontId", 0)) :] or [""])[0] for look in looks]

    def read_sheet(self, name: str) -> _Grid:
        """Return the cells of a sheet that can be seen, by row and column."""
        from lxml import etree

        grid: _Grid = {}
        merged: list[str] = []
        hidden_rows: set[int] = set()
        hidden_columns: set[int] = set()
        number = 0
        sheet = BytesIO(self._parts.get(name, b"<worksheet/>"))
        tags = ("{*}col", "{*}row", "{*}mergeCell")
        for _, element in etree.iterparse(sheet, tag=tags, resolve_entities=False):
            is_hidden = element.get("hidden") in ("1", "true")
            if element.tag.endswith("}mergeCell"):
                merged.append(element.get("ref", ""))
            elif element.tag.endswith("}col"):
                columns = range(int(element.get("min", 1)), int(element.get("max", 1)) + 1)
                hidden_columns |= {*columns[: _MOST_COLUMNS * is_hidden]}
            else:
                number = int(element.get("r", number + 1))
                column = 0
                for cell in element.iterfind("{*}c"):
                    place = _place(cell.get("r", ""))
                    column = place[1] if place else column + 1
                    text, style = self._show(cell), int(cell.get("s", 0))
                    # In a longer text, each run may have a font of its own.
                    fonts = self._fonts[style : style + 1] if len(text) == 1 else ()
                    if text := show_symbols(text, *fonts):
                        row = grid.setdefault(number, {})
                        row[column] = " ".join(text.split()).replace("|", "\\|")
                hidden_rows |= {number} if is_hidden and number in grid else set()
                element.clear()
        _repeat_merged(grid, merged)
        used = {c for number in grid.keys() - hidden_rows for c in grid[number]}
        self.notices.update(row=len(hidden_rows), column=len(used & hidden_columns))
        return {
            n: {c: cells[c] for c in cells if n not in hidden_rows and c not in hidden_columns}
            for n, cells in grid.items()
        }

    def _show(self, cell: Any) -> str:
        """Return the text of a cell as a sheet shows it, or its formula if no value is stored."""
        kind = cell.get("t", "n")
        formula, value = cell.find("{*}f"), cell.findtext("{*}v")
        if kind == "inlineStr":
            show_runs(cell, *_RUNS)
            return _text(cell)
        if formula is not None and value in self._not_calculated:
            value = None
        if value is None or (not value and kind != "str"):
            self.notices["formula"] += formula is not None
            # Of formulas that cells share, the first cell has the text.
            return f"={formula.text}" if formula is not None and formula.text else ""
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        with suppress(ValueError, IndexError):
            style = int(cell.get("s", 0))
            code = (self._formats[style : style + 1] or ["General"])[0]
            if kind in ("s", "str"):
                return show_text(self._strings[int(value)] if kind == "s" else value, code)
            if kind == "n":
                return show_number(float(value), code, from_1904=self._from_1904)
        return "" if kind == "s" else str(value)


def read_workbook(parts: Mapping[str, bytes]) -> tuple[str, list[str]] | None:
    """Return the Markdown of a workbook in XML, and notices of what is left out."""
    linked = parts.keys() & link_targets(parts, "").values()
    if not (names := [name for name in linked if re.search(r"workbook\w*\.xml$", name)]):
        return None
    book = _Workbook(parts, names[0])
    blocks = []
    for sheet, name in book.sheets:
        if sheet.get("state", "visible") != "visible":
            book.notices["sheet"] += 1
        else:
            shown = [*_write_sheet(_dense_rows(book.read_sheet(name))), *read_drawings(parts, name)]
            blocks += [f"## {sheet.get('name')}", *shown] if shown else []
    return "\n\n".join(blocks), list_notices(book.notices, "left out")


def list_notices(counts: Counter[str], state: str) -> list[str]:
    """Return notices of hidden sheets, rows and columns in a state, and of formulas."""
    kinds = [kind for kind in ("sheet", "row", "column") if counts[kind]]
    hidden = ", ".join(with_noun(counts[kind], f"hidden {kind}") for kind in kinds)
    formulas = f"{with_noun(counts['formula'], 'formula')} without a stored value"
    return [*[f"{hidden} {state}"][: len(kinds)], *[formulas][: counts["formula"]]]


def read_drawings(parts: Mapping[str, bytes], sheet: str) -> Iterator[str]:
    """Yield the texts and charts that are drawn on a sheet."""
    for name in link_targets(parts, sheet).values():
        if "/drawings/drawing" not in name or name not in parts:
            continue
        drawing, targets = parse_xml(parts[name]), link_targets(parts, name)
        shown = "//*[local-name()='p'][not(ancestor::mc:Fallback)]"
        diagrams = parts.keys() & {name for name in targets.values() if "/diagrams/data" in name}
        for part in (drawing, *(parse_xml(parts[name]) for name in sorted(diagrams))):
            for drawn in find(part, f"{shown} | //*[local-name()='pic']//@descr"):
                text = clean_description(drawn) if isinstance(drawn, str) else _text(drawn).strip()
                yield from filter(None, [text])
        for frame in drawing.iterfind(".//{*}chart"):
            if chart := parts.get(targets.get(frame.xpath(_LINK), "")):
                title, rows = read_chart(parse_xml(chart))
                yield from filter(None, [f"**{title}**" * bool(title)])
                if rows:
                    yield join_table([text.replace("|", "\\|") for text in row] for row in rows)


def divide_sheets(markdown: str) -> str:
    """Divide sheets in Markdown into tables at empty rows, and drop empty columns."""
    blocks: list[str] = []
    for block in markdown.split("\n\n"):
        first, _, *more = [*block.split("\n"), ""]
        rows = [split_row(line) for line in (first, *more) if line]
        blocks += _write_sheet(rows) if block.startswith("|") else [block]
    return "\n\n".join(blocks)


def _text(item: Any) -> str:
    """Return the text of a string, without readings above it."""
    runs = item.iterfind(".//{*}t")
    text = "".join(t.text or "" for t in runs if not t.getparent().tag.endswith("}rPh"))
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)


def _place(reference: str) -> tuple[int, int] | None:
    """Return the row and column of a cell such as "B2", from 1 on."""
    match = re.fullmatch(r"([A-Z]{1,3})(\d+)", reference)
    column = reduce(lambda n, letter: n * 26 + ord(letter) - 64, match[1] if match else "", 0)
    return (int(match[2]), column) if match else None


def _repeat_merged(grid: _Grid, merged: Iterable[str]) -> None:
    """Repeat each merged cell in the rows and columns that it spans.

    One that is alone in its row is a title, and is not repeated.
    """
    room = MAX_REPEATED_CELLS
    for reference in merged:
        first, last = (_place(each) for each in [*reference.split(":"), ""][:2])
        text = grid.get(first[0], {}).get(first[1]) if first and last else None
        if not (first and last and text) or (first[0] == last[0] and len(grid[first[0]]) == 1):
            continue
        width, below = last[1] + 1 - first[1], range(first[0], last[0] + 1)
        for number in below if len(below) <= room else ():
            if number in grid and width <= room:
                room -= width
                grid[number] = dict.fromkeys(range(first[1], last[1] + 1), text) | grid[number]


def _dense_rows(grid: _Grid) -> Iterator[list[str]]:
    """Yield the rows of a sheet with their empty cells; an empty row is where rows are missing."""
    used = sorted({column for cells in grid.values() for column in cells})
    columns: list[int] = []
    for column in used:
        columns += [0, column] if columns and column - columns[-1] > 1 else [column]
    if len(grid) * len(columns) > _MOST_CELLS:
        raise ValueError("its cells are too far apart")
    for before, number in pairwise([0, *sorted(grid)]):
        if number - before > 1:
            yield []
        if cells := grid[number]:  # else it is hidden, and the table goes on below it
            yield [cells.get(column, "") for column in columns]


def _write_sheet(rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield the tables of a sheet, and the titles above them."""
    header: list[str] = []  # a table without one has that of the table before
    for table in _tables(rows):
        while table and sum(map(bool, table[0])) == 1:
            below = table[1] if table[1:] else []
            if sum(map(bool, below)) == 1 and any(map(all, zip(table[0], below, strict=True))):
                break  # they are a column
            yield f"**{''.join(table.pop(0))}**"
        if table:
            columns = [n for n, column in enumerate(zip(*table, strict=True)) if any(column)]
            first = [table[0][n] for n in columns]
            if table[1:] and names_columns(first):
                header = table.pop(0)
            elif len(header) != len(table[0]) or not all(header[n] for n in columns[1:]):
                header = [""] * len(table[0])
            yield join_table([row[n] for n in columns] for row in (header, *table))


def _tables(rows: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the tables of a sheet: they are divided by empty rows, or stand side by side."""
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
    """Return the empty column between two tables that each have a header; 0 without one."""
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
