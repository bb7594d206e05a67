"""Reads the pages of a PDF as Markdown with PDFium; run in a child process.

PDFium gives the characters of a page in reading order and in lines, those of right-to-left scripts
as they are read, and where each stands in which font. It neither bounds time nor memory, and has
crashed on damaged files: all that is left to the child's limits.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import suppress
from math import hypot
from typing import Any

from lumber_files.limits import check_unpacked
from lumber_files.pdf_headings import title_key
from lumber_files.pdf_lines import TextLine, Word
from lumber_files.pdf_markdown import finish, to_markdown
from lumber_files.pdf_tables import Rule
from lumber_files.pdf_text import clean_pages

# PDFium puts U+FFFE for a hyphen that ends a line; here U+FDD1 is U+2010 that does.
_LINE = re.compile("([^\r\n\ufffe\ufdd1]*)(\ufffe|\ufdd1|\r\n|$)")
_HYPHENS = {"\ufffe": "-", "\ufdd1": "\u2010"}
_WORD = re.compile(
    r"[\S\x0b\x0c\x1c-\x1f\x85]+"
)  # codes of glyphs that say no character are no spaces
_BOLD = re.compile("(?i)bold|black|heavy|demi|CMBX|SFBX")
_BOLD_WEIGHT = 600
_BELOW = 0.6  # times the size of the type; no letter goes so far below its line
_A_LINE, _A_RECTANGLE = 2, (4, 5)  # segments of a path, with the move to its start
_THIN, _LONG = 2.0, 6.0  # points; what is drawn so are the lines of a table
_DEEPEST = 6  # of bookmarks
_LONGEST_NAME = 200  # bytes of a font's name
_ERRORS = {  # of FPDF_GetLastError
    4: "it needs a password: save it without one",
    5: "it is encrypted in an unknown way",
}


def read_pages(content: bytes, most: int) -> tuple[str, list[str]]:
    """Return the title in the properties, and each page as Markdown; "" for none.

    Args:
        content: The file.
        most: Maximum size in bytes of all text.

    Raises:
        TooMuchError: That is exceeded.
        ValueError: The file is damaged or encrypted.
    """
    import pypdfium2.raw as pdfium  # which initializes the library
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(content)
    except PdfiumError as error:
        raise ValueError(_ERRORS.get(error.err_code, "it is damaged, or no PDF")) from error
    # Fields of forms are drawn if there is an environment for them.
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, pdfium.FPDF_FORMFILLINFO(version=2))
    pages, rules, size = [], [], 0
    for number in range(len(document)):
        lines, drawn = _read(pdfium, document, form, number)
        pages.append(lines)
        rules.append(drawn)
        size += sum(len(line.text.encode("utf-8", "replace")) for line in pages[-1])
        check_unpacked(size, most)
    texts = to_markdown(pages, rules, dict(_outline(document)))
    title = ""
    with suppress(UnicodeDecodeError):
        title = document.get_metadata_value("Title")
    return title, [finish(page) for page in clean_pages(texts)]


def _read(pdfium: Any, document: Any, form: Any, number: int) -> tuple[list[TextLine], list[Rule]]:
    """Return the lines of text of a page, and the lines that are drawn on it."""
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        return [], []
    drawn = _Characters(pdfium, page)
    lines, own = drawn.lines(), drawn.count
    drawn.close()
    if _has_fields(pdfium, page):  # what they show becomes a part of the page
        if form:
            pdfium.FORM_OnAfterLoadPage(page, form)
        if pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
            pdfium.FPDF_ClosePage(page)
            page = pdfium.FPDF_LoadPage(document, number)
            drawn = _Characters(pdfium, page)
            lines = drawn.lines(annotated=own)
            drawn.close()
    rules = list(_rules(pdfium, page))
    pdfium.FPDF_ClosePage(page)
    return lines, rules


def _has_fields(pdfium: Any, page: Any) -> bool:
    """Return whether a page has annotations that show a text, as links do not."""
    for number in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind not in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP):
            return True
    return False


def _rules(pdfium: Any, page: Any) -> Iterator[Rule]:
    ends = [ctypes.c_float() for _ in range(4)]
    fills, strokes = ctypes.c_int(), ctypes.c_int()
    get, kind, path = (
        pdfium.FPDFPage_GetObject,
        pdfium.FPDFPageObj_GetType,
        pdfium.FPDF_PAGEOBJ_PATH,
    )
    for number in range(pdfium.FPDFPage_CountObjects(page)):  # of thousands, most are words
        drawn = get(page, number)
        if kind(drawn) != path:
            continue
        pdfium.FPDFPageObj_GetBounds(drawn, *ends)
        left, bottom, right, top = (end.value for end in ends)
        segments = pdfium.FPDFPath_CountSegments(drawn)
        if segments == _A_LINE or min(right - left, top - bottom) < _THIN:
            if max(right - left, top - bottom) > _LONG:
                yield Rule(left, bottom, right, top)
        elif segments in _A_RECTANGLE:
            pdfium.FPDFPath_GetDrawMode(drawn, fills, strokes)
            if strokes.value:  # a cell
                yield Rule(left, bottom, left, top)
                yield Rule(right, bottom, right, top)
                yield Rule(left, bottom, right, bottom)
                yield Rule(left, top, right, top)


class _Characters:
    """The characters of a page."""

    def __init__(self, pdfium: Any, page: Any) -> None:
        self._pdfium = pdfium
        self._page = pdfium.FPDFText_LoadPage(page)
        self.count: int = max(0, pdfium.FPDFText_CountChars(self._page))
        self._bold: dict[bytes, bool] = {}
        self._matrix, self._flags = pdfium.FS_MATRIX(), ctypes.c_int()
        self._name = ctypes.create_string_buffer(_LONGEST_NAME)
        self._numbers = [ctypes.c_double() for _ in range(4)]

    def close(self) -> None:
        self._pdfium.FPDFText_ClosePage(self._page)

    def lines(self, annotated: int | None = None) -> list[TextLine]:
        """Return the lines with visible characters.

        Args:
            annotated: The number of the first character that is drawn by an annotation.
        """
        buffer = (ctypes.c_ushort * (self.count + 1))()
        size = self._pdfium.FPDFText_GetText(self._page, 0, self.count, buffer)
        text = "".join(map(chr, buffer[: size - 1]))  # units of UTF-16, as PDFium counts
        text = re.sub("\u2010(?=\\S)", self._hyphen, text)
        lines = []
        for match in _LINE.finditer(text):
            words = self._words(list(_WORD.finditer(text, *match.span(1))))
            if words and match[2] in _HYPHENS:
                words[-1] = words[-1]._replace(text=words[-1].text + _HYPHENS[match[2]])
            added = annotated is not None and match.start() >= annotated
            start = 0
            for number in range(1, len(words) + 1):
                # PDFium takes rows for one if they stand close.
                if number == len(words) or words[number].base != words[start].base:
                    lines.append(TextLine(words[start:number], added=added))
                    start = number
        return lines

    def _hyphen(self, found: re.Match[str]) -> str:
        """Return what stands for a hyphen before a letter that may be on the next line."""
        heights = []
        for index in (found.start(), found.end()):
            self._pdfium.FPDFText_GetCharOrigin(self._page, index, *self._numbers[:2])
            heights.append(self._numbers[1].value)
        return "\ufdd1" if heights[1] < heights[0] - 1 else found[0]

    def _words(self, found: list[re.Match[str]]) -> list[Word]:
        pdfium, page = self._pdfium, self._page
        left, right, bottom, top = self._numbers
        base = size = 0.0
        bold = False
        sampled = {0, len(found) // 2, len(found) - 1}  # it takes time
        words = []
        for number, word in enumerate(found):
            if number in sampled:
                size, bold = self._font(word.start())
            ends = []
            for index in {word.start(), word.end() - 1}:
                pdfium.FPDFText_GetCharBox(page, index, left, right, bottom, top)
                ends += [left.value, right.value]
            if not number or bottom.value < base - _BELOW * size:
                pdfium.FPDFText_GetCharOrigin(page, word.start(), left, bottom)
                base = bottom.value
            words.append(Word(_whole(word[0]), min(ends), max(ends), base, size, bold))
        return words

    def _font(self, index: int) -> tuple[float, bool]:
        """Return the size of a character as it is drawn, and whether it is bold."""
        pdfium, page = self._pdfium, self._page
        pdfium.FPDFText_GetMatrix(page, index, self._matrix)
        size = pdfium.FPDFText_GetFontSize(page, index) * hypot(self._matrix.c, self._matrix.d)
        pdfium.FPDFText_GetFontInfo(page, index, self._name, _LONGEST_NAME, self._flags)
        name = self._name.value
        if name not in self._bold:
            weight = pdfium.FPDFText_GetFontWeight(page, index)
            self._bold[name] = (
                weight >= _BOLD_WEIGHT or _BOLD.search(name.decode("latin-1")) is not None
            )
        return round(2 * size) / 2, self._bold[name]


def _whole(units: str) -> str:
    """Return a text whose surrogates are the characters that they stand for."""
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _outline(document: Any) -> Iterator[tuple[tuple[int, str], int]]:
    """Yield the bookmarks of a document: page from 0 and title, with the level from 1."""
    for bookmark in document.get_toc(max_depth=_DEEPEST):
        place = bookmark.get_dest()
        with suppress(UnicodeDecodeError):
            page = place.get_index() if place else None
            yield (
                (-1 if page is None else page, title_key(bookmark.get_title())),
                bookmark.level + 1,
            )
