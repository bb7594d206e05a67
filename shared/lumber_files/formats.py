"""Converts HTML, DOCX and PDF to text with maintained libraries, imported when needed.

Call `require_reader` first: the extra that brings the libraries may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from zipfile import ZipFile, ZipInfo

from lumber_core.errors import LumberError
from lumber_core.support.extras import require
from lumber_files.html import read_html
from lumber_files.isolation import read_isolated
from lumber_files.limits import MAX_UNPACKED, TooMuchError, UnreadableFileError, check_unpacked

HTML = (".html", ".htm", ".xhtml")
PDF, DOCX = ".pdf", ".docx"

EXTRA = "documents"
_NAMED = 10  # pages without text
_HTML_READERS = {"lxml": "lxml"}
# The modules that read a format, with the packages that they come in.
_READERS = {
    **dict.fromkeys(HTML, _HTML_READERS),
    DOCX: {"mammoth": "mammoth", **_HTML_READERS},
    PDF: {"pypdfium2": "pypdfium2"},
}


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
            check_unpacked(sum(part.file_size for part in parts), max_unpacked)
        no_image = mammoth.images.img_element(lambda _: {"src": ""})
        html: str = mammoth.convert_to_html(BytesIO(content), convert_image=no_image).value
    return html_to_markdown(html, name)


def _may_be_xml(archive: ZipFile, part: ZipInfo) -> bool:
    """Return whether a part may be XML by what it begins with: any part may have the text."""
    with archive.open(part) as file:
        begins = file.read(64)
    said = begins.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")  # also in UTF-16
    return said.startswith(b"<") or (not said and any(begins))


def pdf_pages(content: bytes, name: str, max_unpacked: int = MAX_UNPACKED) -> list[str]:
    """Return each page of a PDF as Markdown; "" for a page without text.

    Args:
        content: The file.
        name: Its name, for errors.
        max_unpacked: Maximum size in bytes of the text of all pages.

    Raises:
        UnreadableFileError: The file is damaged, encrypted, too large, takes too much time or
            memory, or has no text on any page.
    """
    pages: list[str] = read_isolated(
        "lumber_files.pdf:read_pages", content, name=name, kind="PDF", most=max_unpacked
    )
    _with_text("".join(pages), name, "no page has text; scanned pages need OCR first")
    return pages


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
