"""Reads the pages of a PDF as Markdown with PDFium; run in a child process.

PDFium limits neither time nor memory, and crashes on some damaged files. The limits of the child
process protect against both.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from lumber_core.support.wording import with_noun
from lumber_files.pdf.heading_levels import bookmark_key
from lumber_files.pdf.layers import load_page, may_have_layers
from lumber_files.pdf.markdown_writer import finish, to_markdown
from lumber_files.pdf.page_glyphs import PageGlyphs, unrotate
from lumber_files.pdf.page_tags import read_tags
from lumber_files.pdf.page_words import PageWords
from lumber_files.pdf.right_to_left import mirror_line
from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import TextLine, is_from_right
from lumber_files.pdf.text_repair import clean_pages
from lumber_files.readers import check_unpacked

_LINE_SEGMENTS, _RECTANGLE_SEGMENTS = 2, (4, 5)  # segments of a path, with the move to its start
_MAX_RULE_WIDTH, _MIN_RULE_LENGTH, _MIN_DRAWING_WIDTH = 2.0, 6.0, 36.0  # points
_MAX_BOOKMARK_DEPTH = 6  # deeper bookmarks are not read
_MAX_TAGGED_PAGES = 200  # PDFium reads much of the file's tree for each page; books have bookmarks
# What is wrong with a file, by the number that FPDF_GetLastError returns.
_ERRORS = {4: "it needs a password: save it without one", 5: "it is encrypted in an unknown way"}


def read_pages(
    content: bytes, max_unpacked: int
) -> tuple[tuple[str, str], list[str], list[int], list[str]]:
    """Return two titles, each page's Markdown, the pages without text, and notices.

    The titles are the title in the properties, and the running head of a file without headings, or
    "". Pages without text are numbered from 1; empty pages are left out.

    Raises:
        TooMuchError: The text has more than `max_unpacked` bytes.
        ValueError: The file is damaged or encrypted.
    """
    import pypdfium2.raw as pdfium  # importing it initialises the library
    from pypdfium2 import PdfDocument, PdfiumError

    # Some damaged files set no error, and PDFium would return the error of the file before.
    pdfium.FPDF_LoadMemDocument(b" ", 1, None)
    try:
        document = PdfDocument(content)
    except PdfiumError as error:
        raise ValueError(_ERRORS.get(error.err_code, "it is damaged, or no PDF")) from error
    # PDFium draws form fields in such an environment only.
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, pdfium.FPDF_FORMFILLINFO(version=2))
    pages, rules, blank, size = [], [], set(), 0
    whole_words = set[str]()
    layers = may_have_layers(content)
    for number in range(len(document)):
        lines, drawn, objects = _read_page(pdfium, document, form, number, layers, whole_words)
        pages.append(lines)
        rules.append(drawn)
        if lines or not objects:  # all text may be running heads
            blank.add(number + 1)
        size += sum(len(line.text.encode("utf-8", "replace")) for line in pages[-1])
        check_unpacked(size, max_unpacked)
    texts, head = to_markdown(pages, rules, dict(_outline(document)))
    title = ""
    with suppress(UnicodeDecodeError):
        title = document.get_metadata_value("Title")
    texts = [finish(page) for page in clean_pages(texts)]
    empty = {number for number, text in enumerate(texts, start=1) if not text.strip()}
    attached = document.count_attachments()
    notices = [f"{with_noun(attached, 'attached file')} not read"] if attached else []
    if pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_XFA_FULL:
        notices.append("a form that only programs of Adobe show (XFA): print it to a PDF there")
    return (title, head), texts, sorted(empty - blank), notices


def _read_page(
    pdfium: Any,
    document: Any,
    form: Any,
    number: int,
    layers: tuple[bool, bool],
    whole_words: set[str],
) -> tuple[list[TextLine], list[Rule], int]:
    """Return the text lines of a page, the rules drawn on it, and the number of its objects."""
    page = load_page(pdfium, document, number, layers)
    if not page:
        return [], [], 0
    tags = read_tags(pdfium, page) if len(document) <= _MAX_TAGGED_PAGES else {}
    drawn, annotated = PageGlyphs(pdfium, page, tags), None
    kinds = set()
    for place in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, place)
        kinds.add(pdfium.FPDFAnnot_GetSubtype(annotation))
        pdfium.FPDFPage_CloseAnnot(annotation)
    # Links and pop-ups show no text. Flattening makes the text of other
    # annotations part of the page.
    if kinds - {pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP}:
        pdfium.FORM_OnAfterLoadPage(page, form)
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
        annotated = drawn.count
        drawn.close()
        pdfium.FPDF_ClosePage(page)
        page = load_page(pdfium, document, number, layers)
        drawn = PageGlyphs(pdfium, page, tags)
    lines = PageWords(drawn, whole_words).lines(annotated)
    turns = max(drawn.turns, key=drawn.turns.__getitem__, default=0)
    rules = list(_rules(pdfium, drawn.objects, turns))
    pdfium.FPDF_GetPageBoundingBox(page, sides := pdfium.FS_RECTF())
    shown = _area(turns, sides.left, sides.bottom, sides.right, sides.top)
    lines = [  # lines outside the page's box are for printers
        line
        for line in lines
        if line.right > shown.left
        and line.left < shown.right
        and shown.bottom - line.size < line.base < shown.top
    ]
    pdfium.FPDF_ClosePage(page)
    if is_from_right("".join(line.text for line in lines)):  # "left" is where reading starts
        lines = [mirror_line(line) for line in lines]
        rules = [rule._replace(left=-rule.right, right=-rule.left) for rule in rules]
    return lines, rules, len(drawn.objects)


def _area(turns: int, left: float, bottom: float, right: float, top: float) -> Rule:
    """Return an area of a page after turning it back by quarter turns."""
    if turns:
        corners = unrotate(left, bottom, turns), unrotate(right, top, turns)
        (left, right), (bottom, top) = map(sorted, zip(*corners, strict=True))
    return Rule(left, bottom, right, top)


def _rules(pdfium: Any, objects: Sequence[Any], turns: int) -> Iterator[Rule]:
    ends = [ctypes.c_float() for _ in range(4)]
    fills, strokes, text = ctypes.c_int(), ctypes.c_int(), pdfium.FPDF_PAGEOBJ_TEXT
    kinds = map(pdfium.FPDFPageObj_GetType, objects)
    for drawn, kind in zip(objects, kinds, strict=True):
        if kind == text:
            continue
        pdfium.FPDFPageObj_GetBounds(drawn, *ends)
        left, bottom, right, top = area = _area(turns, *(end.value for end in ends))
        segments = pdfium.FPDFPath_CountSegments(drawn)  # -1 for a picture
        if segments == _LINE_SEGMENTS or min(right - left, top - bottom) < _MAX_RULE_WIDTH:
            if max(right - left, top - bottom) > _MIN_RULE_LENGTH:
                yield area
        elif kind != pdfium.FPDF_PAGEOBJ_PATH:
            yield area
        else:
            pdfium.FPDFPath_GetDrawMode(drawn, fills, strokes)
            is_cell = segments in _RECTANGLE_SEGMENTS
            if is_cell and strokes.value:
                yield from area.sides()
            if fills.value and area.is_band and (is_cell or right - left > _MIN_DRAWING_WIDTH):
                yield area


def _outline(document: Any) -> Iterator[tuple[tuple[int, str], int]]:
    """Yield the bookmarks of a document: page from 0 and `bookmark_key`, and the level from 1."""
    for bookmark in document.get_toc(max_depth=_MAX_BOOKMARK_DEPTH):
        place = bookmark.get_dest()
        with suppress(UnicodeDecodeError):
            page = place.get_index() if place else None
            key = -1 if page is None else page, bookmark_key(bookmark.get_title())
            yield key, bookmark.level + 1
