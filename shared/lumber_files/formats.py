"""Converts HTML, DOCX and PDF to text with maintained libraries, imported when needed.

Call `require_reader` first: the extra that brings the libraries may be missing.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO

from lumber_core.errors import LumberError
from lumber_core.extras import require

HTML = (".html", ".htm", ".xhtml")
PDF, DOCX = ".pdf", ".docx"

EXTRA = "documents"
_HTML_READERS = {"bs4": "beautifulsoup4", "markdownify": "markdownify"}
# The modules that read a format, with the packages that they come in.
_READERS = {
    **dict.fromkeys(HTML, _HTML_READERS),
    DOCX: {"mammoth": "mammoth", **_HTML_READERS},
    PDF: {"pypdf": "pypdf"},
}
_UNSEEN = ("script", "style", "template", "noscript", "head", "svg", "img", "iframe")

_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*>", re.IGNORECASE)

# pypdf logs each fault it finds in a file. A program that sets up logging gets these records; in
# one that does not, they would be printed.
logging.getLogger("pypdf").addHandler(logging.NullHandler())


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

    Args:
        html: The document.
        name: Its name, for errors.

    Raises:
        UnreadableFileError: It has no text, or cannot be converted.
    """
    with _unreadable(name, "HTML"):
        from bs4 import BeautifulSoup, Declaration, ProcessingInstruction
        from markdownify import MarkdownConverter

        declaration = _DECLARATION.match(html)
        # Beautiful Soup warns of XML that is parsed as HTML; and, given a string, of one that looks
        # like a URL or a path.
        page = StringIO(html if declaration is None else html[declaration.end() :])
        soup = BeautifulSoup(page, "html.parser")
        declared = (Declaration, ProcessingInstruction)
        for node in soup(string=lambda text: isinstance(text, declared)):
            node.extract()
        for unseen in soup(_UNSEEN):
            unseen.decompose()
        converter = MarkdownConverter(
            heading_style="atx",
            bullets="-",
            convert=None,
            strip=["a"],
            escape_asterisks=False,
            escape_underscores=False,
        )
        text: str = converter.convert_soup(soup).strip()
    return _with_text(text + "\n" if text else "", name, "it contains no text")


def docx_to_markdown(content: bytes, name: str) -> str:
    """Convert a Word document (DOCX) to Markdown.

    Raises:
        UnreadableFileError: The file is damaged or has no text.
    """
    with _unreadable(name, "DOCX"):
        import mammoth

        html: str = mammoth.convert_to_html(BytesIO(content)).value
    return html_to_markdown(html, name)


def pdf_pages(content: bytes, name: str) -> list[str]:
    """Return the text of each page of a PDF; "" for a page without text.

    Raises:
        UnreadableFileError: The file is damaged, encrypted, or has no text on any page.
    """
    with _unreadable(name, "PDF"):
        from pypdf import PdfReader

        reader = PdfReader(BytesIO(content))
        # A broken font gives lone surrogates, which cannot be written to a file.
        pages = [
            page.extract_text().encode("utf-8", "replace").decode("utf-8") for page in reader.pages
        ]
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
