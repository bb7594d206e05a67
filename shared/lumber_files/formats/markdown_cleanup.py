"""Markdown as anydoc writes it, tidied up; and numbers that are raised beside others."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

# The parts of a book of one chapter.
_CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="book" media-type="application/oebps-package+xml"/></rootfiles>
</container>"""
_BOOK = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>"""

# What is tidied up in anydoc's Markdown, and code, which is left as it is.
_TIDIED = re.compile(
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
_SIGNS = "+-\u2212\u2013"
_ORDINALS = frozenset(["st", "nd", "rd", "th", "er", "re", "e", "ème", "eme", "º", "ª", "o", "a"])


def set_apart(kind: str, before: str, text: str) -> str:
    """Return a raised or lowered text so that it is not taken for a part of a number beside it.

    Args:
        kind: "sup" or "sub" for such a text, "after" for what follows it.
        before: The character before, or "".
        text: The text.
    """
    first = text[:1]
    if before in ("", *" [(") or not first.strip():
        return text
    is_number = first.isdigit() or (first in _SIGNS and text[1:2].isdigit())
    if kind == "sup" and is_number:
        return f"^{text}"
    if kind == "sup" and before.isdigit() and first.isalpha():
        return text if text.strip().lower() in _ORDINALS else f"^{text}"
    if kind == "sub" and before.isdigit() and is_number:
        return f"_{text}"
    return f" {text}" if kind == "after" and before.isdigit() and first.isdigit() else text


def chapter_to_markdown(page: str) -> str:
    """Return the Markdown of a page in XHTML."""
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", _CONTAINER)
        archive.writestr("book", _BOOK)
        archive.writestr("a.xhtml", page.encode())
    return convert_document(made.getvalue(), "epub")


def convert_document(content: bytes, kind: Any) -> str:
    """Return the Markdown that anydoc makes of a document, tidied up."""
    from anydoc import to_markdown_bytes

    return _TIDIED.sub(_tidied, to_markdown_bytes(content, kind)).strip("\n")


def _tidied(found: re.Match[str]) -> str:
    if found["code"]:
        return found["code"]
    if found["break"]:
        return "  \n"
    if found["gap"]:  # between the items of a list, some of which have several paragraphs
        line = found.string.rfind("\n", 0, found.start()) + 1
        item = _ITEM.match(found.string, line)
        goes_on = item and item["marker"] != "-" and len(item["indent"]) >= len(found["indent"])
        return "\n" if item and (goes_on or found["marker"] in ("-", "1.")) else "\n\n"
    if found["heading"]:
        return found["heading"] + found["bold"]
    return " " if found["in_cell"] else found["link"] or ""
