"""Reads the text of a PDF's pages with pypdf, within limits that hostile files would exceed.

pypdf bounds most of what a file can ask for: the page tree, cross references, filters, and the size
of each stream. It does not bound what the pages together ask for, how often a page draws the same
form, nor how long a text becomes by a font that maps each byte to hundreds of characters, or names
its glyph with so many.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any, TypeGuard

from lumber_files.limits import TooMuchError, check_unpacked
from lumber_files.pdf_glyphs import name_glyphs
from lumber_files.pdf_text import clean_pages

_PAGE = 5_000  # bytes; a page takes as long as so much content, even if it is empty
_SECONDS = 6e-6  # for each byte; 10,000 ordinary pages take 300 s, and 50 MB of content 60 s
_FONT_SECONDS = 3e-7  # for each byte of a font's table of characters, on every page with it
_SMALLEST_WORK = 10_000_000  # bytes; what is not drawn has to be unpacked as well
_FORMS = 5_000  # on one page; pypdf leaves out the text of further ones
_TARGET = re.compile(rb"<([0-9A-Fa-f\s]*)>")
_LIGATURE = 8  # characters that a byte may become and be counted once

# pypdf logs each fault it finds in a file. A program that sets up logging gets these records; in
# one that does not, they would be printed.
logging.getLogger("pypdf").addHandler(logging.NullHandler())


def read_pages(content: bytes, most: int) -> list[str]:
    """Return the text of each page, cleaned.

    Args:
        content: The file.
        most: Maximum size in bytes of what all pages draw, unpacked. It bounds the time as well.

    Raises:
        TooMuchError: That is exceeded.
        Exception: The file is damaged; pypdf has many errors.
    """
    from pypdf import PdfReader, apply_configuration

    budget = _Budget(most)
    texts = []
    # Unpacking by several filters may take twenty times as much memory as this.
    with apply_configuration(stream_decoding_work_maximum_length=max(most, _SMALLEST_WORK)):
        for page in PdfReader(BytesIO(content)).pages:
            drawn = page.get_contents()
            budget.take(_PAGE)
            budget.draw(page, b"" if drawn is None else drawn.get_data())
            # It calls the method for every form that it draws, which may draw others.
            vars(page)["extract_xform_text"] = budget.bounded(page.extract_xform_text)
            texts.append(page.extract_text())
    return clean_pages(texts)


def _is_text(entry: object) -> TypeGuard[str]:
    return isinstance(entry, str)


class _Budget:
    """What is left of the limit for a file."""

    def __init__(self, most: int) -> None:
        self._left = self._most = most
        self._ends = time.thread_time() + _SECONDS * most
        self._tables: dict[int, tuple[int, int]] = {}

    def take(self, size: int, seconds: float = 0.0) -> None:
        """Count some bytes, which will take so many seconds.

        Raises:
            TooMuchError: They are too many, or the time is over.
        """
        self._left -= size
        if self._left < 0:
            check_unpacked(self._most + 1, self._most)
        if time.thread_time() + seconds > self._ends:
            raise TooMuchError(
                f"takes more than {_SECONDS * self._most:.2g} s to read, the time for "
                f"max_unpacked={self._most:,} bytes. Raise that limit if you trust the file"
            )

    def draw(self, place: Any, content: bytes) -> None:
        """Count the content of a page or form.

        Args:
            place: The page or form, with its resources.
            content: Its content.
        """
        try:
            fonts = place["/Resources"]["/Font"]
            tables = [self._table(fonts[name]) for name in fonts]
        except Exception:  # noqa: BLE001 - pypdf decides what a broken font means
            tables = []
        longest = max((target for _, target in tables), default=1)
        seconds = _FONT_SECONDS * sum(size for size, _ in tables)
        self.take(len(content) * (longest if longest > _LIGATURE else 1), seconds)

    def _table(self, font: Any) -> tuple[int, int]:
        """Mend a font; return its table's size in bytes, and the most characters of a byte."""
        known = self._tables.get(id(font))
        if known is None:
            with suppress(Exception):  # pypdf decides what a broken font means
                name_glyphs(font)
            table = font["/ToUnicode"].get_data() if "/ToUnicode" in font else b""
            lengths = [len(target) // 4 for target in _TARGET.findall(table)]
            with suppress(Exception):  # most fonts name no glyphs
                lengths += map(len, filter(_is_text, font["/Encoding"]["/Differences"]))
            known = self._tables[id(font)] = len(table), max(lengths, default=1)
        return known

    def bounded(self, extract: Callable[..., str]) -> Callable[..., str]:
        """Return a function that extracts the text of a form, and counts it before."""
        drawn = 0

        def extract_form(form: Any, *args: Any, **kwargs: Any) -> str:
            nonlocal drawn
            drawn += 1
            if drawn >= _FORMS:
                raise TooMuchError(f"draws {_FORMS:,} forms on one page, too many to be read")
            self.draw(form, form.get_data())
            return extract(form, *args, **kwargs)

        return extract_form
