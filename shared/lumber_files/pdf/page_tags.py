"""Reads headings and tables from the tags of a PDF, as Word, Chrome and InDesign write them."""

from __future__ import annotations

import ctypes
from collections import Counter
from typing import Any, NamedTuple

_LEVELS = {f"H{level}": level for level in range(1, 7)}
_NAME_BYTES = 12  # bytes of "Table" in UTF-16 with a zero at the end; no longer names are read
_MAX_SPANNED = 100  # rows or columns that a cell spans; a damaged file may state any number


class CellTag(NamedTuple):
    """A cell of a table: `number` is its place in the row, without cells from rows above."""

    table: int = 0  # its number on the page, from 1; 0 outside tables
    row: int = 0
    number: int = 0
    rows: int = 1
    columns: int = 1


class TextTag(NamedTuple):
    """What the tags of a page state about a text."""

    level: int = 0  # the level of the heading that contains the text, or 0
    cell: CellTag = CellTag()
    is_label: bool = False  # whether the text is the bullet or number of an item


Tags = dict[int, TextTag]
"""The tags of texts, by the number with which the file marks each."""


def read_tags(pdfium: Any, page: Any) -> Tags:
    """Return the headings and the cells of tables in the tags of a page."""
    tags, addresses, rows, tables = Tags(), set[int](), Counter[int](), 0
    name = ctypes.create_string_buffer(_NAME_BYTES)
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    count = pdfium.FPDF_StructTree_CountChildren(tree)
    roots = (pdfium.FPDF_StructTree_GetChildAtIndex(tree, number) for number in range(count))
    waiting = [(root, 0, CellTag()) for root in roots][::-1]
    while waiting:
        element, level, cell = waiting.pop()
        if not element or (address := ctypes.addressof(element.contents)) in addresses:
            continue
        addresses.add(address)  # a damaged file may name an element many times
        size = pdfium.FPDF_StructElement_GetType(element, name, _NAME_BYTES)
        kind = name.raw[: size - 2].decode("utf-16-le") if size <= _NAME_BYTES else ""
        level = _LEVELS.get(kind, level)
        if kind == "Table":
            tables += 1
            cell = CellTag(tables)
        rows[cell.table] += kind == "TR"
        for number in range(pdfium.FPDF_StructElement_CountChildren(element))[::-1]:
            child = pdfium.FPDF_StructElement_GetChildAtIndex(element, number)
            mark = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, number)
            if kind == "TR" and cell.table:
                spans = (_span(pdfium, child, attribute) for attribute in (b"RowSpan", b"ColSpan"))
                cell = CellTag(cell.table, rows[cell.table], number, *spans)
            is_label = kind == "Lbl" or (mark in tags and tags[mark].is_label)
            tags[mark] = TextTag(level, cell if cell.row else CellTag(), is_label)
            waiting.append((child, level, cell))
    pdfium.FPDF_StructTree_Close(tree)
    tags.pop(-1, None)  # children that are elements, not text
    return tags


def _span(pdfium: Any, element: Any, name: bytes) -> int:
    number = ctypes.c_float(1)
    for place in range(max(0, pdfium.FPDF_StructElement_GetAttributeCount(element))):
        attribute = pdfium.FPDF_StructElement_GetAttributeAtIndex(element, place)
        value = pdfium.FPDF_StructElement_Attr_GetValue(attribute, name)
        if pdfium.FPDF_StructElement_Attr_GetNumberValue(value, number):
            break
    return int(min(max(1.0, number.value), _MAX_SPANNED))
