"""Cleans up the Markdown that anydoc writes; sets raised numbers apart from those beside them."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

# The parts of an EPUB with one chapter.
_CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="book" media-type="application/oebps-package+xml"/></rootfiles>
</container>"""
_EPUB_PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>"""

# What is changed in anydoc's Markdown, and code, which is kept.
_CLEANUP = re.compile(
    r"""(?=[`!\[<\\\n\#]|^[\ >]+`)(?:
    (?P<code>^[\ >]*(?P<fence>`{3,})(?!`)[^`\n]*\n.*?^[\ >]*(?P=fence)$
    |(?<![\\`])(?P<ticks>`{1,3})(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`))
    |(?<!\\)!?\[(?!\^)(?P<link>(?:[^\[\]\\]|\\.)*)\]\((?:<[^>]*>|[^()\s]*)\)
    |(?P<anchor><a\ id="[^"]*"></a>)
    |(?P<break>(?<!\\)\\\n)
    |(?P<gap>\n\n(?=(?P<indent>[\ >]*)(?P<marker>-|\d+\.)\ ))
    |^(?P<heading>\#+\ )\*\*(?P<bold>[^*\n]+)\*\*$
    |\\(?=\[[^\[\]\n]{1,20}\](?![(\[:]))
    |(?<!\\)(?P<in_cell><br>))""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_ITEM = re.compile(r"(?P<indent>[ >]*)(?P<marker>-|\d+\.) ")
_NUMBER_SIGNS = "+-\u2212\u2013"
_ORDINALS = frozenset(["st", "nd", "rd", "th", "er", "re", "e", "ème", "eme", "º", "ª", "o", "a"])


def set_apart(kind: str, before: str, text: str) -> str:
    """Return a raised or lowered text that cannot be taken for a part of the number beside it.

    Args:
        kind: "sup" if raised, "sub" if lowered, "after" if it follows such a text.
        before: The character before, or "".
        text: The text.
    """
    first = text[:1]
    if before in ("", *" [(") or not first.strip():
        return text
    is_number = first.isdigit() or (first in _NUMBER_SIGNS and text[1:2].isdigit())
    if kind == "sup" and is_number:
        return f"^{text}"
    if kind == "sup" and before.isdigit() and first.isalpha():
        return text if text.strip().lower() in _ORDINALS else f"^{text}"
    if kind == "sub" and before.isdigit() and is_number:
        return f"_{text}"
    return f" {text}" if kind == "after" and before.isdigit() and first.isdigit() else text


def chapter_to_markdown(page: str) -> str:
    """Return the Markdown of a page in XHTML."""
    epub = BytesIO()
    with ZipFile(epub, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", _CONTAINER)
        archive.writestr("book", _EPUB_PACKAGE)
        archive.writestr("a.xhtml", page.encode())
    return convert_document(epub.getvalue(), "epub")


def convert_document(content: bytes, kind: Any) -> str:
    """Return the Markdown of a document by anydoc, cleaned up."""
    from anydoc import to_markdown_bytes

    return _CLEANUP.sub(_clean_up, to_markdown_bytes(content, kind)).strip("\n")


def _clean_up(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"]
    if match["break"]:
        return "  \n"
    if match["gap"]:  # between items of a list; some have several paragraphs
        line = match.string.rfind("\n", 0, match.start()) + 1
        item = _ITEM.match(match.string, line)
        goes_on = item and item["marker"] != "-" and len(item["indent"]) >= len(match["indent"])
        return "\n" if item and (goes_on or match["marker"] in ("-", "1.")) else "\n\n"
    if match["heading"]:
        return match["heading"] + match["bold"]
    return " " if match["in_cell"] else match["link"] or ""
