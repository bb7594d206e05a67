"""Converts documents and pages to text with maintained libraries, in a child process.

Call `require_reader` first: the extra that brings the libraries may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import unescape
from io import BytesIO
from zipfile import ZipFile

from lumber_core.support.extras import require
from lumber_files.isolation import read_isolated
from lumber_files.limits import MAX_UNPACKED, UnreadableFileError

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
_NAMED = 10  # pages without text
# The modules that a format takes, with the packages that they come in.
_MARKUP = {"anydoc": "firecrawl-anydoc", "lxml": "lxml"}
_MODULES = {
    **dict.fromkeys((*HTML, *_OFFICE), _MARKUP),
    PDF: {"pypdfium2": "pypdfium2"},
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


def pdf_pages(content: bytes, name: str, max_unpacked: int = MAX_UNPACKED) -> tuple[str, list[str]]:
    """Return the title in the properties of a PDF, and each page as Markdown; "" for none.

    Args:
        content: The file.
        name: Its name, for errors.
        max_unpacked: Maximum size in bytes of the text of all pages.

    Raises:
        UnreadableFileError: The file is damaged, encrypted, too large, takes too much time or
            memory, or has no text on any page.
    """
    title, pages = read_isolated(
        "lumber_files.pdf:read_pages", content, name=name, kind="PDF", most=max_unpacked
    )
    _with_text("".join(pages), name, "no page has text; scanned pages need OCR first")
    return title, pages


def without_text(pages: Sequence[str]) -> Iterator[str]:
    """Yield what is said about the pages without text, if there are any."""
    empty = [str(number) for number, page in enumerate(pages, start=1) if not page.strip()]
    if len(empty) == 1:
        yield f"1 of {len(pages)} pages has no text: if page {empty[0]} is a scan, it needs OCR"
    elif empty:
        named = ", ".join(empty[:_NAMED]) + (", ..." if len(empty) > _NAMED else "")
        yield (
            f"{len(empty)} of {len(pages)} pages have no text: if pages {named} are scans, they "
            "need OCR"
        )


def _with_text(text: str, name: str, otherwise: str) -> str:
    if not text.strip():
        raise UnreadableFileError(f"{name}: {otherwise}")
    return text
