"""Which formats are read, by what, and the extra that brings it."""

from __future__ import annotations

from lumber_core.support.extras import require

EXTRA = "documents"
HTML = (".html", ".htm", ".xhtml")
PDF = ".pdf"
_OFFICE = (
    *(".docx", ".doc", ".odt", ".rtf", ".pptx", ".ppt", ".odp"),
    *(".xlsx", ".xls", ".ods", ".epub"),
)
DOCUMENTS = (*_OFFICE, ".eml", ".ipynb")
"""The suffixes of documents that become Markdown."""

READERS = {
    **dict.fromkeys(HTML, "lumber_files.formats.html:read_page"),
    **dict.fromkeys(_OFFICE, "lumber_files.formats.office:read_document"),
    PDF: "lumber_files.pdf.page_reader:read_pages",
    ".eml": "lumber_files.formats.mail:read_mail",
    ".ipynb": "lumber_files.formats.notebooks:read_notebook",
}
"""What reads formats that are no plain text, in a child process."""

# The modules that a format takes, with the packages that they come in.
_MARKUP = {"anydoc": "firecrawl-anydoc", "lxml": "lxml"}
_MODULES = {**dict.fromkeys((*HTML, *_OFFICE), _MARKUP), PDF: {"pypdfium2": "pypdfium2"}}


def require_reader(suffix: str) -> None:
    """Raise unless the packages that read a format are installed; plain text needs none.

    Raises:
        MissingExtraError: One is missing. The message names the extra.
    """
    for module, package in _MODULES.get(suffix, {}).items():
        require(module, package=package, extra=EXTRA)
