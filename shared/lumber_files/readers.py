"""The formats of readers, the packages that they need, their limit and their errors."""

from __future__ import annotations

from pathlib import PurePath

from lumber_core.errors import LumberError
from lumber_core.support.extras import require

EXTRA = "documents"
"""The extra with the packages for formats other than plain text."""
MAX_UNPACKED = 50_000_000
"""Maximum size in bytes of an unpacked file; books of a thousand pages take a tenth of it."""

HTML = (".html", ".htm", ".xhtml")
PDF = ".pdf"
_OFFICE = (
    *(".docx", ".docm", ".dotx", ".dotm", ".doc", ".dot", ".odt", ".ott", ".rtf"),
    *(".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm", ".ppt", ".pps", ".odp", ".otp"),
    *(".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".xls", ".xlt", ".ods", ".ots", ".epub"),
)
_MAILS = (".eml", ".mhtml", ".mht")
DOCUMENTS = (*_OFFICE, *_MAILS, ".mbox", ".ipynb")
"""The suffixes of documents that are converted to Markdown."""

READERS = {
    **dict.fromkeys(HTML, "lumber_files.formats.html:read_page"),
    **dict.fromkeys(_OFFICE, "lumber_files.formats.office:read_document"),
    PDF: "lumber_files.pdf.page_reader:read_pages",
    **dict.fromkeys(_MAILS, "lumber_files.formats.mail:read_mail"),
    ".mbox": "lumber_files.formats.mail:read_mailbox",
    ".ipynb": "lumber_files.formats.notebooks:read_notebook",
}
"""The function that reads each format other than plain text, in a child process."""

# The modules that a format needs, with the packages that contain them.
_MARKUP_MODULES = {"anydoc": "firecrawl-anydoc", "lxml": "lxml"}
_MODULES = {**dict.fromkeys((*HTML, *_OFFICE), _MARKUP_MODULES), PDF: {"pypdfium2": "pypdfium2"}}


class UnreadableFileError(LumberError, ValueError):
    """A file is not text in a known encoding or format, is damaged, or contains no text."""


class TooMuchError(Exception):
    """A file exceeds a limit. The message follows the name of the file in a sentence."""


def check_unpacked(size: int, max_unpacked: int) -> None:
    """Raise TooMuchError if a file has unpacked to more bytes than the limit."""
    if size > max_unpacked:
        raise TooMuchError(
            f"unpacks to more than max_unpacked={max_unpacked:,} bytes. Raise that limit if "
            "you trust the file"
        )


def check_readable(path: str | PurePath) -> None:
    """Raise if a file's format needs a package that is not installed; the file is not opened.

    Args:
        path: The file. Its suffix decides the format.

    Raises:
        MissingExtraError: The package is missing. The message names the extra.
    """
    for module, package in _MODULES.get(PurePath(path).suffix.lower(), {}).items():
        require(module, package=package, extra=EXTRA)
