"""Reads a file as a text, with its format, pages and encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from io import BytesIO
from pathlib import Path, PurePath
from typing import Any
from zipfile import ZipFile

from lumber_core.text.pages import join_texts
from lumber_core.text.source import FILE_TYPES, Source
from lumber_core.text.titles import TITLE_KEY, title_of_file
from lumber_files.encodings import decode
from lumber_files.isolation import read_isolated
from lumber_files.limits import MAX_UNPACKED, UnreadableFileError
from lumber_files.readers import DOCUMENTS, HTML, PDF, READERS, require_reader

READABLE = (".txt", ".text", *FILE_TYPES, *HTML, PDF, *DOCUMENTS)
"""The suffixes of files that are read from folders."""
LISTED = (
    "a format that is read: text, Markdown, HTML, PDF, office documents, tables, data, captions, "
    "source code"
)
"""The same, for errors."""

# What a page or its XML declares; browsers look at the first 1,024 bytes, comments push it further.
_DECLARED_WITHIN = 4096
_DECLARATION = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
# In the metadata, as by LlamaIndex's loaders, and not as `format`: units that are chosen hold.
_AS_MARKDOWN = {"file_type": FILE_TYPES[".md"]}
_PROPERTIES = ("docProps/core.xml", "meta.xml")  # of Microsoft's formats, and of OpenDocument
_MOST_PROPERTIES = 100_000  # bytes, a hundred times what Word writes
_TITLE = re.compile(r"<dc:title[^>]*>([^<]+)</dc:title>")
_NAMED = 10  # pages without text
_PAGE_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_FIRST_LEVEL = re.compile(r"^# ", re.MULTILINE)


@dataclass(frozen=True)
class TextFile(Source):
    """The text of a file, to be split. Offsets count its characters, not the file's bytes.

    The text is as it is in the file, line breaks included, without a byte order mark. HTML,
    office documents, books, mails and notebooks are converted to Markdown; links keep their text
    only, images, scripts and styles are left out. PDF is converted page by page, and the pages are
    joined by form feeds: running heads and page numbers are left out, ligatures are letters, and
    words that line ends divide are whole. The title in the properties of a PDF, or of a document or
    page without a first-level heading, is "title" in the metadata, unless it says nothing.

    Attributes:
        encoding: Encoding of the text in the file; None for PDF and documents.
        detected: Whether the encoding had to be guessed, as the file is not UTF-8, has no byte
            order mark and declares none.
        notices: What a user should know about the text, a sentence each without the file's name.
    """

    encoding: str | None = field(default=None, kw_only=True)
    detected: bool = field(default=False, kw_only=True)
    notices: tuple[str, ...] = field(default=(), kw_only=True)


def check_readable(path: str | Path) -> None:
    """Raise if a file's format needs a package that is not installed; the file is not opened.

    Args:
        path: The file; its suffix tells the format.

    Raises:
        MissingExtraError: The package is missing. The message names the extra.
    """
    require_reader(PurePath(path).suffix.lower())


def read_file(
    path: str | Path,
    *,
    name: str | None = None,
    encoding: str | None = None,
    max_unpacked: int = MAX_UNPACKED,
) -> TextFile:
    """Read a file. Its suffix decides the format; files with any other suffix are plain text.

    Args:
        path: The file.
        name: Name of the document. None: the path.
        encoding: Encoding of the file. None: the byte order mark's, or UTF-8, or what HTML
            declares, or else the encoding that charset-normalizer detects.
        max_unpacked: Maximum size in bytes that a document or PDF unpacks to, against files made to
            exhaust the memory. It bounds the CPU time as well, by 60 s for 50 MB.

    Raises:
        OSError: The file cannot be opened.
        UnreadableFileError: It is not text in that encoding, is damaged, unpacks to more than
            `max_unpacked`, takes too much time or memory, or contains no text.
        MissingExtraError: It is HTML, PDF, a document or in an encoding that must be detected, and
            the extra `documents` is not installed.
        ValueError: Python knows no such encoding.
    """
    path = Path(path)
    named = path.as_posix() if name is None else name
    return read_bytes(
        path.read_bytes(),
        name=named,
        suffix=path.suffix,
        encoding=encoding,
        max_unpacked=max_unpacked,
    )


def read_bytes(
    content: bytes,
    *,
    name: str,
    suffix: str = "",
    encoding: str | None = None,
    max_unpacked: int = MAX_UNPACKED,
) -> TextFile:
    """Read the content of a file, as `read_file` does.

    Args:
        content: The bytes.
        name: Name of the document.
        suffix: Tells the format, as in ".md"; plain text if it is none of `READABLE`.
        encoding: See `read_file`.
        max_unpacked: See `read_file`.
    """
    kind = suffix.lower()
    require_reader(kind)
    about: dict[str, Any] = {"name": name}
    page = ""
    if kind in HTML or kind not in READERS:
        read = decode(content, name, encoding, declared=_declared if kind in HTML else None)
        about |= {"encoding": read.encoding, "detected": read.detected, "notices": read.notices}
        if kind not in READERS:
            known = {"file_type": FILE_TYPES[kind]} if kind in FILE_TYPES else {}
            return TextFile(read.text, metadata=known, **about)
        page = read.text
        content = page.encode("utf-8", "replace")
    made = read_isolated(
        READERS[kind], content, name=name, kind=kind[1:].upper(), most=max_unpacked
    )
    if kind == PDF:
        title, pages, scans = made
        text, starts = join_texts(pages)
        about |= {"pages": starts, "notices": (*_without_text(scans, len(pages)),)}
    else:
        text = f"{made}\n"
        # One that is written in the text is newer: properties are those of a template at times.
        is_titled = _FIRST_LEVEL.search(text)
        title = "" if is_titled else _title_of_page(page) if page else _title_of_document(content)
    if not text.strip():
        why = "no page has text; scanned pages need OCR first" if kind == PDF else "it has no text"
        raise UnreadableFileError(f"{name}: {why}")
    return TextFile(text, metadata={**_AS_MARKDOWN, **_titled(title, name)}, **about)


def _without_text(scans: Sequence[int], pages: int) -> Iterator[str]:
    """Yield what is said about the pages that show something without text, if there are any."""
    if len(scans) == 1:
        yield f"1 of {pages} pages has no text: if page {scans[0]} is a scan, it needs OCR"
    elif scans:
        named = ", ".join(map(str, scans[:_NAMED])) + (", ..." if len(scans) > _NAMED else "")
        yield (
            f"{len(scans)} of {pages} pages have no text: if pages {named} are scans, they need OCR"
        )


def _title_of_page(page: str) -> str:
    found = _PAGE_TITLE.search(page)
    return unescape(found[1]) if found else ""


def _title_of_document(content: bytes) -> str:
    """Return the title in the properties of a document, "" without one."""
    with suppress(Exception), ZipFile(BytesIO(content)) as archive:  # some are no archives
        [name] = {*archive.namelist()}.intersection(_PROPERTIES)
        with archive.open(name) as properties:
            found = _TITLE.search(properties.read(_MOST_PROPERTIES).decode(errors="replace"))
        return unescape(found[1]) if found else ""
    return ""


def _titled(given: str, name: str) -> dict[str, str]:
    """Return the metadata of a file that has a title of its own."""
    title = title_of_file(given, name)
    return {TITLE_KEY: title} if title else {}


def _declared(content: bytes) -> str | None:
    found = _DECLARATION.search(content, 0, _DECLARED_WITHIN)
    # A declaration that is read byte by byte is not in two or four bytes a character.
    wide = found and re.match(rb"(?i)utf[-_]?(?:16|32)|ucs", found[1])
    return found[1].decode() if found and not wide else None
