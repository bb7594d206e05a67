"""Reads a file as a text, with its format, pages and encoding."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from lumber_core.support.extras import require
from lumber_core.text.pages import join_texts
from lumber_core.text.source import Source
from lumber_files.formats import (
    DOCX,
    EXTRA,
    HTML,
    PDF,
    docx_to_markdown,
    html_to_markdown,
    pdf_pages,
    require_reader,
    without_text,
)
from lumber_files.limits import MAX_UNPACKED, UnreadableFileError

_PLAIN = (".txt", ".text", ".rst")
_MARKDOWN = (".md", ".markdown")

READABLE = (*_PLAIN, *_MARKDOWN, *HTML, PDF, DOCX)
"""The suffixes of files that are read from folders."""
LISTED = ", ".join(READABLE)
"""The same, for errors and help texts."""

_MARKS = {  # longest first: UTF-32's mark begins like that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_WESTERN = "cp1252"
_LIKELY = (  # common on the web; with all that Python knows, rare ones would win on short texts
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("iso8859_2", "iso8859_5", "iso8859_7", "iso8859_15", "koi8_r", "koi8_u", "cp866", "cp874"),
    *("cp932", "euc_jp", "cp949", "gb18030", "big5", "mac_roman", "utf_16_le", "utf_16_be"),
)
_SAME = 0.02  # smaller differences between charset-normalizer's measures are noise
# What a page or its XML declares; browsers look at the first 1,024 bytes, comments push it further.
_DECLARED_WITHIN = 4096
_DECLARATION = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
# In the metadata, as by LlamaIndex's loaders, and not as `format`: units that are chosen hold.
_AS_MARKDOWN = {"file_type": "text/markdown"}
_TYPES = {
    **dict.fromkeys(_MARKDOWN, _AS_MARKDOWN),
    ".csv": {"file_type": "text/csv"},
    ".tsv": {"file_type": "text/tab-separated-values"},
}


@dataclass(frozen=True)
class TextFile(Source):
    """The text of a file, to be split. Offsets count its characters, not the file's bytes.

    The text is as it is in the file, line breaks included, without a byte order mark. HTML and DOCX
    are converted to Markdown; links keep their text only, images, scripts and styles are left out.
    PDF is converted to Markdown as well, page by page, and the pages are joined by form feeds:
    running heads and page numbers are left out, ligatures are letters, and words that line ends
    divide are whole.

    Attributes:
        encoding: Encoding of the text in the file; None for PDF and DOCX.
        detected: Whether the encoding had to be guessed, as the file is not UTF-8, has no byte
            order mark and declares none.
        notices: What a user should know about the text, a sentence each without the file's name.
    """

    encoding: str | None = field(default=None, kw_only=True)
    detected: bool = field(default=False, kw_only=True)
    notices: tuple[str, ...] = field(default=(), kw_only=True)


def check_encoding(encoding: str) -> None:
    """Raise unless Python has a text encoding of that name.

    Args:
        encoding: The name, such as "utf-8".

    Raises:
        ValueError: There is none.
    """
    try:
        "".encode(encoding)
    except LookupError:  # unknown, or no text encoding, such as "base64"
        raise ValueError(
            f"unknown encoding {encoding!r}: expected a name that Python knows, such as 'utf-8', "
            "'cp1252' or 'latin-1'"
        ) from None


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
        max_unpacked: Maximum size in bytes that a DOCX unpacks to, or the text of a PDF, against
            files made to exhaust the memory. It bounds the CPU time as well, by 60 s for 50 MB.

    Raises:
        OSError: The file cannot be opened.
        UnreadableFileError: It is not text in that encoding, is damaged, unpacks to more than
            `max_unpacked`, takes too much time or memory, or contains no text.
        MissingExtraError: It is HTML, PDF, DOCX or in an encoding that must be detected, and the
            extra `documents` is not installed.
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
    if kind == PDF:
        pages = pdf_pages(content, name, max_unpacked)
        text, starts = join_texts(pages)
        notices = tuple(without_text(pages))
        return TextFile(text, name=name, metadata=_AS_MARKDOWN, pages=starts, notices=notices)
    if kind == DOCX:
        text = docx_to_markdown(content, name, max_unpacked)
        return TextFile(text, name=name, metadata=_AS_MARKDOWN)
    if kind in HTML:
        text, used, detected = decode(content, name, encoding, declared=_declared)
        text = html_to_markdown(text, name)
        return TextFile(text, name=name, metadata=_AS_MARKDOWN, encoding=used, detected=detected)
    text, used, detected = decode(content, name, encoding)
    metadata = _TYPES.get(kind, {})
    return TextFile(text, name=name, metadata=metadata, encoding=used, detected=detected)


def decode(
    content: bytes,
    name: str,
    encoding: str | None = None,
    *,
    declared: Callable[[bytes], str | None] = lambda _: None,
) -> tuple[str, str, bool]:
    """Decode a text.

    Args:
        content: The bytes.
        name: Name of the document, for errors.
        encoding: The encoding. None: it is detected, as by `read_file`.
        declared: Returns the encoding that a content names, or None.

    Returns:
        The text without a byte order mark, the encoding, and whether that was guessed.

    Raises:
        UnreadableFileError: It is not a text in that encoding.
        MissingExtraError: The encoding must be detected, and charset-normalizer is not installed.
        ValueError: Python knows no such encoding.
    """
    if encoding is not None:
        return _decoded(content, name, encoding), encoding, False
    for mark, marked in _MARKS.items():
        if content.startswith(mark):
            return _decoded(content, name, marked), marked, False
    try:
        return content.decode("utf-8"), "utf-8", False
    except UnicodeDecodeError:
        pass
    claimed = declared(content)
    if claimed is not None:
        with suppress(ValueError):  # pages may declare a wrong encoding
            return _decoded(content, name, claimed), claimed, False
    found = _detected(content, name)
    if found is None:
        raise UnreadableFileError(
            f"{name} is not text in any known encoding: expected text, or a file in {LISTED}"
        )
    return _decoded(content, name, found), found, True


def _detected(content: bytes, name: str) -> str | None:
    """Return the most likely encoding of a text that is not UTF-8."""
    if b"\0" in content:
        return None
    why = f"{name} is not UTF-8. Name its encoding, or let it be detected: "
    require("charset_normalizer", package="charset-normalizer", extra=EXTRA, why=why)
    from charset_normalizer import from_bytes  # deferred: most texts are UTF-8

    matches = from_bytes(content, cp_isolation=list(_LIKELY))
    best = matches.best()
    if best is None:
        return None
    # Of equally good encodings, or of those that give the same text, it prefers the first by name,
    # such as cp1250.
    for match in matches:
        likely = match.chaos <= best.chaos + _SAME and match.coherence >= best.coherence - _SAME
        if likely and _WESTERN in match.could_be_from_charset:
            return _WESTERN
    return best.encoding


def _decoded(content: bytes, name: str, encoding: str) -> str:
    check_encoding(encoding)
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(
            f"{name} is not {encoding}: byte {error.start} ({error.object[error.start]:#04x}) "
            f"cannot be read ({error.reason}). Save it as UTF-8, or name its encoding"
        ) from error


def _declared(content: bytes) -> str | None:
    found = _DECLARATION.search(content, 0, _DECLARED_WITHIN)
    # A declaration that is read byte by byte is not in two or four bytes a character.
    wide = found and re.match(rb"(?i)utf[-_]?(?:16|32)|ucs", found[1])
    return found[1].decode() if found and not wide else None
