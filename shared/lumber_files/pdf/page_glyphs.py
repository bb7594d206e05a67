"""The glyphs of a PDF's page, as PDFium returns them, with their positions and fonts."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import repeat, takewhile
from math import hypot
from typing import Any

from lumber_files.pdf.page_tags import Tags, TextTag
from lumber_files.pdf.text_lines import Word

_BOLD = re.compile("(?i)bold|black|heavy|demi|CMBX|SFBX")
_MIN_BOLD_WEIGHT = 600  # of a font; 400 is regular, 700 is bold
_MONOSPACED = re.compile(
    "(?i)mono|nimbusmon|monaco|courier|consol|menlo|typewriter|(?<!bar)code|(?:CM|EC|SF|LM|TX)S?L?TT"
)
_FIXED_PITCH_FLAG = 1  # the bit for monospaced fonts in a font's flags, which TeX does not set
_MIN_FONT_SIZE, _MAX_FONT_NAME_BYTES = 1.0, 200  # points; bytes of a font's name
_NO_TAG = TextTag()
_MAX_OBJECTS = 8  # objects that are drawn between two characters


class PageGlyphs:
    """The glyphs of a page, in the order in which they are read, and the `objects` drawn on it.

    `tags` are those of the page, as `read_tags` returns them.

    Attributes:
        pdfium: The functions of PDFium.
        page: The text of the page, until `close` is called.
        objects: The objects drawn on the page.
        count: Number of glyphs, each of which has an index.
        order: PDFium's number of each glyph. Text from right to left is reordered.
        turns: How many words have each rotation, in quarter turns counter-clockwise.
    """

    def __init__(self, pdfium: Any, page: Any, tags: Tags) -> None:
        self.pdfium, self._tags = pdfium, tags
        numbers = range(pdfium.FPDFPage_CountObjects(page))
        self.objects = [*map(pdfium.FPDFPage_GetObject, repeat(page), numbers)]
        self.page = pdfium.FPDFText_LoadPage(page)
        self.count: int = max(0, pdfium.FPDFText_CountChars(self.page))
        self.order = [*range(self.count)]
        self.turns = Counter[int]()
        self._styles: dict[bytes, tuple[int, bool]] = {}
        self._read_box = pdfium.FPDFText_GetCharBox
        self._matrix, self._area = pdfium.FS_MATRIX(), pdfium.FS_RECTF()
        self._name, self._flags = ctypes.create_string_buffer(_MAX_FONT_NAME_BYTES), ctypes.c_int()
        self._numbers = [ctypes.c_double() for _ in range(4)]
        self._sides = [ctypes.c_float() for _ in range(4)]

    def close(self) -> None:
        """Close the text of the page."""
        self.pdfium.FPDFText_ClosePage(self.page)

    def box(self, index: int, turns: int) -> tuple[float, float, float]:
        """Return the left and right sides of a character, and its bottom."""
        left, right, bottom, top = self._numbers
        self._read_box(self.page, self.order[index], left, right, bottom, top)
        if not turns:
            return left.value, right.value, bottom.value
        ends = unrotate(left.value, bottom.value, turns), unrotate(right.value, top.value, turns)
        (first, last), heights = zip(*ends, strict=True)
        return min(first, last), max(first, last), min(heights)

    def height(self, index: int) -> float:
        """Return the height of a character that is not turned."""
        *_, foot = self.box(index, 0)
        return self._numbers[3].value - foot

    def spaces(self, start: int, stop: int) -> list[float]:
        """Return the distance of each character from the end of the advance of the previous one."""
        area, end, spaces = self._area, 0.0, []
        for glyph in self.order[start:stop]:
            self.pdfium.FPDFText_GetLooseCharBox(self.page, glyph, area)
            spaces.append(area.left - end)  # the advance of a letter is wider than its box
            end = area.right
        return spaces

    def is_generated(self, index: int) -> bool:
        """Return whether PDFium has added a character that is not drawn."""
        return bool(self.pdfium.FPDFText_IsGenerated(self.page, self.order[index]))

    def origin(self, index: int, turns: int = 0) -> tuple[float, float]:
        """Return the start of a character on its baseline."""
        x, y = self._numbers[:2]
        self.pdfium.FPDFText_GetCharOrigin(self.page, self.order[index], x, y)
        return unrotate(x.value, y.value, turns)

    def font(self, index: int, *, goes_down: bool) -> Word:
        """Return the font of a character, as a word without text and position.

        A line that `goes_down` is read as if it were turned: its first character is at the top.
        """
        pdfium, page, matrix = self.pdfium, self.page, self._matrix
        glyph = self.order[index]
        pdfium.FPDFText_GetMatrix(page, glyph, matrix)
        size = pdfium.FPDFText_GetFontSize(page, glyph) * hypot(matrix.c, matrix.d)
        if size < _MIN_FONT_SIZE:  # fonts with drawn glyphs may have any size
            left, right, _ = self.box(index, 0)
            size = max(_MIN_FONT_SIZE, right - left, self.height(index))
        turns = 2 if matrix.a < 0 and matrix.d < 0 else 3 * goes_down
        if abs(matrix.b) > abs(matrix.a):
            turns = 1 if matrix.b > 0 else 3
        pdfium.FPDFText_GetFontInfo(page, glyph, self._name, _MAX_FONT_NAME_BYTES, self._flags)
        font = self._name.value
        if font not in self._styles:
            name = font.decode("latin-1")
            weight = pdfium.FPDFText_GetFontWeight(page, glyph)
            bold = weight >= _MIN_BOLD_WEIGHT or _BOLD.search(name) is not None
            self._styles[font] = (
                2 if bold else int("medium" in name.lower()),
                bool(self._flags.value & _FIXED_PITCH_FLAG) or _MONOSPACED.search(name) is not None,
            )
        self.turns[turns] += 1
        return Word("", 0.0, 0.0, 0.0, round(2 * size) / 2, *self._styles[font], turns)

    def tag(self, index: int) -> TextTag:
        """Return the tag of the text that a character is in."""
        if not self._tags:
            return _NO_TAG
        item = self.pdfium.FPDFText_GetTextObject(self.page, self.order[index])
        mark = self.pdfium.FPDFPageObj_GetMarkedContentID(item) if item else -1
        return self._tags.get(mark, _NO_TAG)

    def follows_bullet(self, index: int) -> bool:
        """Return whether a path drawn right before a character is the label of an item."""
        place = max(0, self._drawing_order(self.order[index]) if self._tags else 0)
        # Nearest first; an underline may be among them.
        before = self.objects[max(0, place - _MAX_OBJECTS) : place][::-1]
        paths = takewhile(lambda drawn: self.pdfium.FPDFPath_CountSegments(drawn) > 0, before)
        marks = map(self.pdfium.FPDFPageObj_GetMarkedContentID, paths)
        return any(mark in self._tags and self._tags[mark].is_label for mark in marks)

    @cached_property
    def _placed(self) -> dict[int, int]:
        return {ctypes.addressof(drawn.contents): n for n, drawn in enumerate(self.objects)}

    def _drawing_order(self, index: int) -> int:
        """Return the number of the object that draws a character of PDFium; -1 if there is none."""
        drawn = self.pdfium.FPDFText_GetTextObject(self.page, index)
        return self._placed.get(ctypes.addressof(drawn.contents), -1) if drawn else -1

    def sides_between(self, before: int, after: int) -> Iterator[tuple[float, ...]]:
        """Yield the sides of the first objects drawn between two characters of PDFium."""
        first, last = self._drawing_order(before) + 1, self._drawing_order(after)
        left, bottom, right, top = self._sides
        for item in self.objects[first : min(last, first + _MAX_OBJECTS)]:
            self.pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top)
            yield left.value, bottom.value, right.value, top.value


def unrotate(x: float, y: float, turns: int) -> tuple[float, float]:
    """Return a point of a page after turning it back by quarter turns."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turns]
