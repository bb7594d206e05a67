"""Reads the headings that a tagged PDF states: Word, Chrome and InDesign write such files."""

from __future__ import annotations

import ctypes
from typing import Any

_LEVELS = {f"H{level}": level for level in range(1, 7)}
_NAME_BYTES = 6  # two letters, with the zero behind them


def stated_levels(pdfium: Any, page: Any) -> dict[int, int]:
    """Return the levels of a page's headings, by the numbers with which the file marks text."""
    levels, seen = dict[int, int](), set[int]()
    name = ctypes.create_string_buffer(_NAME_BYTES)
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    count = pdfium.FPDF_StructTree_CountChildren(tree)
    waiting = [(pdfium.FPDF_StructTree_GetChildAtIndex(tree, n), 0) for n in range(count)]
    while waiting:
        element, level = waiting.pop()
        if not element or (address := ctypes.addressof(element.contents)) in seen:
            continue
        seen.add(address)  # a damaged file may name an element many times
        if pdfium.FPDF_StructElement_GetType(element, name, _NAME_BYTES) == _NAME_BYTES:
            level = _LEVELS.get(name.raw.decode("utf-16-le")[:2], level)
        for number in range(pdfium.FPDF_StructElement_CountChildren(element)):
            waiting.append((pdfium.FPDF_StructElement_GetChildAtIndex(element, number), level))
            if level:
                mark = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, number)
                levels[mark] = level
    pdfium.FPDF_StructTree_Close(tree)
    levels.pop(-1, None)  # of what is an element, and no text
    return levels
