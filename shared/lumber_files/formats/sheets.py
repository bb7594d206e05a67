"""Reads workbooks (XLSX) with values as displayed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache, reduce
from io import BytesIO
from typing import Any

from lumber_files.formats.charts import read_chart
from lumber_files.formats.markdown_cleanup import join_table
from lumber_files.formats.number_formats import BUILT_IN, show_number
from lumber_files.formats.package import (
    clean_description,
    find,
    find_linked,
    link_targets,
    parse_xml,
    show_runs,
)
from lumber_files.formats.sheet_tables import MAX_COLUMNS, SheetCells, list_notices, write_cells
from lumber_files.formats.symbol_fonts import show_symbols

_RUNS = ("x", "x:rFont/@val", "x:vertAlign/@val")  # arguments of `show_runs` for a text in a cell
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")  # an escaped character: "_x000A_" is a line end
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d+)")  # the reference to a cell, such as "B12"
_LINK = "string(@*[local-name()='id'])"


class _Workbook:
    """The parts of a workbook to which its sheets refer, and counts of hidden content."""

    def __init__(self, parts: Mapping[str, bytes], workbook: str) -> None:
        self.notices: Counter[str] = Counter()
        self._parts = parts
        links = link_targets(parts, workbook)
        linked = (find_linked(parts, workbook, kind) for kind in ("sharedStrings", "styles"))
        root, strings, styles = (
            parse_xml(parts.get(name, b"<x/>")) for name in (workbook, *linked)
        )
        sheets = root.iterfind("{*}sheets/{*}sheet")
        self.sheets = [(sheet, links.get(sheet.xpath(_LINK), "")) for sheet in sheets]
        self._from_1904 = bool(root.xpath("//*[@date1904='1' or @date1904='true']"))
        # XlsxWriter calculates nothing: it writes 0, and a mark that all values must be calculated.
        self._not_calculated = {"0"} if root.xpath("//*[@fullCalcOnLoad='1']") else set()
        for item in (rich := find(strings, "//x:si[x:r]")):
            show_runs(item, *_RUNS)
        self._rich = {*map(_text, rich)}  # each run may have a font of its own
        self._strings = [_text(item) for item in strings.iterfind("{*}si")]
        formats = styles.iterfind("{*}numFmts/{*}numFmt")
        codes = BUILT_IN | {int(f.get("numFmtId", 0)): f.get("formatCode", "") for f in formats}
        looks = [*styles.iterfind("{*}cellXfs/{*}xf")]
        self._formats = [codes.get(int(look.get("numFmtId", 0)), "General") for look in looks]
        names = [find(font, "string(x:name/@val)") for font in find(styles, "x:fonts/x:font")]
        self._fonts = [(names[int(look.get("fontId", 0)) :] or [""])[0] for look in looks]

    def read_sheet(self, name: str) -> SheetCells:
        """Return the displayed cells of a sheet."""
        from lxml import etree

        grid, number = SheetCells(), 0
        sheet = BytesIO(self._parts.get(name, b"<worksheet/>"))
        tags = ("{*}col", "{*}row", "{*}mergeCell")
        for _, element in etree.iterparse(sheet, tag=tags, resolve_entities=False):
            size = element.get("width", element.get("ht"))  # width of a column, or height of a row
            is_hidden = element.get("hidden") in ("1", "true") or size == "0"
            if element.tag.endswith("}mergeCell"):
                corners = [_place(name) for name in element.get("ref", "").split(":")]
                grid.merged += [corners[0] + corners[1]] if all(corners[:2]) and corners[1:] else []
            elif element.tag.endswith("}col"):
                columns = range(int(element.get("min", 1)), int(element.get("max", 1)) + 1)
                grid.hidden_columns |= {*columns[: MAX_COLUMNS * is_hidden]}
            else:
                number = int(element.get("r", number + 1))
                column = 0
                for cell in element.iterchildren("{*}c"):
                    place = _place(cell.get("r", ""))
                    column = place[1] if place else column + 1
                    text, style = self._show(cell), int(cell.get("s") or 0)
                    fonts = self._fonts[style : style + 1] if text not in self._rich else ()
                    if text := show_symbols(text, *fonts):
                        row = grid.cells.setdefault(number, {})
                        row[column] = " ".join(text.split()).replace("|", "\\|")
                grid.hidden_rows |= {number} if is_hidden else set()
                element.clear()
        return grid

    def _show(self, cell: Any) -> str:
        """Return the displayed text of a cell, or its formula if no value is stored."""
        kind = cell.get("t", "n")
        children = {child.tag.rpartition("}")[2]: child for child in cell.iterchildren("*")}
        formula = children.get("f")
        value = (children["v"].text or "") if "v" in children else None
        if kind == "inlineStr":
            show_runs(cell, *_RUNS)
            self._rich |= {*map(_text, find(cell, "x:is[x:r]"))}
            return _text(cell)
        if formula is not None and value in self._not_calculated:
            value = None
        if value is None or (not value and kind != "str"):
            self.notices["formula"] += formula is not None
            # The first cell of a shared formula has its text.
            return f"={formula.text}" if formula is not None and formula.text else ""
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        with suppress(ValueError, IndexError):
            style = int(cell.get("s") or 0)
            code = (self._formats[style : style + 1] or ["General"])[0]
            if kind in ("s", "str"):
                return self._strings[int(value)] if kind == "s" else value
            if kind == "n":
                return show_number(float(value), code, from_1904=self._from_1904)
            if kind == "d" and code != "General":
                days = (datetime.fromisoformat(value) - datetime(1899, 12, 30)) / timedelta(1)
                return show_number(days, code)
        return "" if kind == "s" else str(value)


def read_workbook(parts: Mapping[str, bytes]) -> tuple[str, list[str]] | None:
    """Return the Markdown of a workbook in XML, and notices about omitted content."""
    workbook = find_linked(parts, "", "officeDocument")
    if workbook not in parts or workbook.endswith(".bin"):  # XLSB
        return None
    book = _Workbook(parts, workbook)
    blocks = []
    for sheet, name in book.sheets:
        if sheet.get("state", "visible") != "visible":
            book.notices["sheet"] += 1
        else:
            tables = write_cells(book.read_sheet(name), book.notices)
            shown = [*tables, *read_drawings(parts, name)]
            blocks += [f"## {sheet.get('name')}", *shown] if shown else []
    return "\n\n".join(blocks), list_notices(book.notices)


def read_drawings(parts: Mapping[str, bytes], sheet: str) -> Iterator[str]:
    """Yield the texts and charts of shapes on a sheet."""
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


def _text(item: Any) -> str:
    """Return the text of a string, without readings above it."""
    runs = item.iterfind(".//{*}t")
    text = "".join(t.text or "" for t in runs if not t.getparent().tag.endswith("}rPh"))
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)


def _place(reference: str) -> tuple[int, ...]:
    """Return the row and column of a cell such as "B2", from 1 on, or nothing."""
    match = _REFERENCE.fullmatch(reference)
    return (int(match[2]), _column(match[1])) if match else ()


@cache
def _column(letters: str) -> int:
    """Return the number of a column, from 1 on, by its up to three letters."""
    return reduce(lambda n, letter: n * 26 + ord(letter) - 64, letters, 0)
