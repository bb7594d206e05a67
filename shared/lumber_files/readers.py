"""The formats that are read, the function that reads each, and the packages that it needs."""

from __future__ import annotations

from lumber_core.support.extras import require
from lumber_files.limits import EXTRA

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


def require_reader(suffix: str) -> None:
    """Raise MissingExtraError unless the packages that read a format are installed."""
    for module, package in _MODULES.get(suffix, {}).items():
        require(module, package=package, extra=EXTRA)
