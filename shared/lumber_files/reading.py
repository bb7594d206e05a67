"""Reads a file as a text, with its format, pages and encoding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path, PurePath

from lumber_core.support.wording import with_noun
from lumber_core.text.origin import TITLE_KEY
from lumber_core.text.pages import join_texts
from lumber_core.text.source import FILE_TYPES, Source
from lumber_core.text.titles import name_beside, title_of_file
from lumber_files.encodings import DecodedText, decode
from lumber_files.isolation import read_isolated
from lumber_files.readers import (
    DOCUMENTS,
    HTML,
    MAX_UNPACKED,
    PDF,
    READERS,
    UnreadableFileError,
    check_readable,
)

READABLE = (".txt", ".text", *FILE_TYPES, *HTML, PDF, *DOCUMENTS)
"""The suffixes of files that are read from folders."""
READABLE_KINDS = (
    "a supported format (text, Markdown, HTML, PDF, office documents, tables, data, captions, "
    "source code)"
)
"""The kinds of these files, for messages."""

# `file_type`, as LlamaIndex's loaders set it: `Source.format` would override a user's `units`.
_AS_MARKDOWN = {"file_type": FILE_TYPES[".md"]}
_MAX_PAGES_NAMED = 10  # page numbers in a notice
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_MAX_UNDECODED_SHARE = 0.02  # of a page's characters; formulas and bullets have fewer
_FIRST_LEVEL = re.compile(r"^# (.*)", re.MULTILINE)


@dataclass(frozen=True)
class TextFile(Source):
    """The text of a file, to be split. Offsets count its characters, not the file's bytes.

    Plain text is unchanged, line breaks included, except for its byte order mark. All other formats
    are converted to Markdown; form feeds join the pages of a PDF. The metadata has the "title" in
    the file's properties if it is meaningful. It is ignored if the text has a first-level heading,
    except in PDFs.

    Attributes:
        encoding: Encoding of the text in the file; None for PDF and documents.
        detected: Whether the encoding is guessed: the file is not UTF-8, has no byte order mark
            and declares none.
        notices: Faults of the text, such as damaged bytes: a sentence each, without a file name.
    """

    encoding: str | None = field(default=None, kw_only=True)
    detected: bool = field(default=False, kw_only=True)
    notices: tuple[str, ...] = field(default=(), kw_only=True)


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
        encoding: Encoding of the file. None: the encoding of the byte order mark, UTF-8, the
            encoding that HTML declares, or else the encoding that charset-normalizer detects.
        max_unpacked: Maximum size in bytes of a text, or of an unpacked document or PDF. It
            protects against files that exhaust memory, and limits the CPU time: 60 s for 50 MB.

    Raises:
        OSError: The file cannot be opened.
        UnreadableFileError: It is not text in that encoding, is damaged, unpacks to more than
            `max_unpacked`, takes too much time or memory, or contains no text.
        MissingExtraError: The format, or detecting the encoding, needs the extra `documents`, which
            is not installed.
        ValueError: Python knows no such encoding.
    """
    path = Path(path)
    name = path.as_posix() if name is None else name
    if path.suffix.lower() not in (PDF, *DOCUMENTS):
        _check_size(path.stat().st_size, name, max_unpacked)
    content, suffix = path.read_bytes(), path.suffix
    return read_bytes(
        content, name=name, suffix=suffix, encoding=encoding, max_unpacked=max_unpacked
    )


def read_bytes(
    content: bytes,
    *,
    name: str,
    suffix: str | None = None,
    encoding: str | None = None,
    max_unpacked: int = MAX_UNPACKED,
) -> TextFile:
    """Read the content of a file, as `read_file` does.

    Args:
        content: The bytes.
        name: Name of the document.
        suffix: Decides the format, such as ".md"; plain text if it is not in `READABLE`. None: the
            suffix of the name.
        encoding: See `read_file`.
        max_unpacked: See `read_file`.
    """
    kind = (PurePath(name).suffix if suffix is None else suffix).lower()
    check_readable(f"a file{kind}")
    if content.startswith(_LFS_POINTER):
        raise UnreadableFileError(f"{name} is not here, only its pointer: run git lfs pull")
    decoded = DecodedText("", None)
    if kind not in (PDF, *DOCUMENTS):
        _check_size(len(content), name, max_unpacked)
        decoded = decode(content, name, encoding, is_markup=kind in HTML)
        if kind not in HTML:
            metadata = {"file_type": FILE_TYPES[kind]} if kind in FILE_TYPES else {}
            return TextFile(metadata=metadata, name=name, **decoded._asdict())
        content = decoded.text.encode("utf-8", "replace")
    read = read_isolated(
        READERS[kind], content, name=name, kind=kind[1:].upper(), max_unpacked=max_unpacked
    )
    if kind == PDF:
        return _join_pages(name, *read)
    markdown, notices, title = (read, [], "") if isinstance(read, str) else read
    if not markdown.strip():
        raise UnreadableFileError(f"{name}: {'; '.join(['it has no text', *notices])}")
    counted = any("U+FFFD" in notice for notice in (*decoded.notices, *notices))
    if (count := markdown.count("\ufffd")) and not counted:
        notices = [*notices, f"U+FFFD replaces {with_noun(count, 'symbol')} without a character"]
    # The title in the properties may be that of an older version or of a template.
    titles = [] if _FIRST_LEVEL.search(markdown) else [unescape(title)]
    fields = {**decoded._asdict(), "text": f"{markdown}\n", "notices": (*decoded.notices, *notices)}
    return TextFile(metadata=_markdown_metadata(titles, name), name=name, **fields)


def _check_size(size: int, name: str, max_unpacked: int) -> None:
    """Raise an `UnreadableFileError` if a text is too large."""
    if size > max_unpacked:
        message = f"{name} has more than max_unpacked={max_unpacked:,} bytes"
        raise UnreadableFileError(f"{message}. Raise that limit if you trust the file")


def _join_pages(
    name: str, titles: list[str], pages: list[str], without_text: list[int], notices: list[str]
) -> TextFile:
    """Return the text of a PDF with its possible titles."""
    text, starts = join_texts(pages)
    if not text.strip():
        reason = "no page has text besides page numbers; scanned pages need OCR first"
        raise UnreadableFileError(f"{name}: {'; '.join([reason, *notices])}")
    shares = [page.count("\ufffd") / max(1, len(page)) for page in pages]
    undecoded = [number for number, of in enumerate(shares, start=1) if of > _MAX_UNDECODED_SHARE]
    for numbers, state in (
        (without_text, "without text: {} (scans need OCR)"),
        (undecoded, "with characters that cannot be decoded: {} (OCR can read them)"),
    ):
        listed = ", ".join([*map(str, numbers[:_MAX_PAGES_NAMED]), "..."][: len(numbers)])
        if numbers:
            notices.append(f"{len(numbers)} of {len(pages)} pages {state.format(listed)}")
    metadata = _markdown_metadata(titles, name)
    headings = _FIRST_LEVEL.findall(text)
    # Without this, the only heading would be the title: an agency, or a company without the year.
    if TITLE_KEY not in metadata and len(headings) == 1 and name_beside(headings[0], name):
        metadata[TITLE_KEY] = name_beside(headings[0], name)
    return TextFile(text, metadata=metadata, name=name, pages=starts, notices=tuple(notices))


def _markdown_metadata(titles: Iterable[str], name: str) -> dict[str, str]:
    """Return the metadata of Markdown, with the first of its titles that is descriptive."""
    title = next(filter(None, (title_of_file(title, name) for title in titles)), "")
    return _AS_MARKDOWN | ({TITLE_KEY: title} if title else {})
