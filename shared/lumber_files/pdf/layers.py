"""Loads pages without layers that are switched off, which PDFium would read."""

from __future__ import annotations

import ctypes
from typing import Any

_PIXELS = 128  # pixels on each side of a drawing of a page: enough for a letter to leave a trace
_BACKGROUND = b"\xbf\x3f\x7f\xff"  # blue, green, red; a colour that no text has


def may_have_layers(content: bytes) -> tuple[bool, bool]:
    """Return whether a file states that it has layers, and whether it has compressed objects."""
    return b"/OCG" in content, b"/ObjStm" in content


def load_page(pdfium: Any, document: Any, index: int, may_have: tuple[bool, bool]) -> Any:
    """Return a page without objects in layers that are switched off, given `may_have_layers`.

    PDFium has no function that tells whether a layer is on. So each object that is marked as part
    of a layer and, in a file with layers, each form is drawn alone: a form may lack the mark.
    """
    page, forms = pdfium.FPDF_LoadPage(document, index), may_have[0]
    layered = page and any(may_have)
    count = pdfium.FPDFPage_CountObjects(page) if layered else 0
    drawn = [pdfium.FPDFPage_GetObject(page, n) for n in range(count)]
    name, length = (ctypes.c_ushort * 4)(), ctypes.c_ulong()
    layers: dict[int | None, list[int]] = {}
    for number, item in enumerate(drawn):
        if forms and pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_FORM:
            layers[-number] = [number]
        for place in range(pdfium.FPDFPageObj_CountMarks(item)):
            mark = pdfium.FPDFPageObj_GetMark(item, place)
            pdfium.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), length)
            if name[:3] == [*b"OC\0"]:
                layers.setdefault(ctypes.cast(mark, ctypes.c_void_p).value, []).append(number)
    if not layers:
        return page
    for item in drawn:
        pdfium.FPDFPageObj_SetIsActive(item, 0)
    blank, hidden_objects = _BACKGROUND * _PIXELS * _PIXELS, set[int]()
    bitmap = pdfium.FPDFBitmap_CreateEx(_PIXELS, _PIXELS, pdfium.FPDFBitmap_BGRx, None, 4 * _PIXELS)
    for numbers in layers.values():
        ctypes.memmove(pdfium.FPDFBitmap_GetBuffer(bitmap), blank, len(blank))
        for outer in (drawn[number] for number in numbers):
            pdfium.FPDFPageObj_SetIsActive(outer, 1)
            inside = range(max(0, pdfium.FPDFFormObj_CountObjects(outer)))
            for text in (outer, *(pdfium.FPDFFormObj_GetObject(outer, n) for n in inside)):
                pdfium.FPDFTextObj_SetTextRenderMode(text, 0)  # text of a scan is invisible
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, _PIXELS, _PIXELS, 0, 0)
        if ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), len(blank)) == blank:
            hidden_objects.update(numbers)
        for number in numbers:
            pdfium.FPDFPageObj_SetIsActive(drawn[number], 0)
    pdfium.FPDFBitmap_Destroy(bitmap)
    for number, item in enumerate(drawn):
        pdfium.FPDFPageObj_SetIsActive(item, number not in hidden_objects)
    return page
