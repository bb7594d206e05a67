"""Converts HTML, DOCX and PDF to text with maintained libraries, imported when needed.

Call `require_reader` first: the extra that brings the libraries may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import unescape
from io import BytesIO
from zipfile import ZipFile, ZipInfo

from lumber_core.errors import LumberError
from lumber_core.support.extras import require
from lumber_files.html import read_html
from lumber_files.pdf import TooMuchError, read_pages, unpacks_to_more_than

HTML = (".html", ".htm", ".xhtml")
PDF, DOCX = ".pdf", ".docx"

EXTRA = "documents"
_HTML_READERS = {"lxml": "lxml"}
# The modules that read a format, with the packages that they come in.
_READERS = {
    **dict.fromkeys(HTML, _HTML_READERS),
    DOCX: {"mammoth": "mammoth", **_HTML_READERS},
    PDF: {"pypdf": "pypdf"},
}
MAX_UNPACKED = 50_000_000
"""Maximum size in bytes that a DOCX or PDF unpacks to, by default.

Books of a thousand pages have a tenth of it. A hostile PDF may take 300 s of CPU time.
"""


_TITLE = re.compile(r"<dc:title[^>]*>([^<]+)</dc:title>")
_MOST_PROPERTIES = 100_000  # bytes, a hundred times what Word writes


class UnreadableFileError(LumberError, ValueError):
    """A file is not text in a known encoding or format, is damaged, or contains no text."""


def require_reader(suffix: str) -> None:
    """Raise unless the packages that read a format are installed; plain text needs none.

    Raises:
        MissingExtraError: One is missing. The message names the extra.
    """
    for module, package in _READERS.get(suffix, {}).items():
        require(module, package=package, extra=EXTRA)


def html_to_markdown(html: str, name: str) -> str:
    """Convert HTML to Markdown: headings, lists, tables and code are kept, links become text.

    Navigation is left out: its elements, and before the first heading all that is links only.

    Args:
        html: The document.
        name: Its name, for errors.

    Raises:
        UnreadableFileError: It has no text, or cannot be converted.
    """
    with _unreadable(name, "HTML"):
        text = read_html(html)
    return _with_text(text + "\n" if text else "", name, "it contains no text")


def docx_to_markdown(content: bytes, name: str, max_unpacked: int = MAX_UNPACKED) -> str:
    """Convert a Word document (DOCX) to Markdown.

    Args:
        content: The file.
        name: Its name, for errors.
        max_unpacked: Maximum size in bytes of its XML, unpacked.

    Raises:
        UnreadableFileError: The file is damaged, too large or has no text.
    """
    with _unreadable(name, "DOCX"):
        import mammoth

        with ZipFile(BytesIO(content)) as archive:  # which reads no more than a part declares
            parts = [part for part in archive.infolist() if _may_be_xml(archive, part)]
            if sum(part.file_size for part in parts) > max_unpacked:
                raise UnreadableFileError(f"{name} {unpacks_to_more_than(max_unpacked)}")
        no_image = mammoth.images.img_element(lambda _: {"src": ""})
        html: str = mammoth.convert_to_html(BytesIO(content), convert_image=no_image).value
    return html_to_markdown(html, name)


def title_of_docx(content: bytes) -> str:
    """Return the title in the properties of a Word document that can be read, "" without one."""
    with suppress(Exception), ZipFile(BytesIO(content)) as archive:  # as below
        with archive.open("docProps/core.xml") as properties:
            found = _TITLE.search(properties.read(_MOST_PROPERTIES).decode(errors="replace"))
        return unescape(found[1]) if found else ""
    return ""


def title_of_pdf(content: bytes) -> str:
    """Return the title in the properties of a PDF that can be read, "" without one."""
    with suppress(Exception):  # pages can be read where this cannot
        from pypdf import PdfReader

        properties = PdfReader(BytesIO(content)).metadata
        return str(properties.title or "") if properties else ""
    return ""


def _may_be_xml(archive: ZipFile, part: ZipInfo) -> bool:
    """Return whether a part may be XML by what it begins with: any part may have the text."""
    with archive.open(part) as file:
        begins = file.read(64)
    said = begins.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")  # also in UTF-16
    return said.startswith(b"<") or (not said and any(begins))


def pdf_pages(content: bytes, name: str, max_unpacked: int = MAX_UNPACKED) -> list[str]:
    """Return the text of each page of a PDF; "" for a page without text.

    Args:
        content: The file.
        name: Its name, for errors.
        max_unpacked: Maximum size in bytes of what all pages draw, unpacked, forms each time that
            they are drawn. The CPU time is bounded by 6 µs for each of these bytes.

    Raises:
        UnreadableFileError: The file is damaged, too large, encrypted, or has no text on any page;
            takes too long; or draws 5,000 forms or more on one page.
    """
    with _unreadable(name, "PDF"):
        try:
            pages = read_pages(content, max_unpacked)
        except TooMuchError as error:
            raise UnreadableFileError(f"{name} {error}") from None
    _with_text("".join(pages), name, "no page has text; scanned pages need OCR first")
    return pages


@contextmanager
def _unreadable(name: str, kind: str) -> Iterator[None]:
    """Turn whatever a parser raises on a damaged file into `UnreadableFileError`."""
    try:
        yield
    except (LumberError, ImportError, MemoryError):
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise UnreadableFileError(f"{name} cannot be read as {kind}: {reason}") from error


def _with_text(text: str, name: str, otherwise: str) -> str:
    if not text.strip():
        raise UnreadableFileError(f"{name}: {otherwise}")
    return text
