"""Reads the pages of a PDF as Markdown with PDFium; run in a child process.

PDFium gives the characters of a page in reading order and in lines, those of right-to-left scripts
as they are read, and where each stands in which font. It neither bounds time nor memory, and has
crashed on damaged files: all that is left to the child's limits.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from math import hypot
from typing import Any

from lumber_files.limits import TooMuchError, check_unpacked
from lumber_files.pdf_layout import Line, Word, to_markdown
from lumber_files.pdf_text import clean_pages

_LINE = re.compile("([^\r\n\ufffe]*)(\ufffe|\r\n|$)")  # U+FFFE: a hyphen that ends a line
_WORD = re.compile(r"\S+")
_BOLD = re.compile("(?i)bold|black|heavy|demi|CMBX|SFBX")
_BOLD_WEIGHT = 600
_LONGEST_NAME = 200  # bytes of a font's name
_ERRORS = {  # of FPDF_GetLastError
    3: "is no PDF, or is damaged",
    4: "is encrypted: save it without a password",
    5: "is encrypted in a way that is not known",
}


def read_pages(content: bytes, most: int) -> list[str]:
    """Return the text of each page as Markdown; "" for a page without text.

    Args:
        content: The file.
        most: Maximum size in bytes of all text.

    Raises:
        TooMuchError: That is exceeded, or the file is damaged or encrypted.
    """
    import pypdfium2.raw as pdfium  # which initializes the library

    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        said = _ERRORS.get(pdfium.FPDF_GetLastError(), "cannot be read as PDF")
        raise TooMuchError(said)
    # Fields of forms are drawn if there is an environment for them.
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, pdfium.FPDF_FORMFILLINFO(version=2))
    pages, size = [], 0
    for number in range(pdfium.FPDF_GetPageCount(document)):
        pages.append(_lines(pdfium, document, form, number))
        size += sum(len(line.text.encode("utf-8", "replace")) for line in pages[-1])
        check_unpacked(size, most)
    return clean_pages(to_markdown(pages, list(_outline(pdfium, document))))


def _lines(pdfium: Any, document: Any, form: Any, number: int) -> list[Line]:
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        return []
    drawn = _Characters(pdfium, page)
    lines, own = drawn.lines(), drawn.count
    drawn.close()
    if pdfium.FPDFPage_GetAnnotCount(page):  # what they show becomes a part of the page
        if form:
            pdfium.FORM_OnAfterLoadPage(page, form)
        if pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
            pdfium.FPDF_ClosePage(page)
            page = pdfium.FPDF_LoadPage(document, number)
            drawn = _Characters(pdfium, page)
            lines = drawn.lines(annotated=own)
            drawn.close()
    pdfium.FPDF_ClosePage(page)
    return lines


class _Characters:
    """The characters of a page."""

    def __init__(self, pdfium: Any, page: Any) -> None:
        self._pdfium = pdfium
        self._page = pdfium.FPDFText_LoadPage(page)
        self.count: int = max(0, pdfium.FPDFText_CountChars(self._page))
        self._fonts: dict[int, tuple[float, bool]] = {}
        self._numbers = [ctypes.c_double() for _ in range(4)]

    def close(self) -> None:
        self._pdfium.FPDFText_ClosePage(self._page)

    def lines(self, annotated: int | None = None) -> list[Line]:
        """Return the lines with visible characters.

        Args:
            annotated: The number of the first character that is drawn by an annotation.
        """
        buffer = (ctypes.c_ushort * (self.count + 1))()
        size = self._pdfium.FPDFText_GetText(self._page, 0, self.count, buffer)
        text = bytes(buffer)[: 2 * (size - 1)].decode("utf-16-le", "surrogatepass")
        lines = []
        for match in _LINE.finditer(text):
            words = [self._word(word) for word in _WORD.finditer(text, *match.span(1))]
            if words:
                if match[2] == "\ufffe":
                    words[-1] = words[-1]._replace(text=words[-1].text + "-")
                added = annotated is not None and match.start() >= annotated
                lines.append(Line(words, added))
        return lines

    def _word(self, found: re.Match[str]) -> Word:
        pdfium, page = self._pdfium, self._page
        first, last = found.start(), found.end() - 1
        left, right, bottom, top = self._numbers
        size, bold = self._font(first)
        ends = []
        for index in (first, last) if last > first else (first,):
            pdfium.FPDFText_GetCharBox(page, index, left, right, bottom, top)
            ends += [left.value, right.value]
        pdfium.FPDFText_GetCharOrigin(page, first, left, bottom)
        return Word(found[0], min(ends), max(ends), bottom.value, size, bold)

    def _font(self, index: int) -> tuple[float, bool]:
        """Return the size of a character as it is drawn, and whether it is bold."""
        pdfium, page = self._pdfium, self._page
        drawn = pdfium.FPDFText_GetTextObject(page, index)
        key = ctypes.addressof(drawn.contents) if drawn else 0
        known = self._fonts.get(key)
        if known is None:
            matrix, flags = pdfium.FS_MATRIX(), ctypes.c_int()
            pdfium.FPDFText_GetMatrix(page, index, matrix)
            size = pdfium.FPDFText_GetFontSize(page, index) * hypot(matrix.c, matrix.d)
            name = ctypes.create_string_buffer(_LONGEST_NAME)
            pdfium.FPDFText_GetFontInfo(page, index, name, _LONGEST_NAME, flags)
            weight = pdfium.FPDFText_GetFontWeight(page, index)
            bold = weight >= _BOLD_WEIGHT or _BOLD.search(name.value.decode("latin-1")) is not None
            known = self._fonts[key] = round(2 * size) / 2, bold
        return known


def _outline(pdfium: Any, document: Any) -> Iterator[tuple[int, int, str]]:
    """Yield the bookmarks of a document: page from 0, level from 1, and title."""
    return
    yield
