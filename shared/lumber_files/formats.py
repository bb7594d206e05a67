"""Converts documents and pages to text with maintained libraries, in a child process.

Call `require_reader` first: the extra that brings the libraries may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import unescape
from io import BytesIO
from zipfile import ZipFile

from lumber_core.errors import LumberError
from lumber_core.support.extras import require
from lumber_files.isolation import read_isolated
from lumber_files.limits import MAX_UNPACKED, TooMuchError, UnreadableFileError
from lumber_files.pdf import read_pages

HTML = (".html", ".htm", ".xhtml")
PDF = ".pdf"
_OFFICE = (".docx", ".doc", ".odt", ".rtf", ".pptx", ".odp", ".xlsx", ".xls", ".ods", ".epub")
# What reads documents that become Markdown.
_READERS = {
    **dict.fromkeys(_OFFICE, "lumber_files.documents:read_document"),
    ".eml": "lumber_files.mail:read_mail",
    ".ipynb": "lumber_files.notebooks:read_notebook",
}
DOCUMENTS = tuple(_READERS)
"""The suffixes of documents that become Markdown."""

_PROPERTIES = ("docProps/core.xml", "meta.xml")  # of Microsoft's formats, and of OpenDocument
_TITLE = re.compile(r"<dc:title[^>]*>([^<]+)</dc:title>")
_MOST_PROPERTIES = 100_000  # bytes, a hundred times what Word writes

EXTRA = "documents"
# The modules that a format takes, with the packages that they come in.
_MARKUP = {"anydoc": "firecrawl-anydoc", "lxml": "lxml"}
_MODULES = {
    **dict.fromkeys((*HTML, *_OFFICE), _MARKUP),
    PDF: {"pypdf": "pypdf"},
}


def require_reader(suffix: str) -> None:
    """Raise unless the packages that read a format are installed; plain text needs none.

    Raises:
        MissingExtraError: One is missing. The message names the extra.
    """
    for module, package in _MODULES.get(suffix, {}).items():
        require(module, package=package, extra=EXTRA)


def html_to_markdown(html: str, name: str, max_unpacked: int = MAX_UNPACKED) -> str:
    """Convert HTML to Markdown: headings, lists, tables and code are kept, links become text.

    What leads around a site, and what is hidden, is left out.

    Args:
        html: The document.
        name: Its name, for errors.
        max_unpacked: Maximum size in bytes of the Markdown.

    Raises:
        UnreadableFileError: It has no text, or cannot be converted.
    """
    content = html.encode("utf-8", "replace")
    text: str = read_isolated(
        "lumber_files.html:read_page", content, name=name, kind="HTML", most=max_unpacked
    )
    return _with_text(f"{text}\n", name, "it contains no text")


def document_to_markdown(
    content: bytes, name: str, suffix: str, max_unpacked: int = MAX_UNPACKED
) -> str:
    """Convert a document, one of `DOCUMENTS`, to Markdown.

    Args:
        content: The file.
        name: Its name, for errors.
        suffix: Its format by its name, as in ".docx".
        max_unpacked: Maximum size in bytes of its XML, unpacked, and of the text.

    Raises:
        UnreadableFileError: The file is of another format, damaged, encrypted, too large or has no
            text.
    """
    kind = suffix[1:].upper()
    text: str = read_isolated(_READERS[suffix], content, name=name, kind=kind, most=max_unpacked)
    return _with_text(f"{text}\n", name, "it contains no text")


def title_of_document(content: bytes) -> str:
    """Return the title in the properties of a document that can be read, "" without one."""
    with suppress(Exception), ZipFile(BytesIO(content)) as archive:  # some are no archives
        [name] = {*archive.namelist()}.intersection(_PROPERTIES)
        with archive.open(name) as properties:
            found = _TITLE.search(properties.read(_MOST_PROPERTIES).decode(errors="replace"))
        return unescape(found[1]) if found else ""
    return ""


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
        pages = read_pages(content, max_unpacked)
    _with_text("".join(pages), name, "no page has text; scanned pages need OCR first")
    return pages


@contextmanager
def _unreadable(name: str, kind: str) -> Iterator[None]:
    """Turn whatever a parser raises on a damaged file into `UnreadableFileError`."""
    try:
        yield
    except (LumberError, ImportError, MemoryError):
        raise
    except TooMuchError as error:
        raise UnreadableFileError(f"{name} {error}") from None
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise UnreadableFileError(f"{name} cannot be read as {kind}: {reason}") from error


def _with_text(text: str, name: str, otherwise: str) -> str:
    if not text.strip():
        raise UnreadableFileError(f"{name}: {otherwise}")
    return text
