"""Reads a file as a text, with its format, pages and encoding."""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from lumber_core.errors import UnreadableFileError
from lumber_core.files.formats import docx_to_markdown, html_to_markdown, need, pdf_pages
from lumber_core.spans import Span

_PLAIN = (".txt", ".text", ".rst")
_MARKDOWN = (".md", ".markdown")
_HTML = (".html", ".htm", ".xhtml")
_PDF, _DOCX = ".pdf", ".docx"

READABLE = (*_PLAIN, *_MARKDOWN, *_HTML, _PDF, _DOCX)
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
_PAGE_SEPARATOR = "\f"  # a line break that tells splitters where running titles are


@dataclass(frozen=True, slots=True)
class TextFile:
    """The text of a file. Offsets count its characters, not the file's bytes.

    Attributes:
        name: Name of the document.
        text: The text as it is in the file, line breaks included, without a byte order mark. HTML
            and DOCX are converted to Markdown; links keep their text only, images, scripts and
            styles are left out. For PDF, the text of the pages, joined by form feeds.
        markdown: Whether the text is Markdown.
        pages: Offsets where the pages of a PDF start; empty for other formats.
        encoding: Encoding of the text in the file; None for PDF and DOCX.
        detected: Whether the encoding had to be guessed, as the file is not UTF-8, has no byte
            order mark and declares none.
    """

    name: str
    text: str
    markdown: bool = False
    pages: tuple[int, ...] = ()
    encoding: str | None = None
    detected: bool = False

    @property
    def metadata(self) -> dict[str, str]:
        """What tells splitters that the text is Markdown, in the terms of LlamaIndex's loaders."""
        return {"file_type": "text/markdown"} if self.markdown else {}

    def pages_of(self, span: Span) -> tuple[int, int] | None:
        """Return the first and the last page of a span, from 1; None if there are no pages."""
        if not self.pages:
            return None
        first = bisect_right(self.pages, span.start)
        return first, max(first, bisect_right(self.pages, span.end - 1))


def check_encoding(encoding: str) -> None:
    """Raise unless Python has a text encoding of that name.

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
    """Raise if a file's format needs a package that is not installed.

    Raises:
        MissingExtraError: The package is missing. The message names the extra.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix in (_PDF, _DOCX):
        need(suffix)


def read_file(
    path: str | Path, *, name: str | None = None, encoding: str | None = None
) -> TextFile:
    """Read a file. Its suffix decides the format; files with any other suffix are plain text.

    Args:
        path: The file.
        name: Name of the document. None: the path.
        encoding: Encoding of the file. None: the byte order mark's, or UTF-8, or what HTML
            declares, or else the encoding that charset-normalizer detects.

    Raises:
        OSError: The file cannot be opened.
        UnreadableFileError: It is not text in that encoding, is damaged, or contains no text.
        MissingExtraError: A PDF or DOCX, and its reader is not installed.
        ValueError: Python knows no such encoding.
    """
    path = Path(path)
    named = path.as_posix() if name is None else name
    return read_bytes(path.read_bytes(), name=named, suffix=path.suffix, encoding=encoding)


def read_bytes(
    content: bytes, *, name: str, suffix: str = "", encoding: str | None = None
) -> TextFile:
    """Read the content of a file, as `read_file` does.

    Args:
        content: The bytes.
        name: Name of the document.
        suffix: Tells the format, as in ".md"; plain text if it is none of `READABLE`.
        encoding: See `read_file`.
    """
    kind = suffix.lower()
    if kind == _PDF:
        pages = pdf_pages(content, name)
        starts, position = [], 0
        for page in pages:
            starts.append(position)
            position += len(page) + len(_PAGE_SEPARATOR)
        return TextFile(name, _PAGE_SEPARATOR.join(pages), pages=tuple(starts))
    if kind == _DOCX:
        return TextFile(name, docx_to_markdown(content, name), markdown=True)
    if kind in _HTML:
        text, used, detected = decode(content, name, encoding, declared=_declared)
        return TextFile(name, html_to_markdown(text, name), True, (), used, detected)
    text, used, detected = decode(content, name, encoding)
    return TextFile(name, text, kind in _MARKDOWN, (), used, detected)


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
    found = _detected(content)
    if found is None:
        raise UnreadableFileError(
            f"{name} is not text in any known encoding: expected text, or a file in {LISTED}"
        )
    return _decoded(content, name, found), found, True


def _detected(content: bytes) -> str | None:
    """Return the most likely encoding of a text that is not UTF-8."""
    if b"\0" in content:
        return None
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
    from bs4.dammit import EncodingDetector  # deferred: for HTML only

    found: str | None = EncodingDetector.find_declared_encoding(content, is_html=True)
    return found
