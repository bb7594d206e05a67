"""Parts of office packages: XML, links between parts, descriptions of pictures, text runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from lumber_files.formats.markdown_cleanup import mark_script
from lumber_files.formats.symbol_fonts import show_symbols

_OFFICE = "http://schemas.openxmlformats.org"
SPACES = {
    "w": f"{_OFFICE}/wordprocessingml/2006/main",
    "x": f"{_OFFICE}/spreadsheetml/2006/main",
    "m": f"{_OFFICE}/officeDocument/2006/math",
    "r": f"{_OFFICE}/officeDocument/2006/relationships",
    "a": f"{_OFFICE}/drawingml/2006/main",
    "p": f"{_OFFICE}/presentationml/2006/main",
    "c": f"{_OFFICE}/drawingml/2006/chart",
    "mc": f"{_OFFICE}/markup-compatibility/2006",
    **{
        name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
        for name in ("office", "style", "text", "table", "drawing", "presentation", "form")
    },
}
"""The namespaces of Office Open XML and OpenDocument, by the prefixes in our XPaths."""
_ADDED = re.compile(  # the last line of a description that Office wrote, in many languages
    r"\n(?=[^\n]*(?:g[eé]n[eé]r|gerad|созда|生成))[^\n]*"
    r"(?:autom|автом|自動|自动|\b(?:AI|KI|IA)\b)[^\n]*\Z",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"(?:[a-z]:[\\/]|[\\/]{2}|Macintosh HD:|/|~/|file:|https?:|cid:).*|.*[\\/][^\\/]*\.\w{2,4}"
    r"|\S*\.(?:png|jpe?g|gif|bmp|[ew]mf|tiff?|svg|webp|ico)",
    re.IGNORECASE | re.DOTALL,
)
_PAGE_WORD = re.compile(r"\d+|page|seite|página|of|von|de|[ivxlc]+")


def parse_xml(xml: bytes) -> Any:
    """Return the root of an XML document, without expanding its entities."""
    from lxml import etree

    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, collect_ids=False))


def zip_parts(parts: Mapping[str, str | bytes]) -> bytes:
    """Return the package of parts with these names, without compression."""
    with ZipFile(package := BytesIO(), "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return package.getvalue()


def find(element: Any, path: str) -> Any:
    """Return the result of an XPath on an element, with the prefixes of `SPACES`."""
    return _compile(path)(element)


@cache
def _compile(path: str) -> Any:
    from lxml import etree

    return etree.XPath(path, namespaces=SPACES)


def qualify(name: str) -> str:
    """Return a name such as "w:val" as lxml writes it, with its namespace."""
    prefix, _, local = name.partition(":")
    return f"{{{SPACES[prefix]}}}{local}"


def show_runs(root: Any, prefix: str, fonts: str, position: str) -> None:
    """Write symbols as Unicode, and separate superscripts and subscripts from the text before.

    `fonts` and `position` are XPaths from the properties of a run.
    """
    before = kind = ""
    paragraph = None
    paragraphs = [qualify(f"{prefix}:{tag}") for tag in ("p", "si", "is")]
    for text in root.iter(qualify(f"{prefix}:t")):
        last, paragraph = paragraph, next(text.iterancestors(*paragraphs), None)
        before, kind = (before, kind) if paragraph is last else ("", "")
        kind = "after" if kind in ("sup", "sub") else ""
        for properties in text.getparent().iterfind(qualify(f"{prefix}:rPr")):
            text.text = show_symbols(text.text or "", *find(properties, fonts))
            placed = find(properties, f"string({position})")  # such as "superscript" or "-25000"
            if placed.strip("0") not in ("", "baseline"):
                kind = "sub" if placed.startswith(("sub", "-")) else "sup"
        text.text = mark_script(kind, before, text.text or "")
        text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        before = text.text[-1:]


def link_targets(parts: Mapping[str, bytes], part: str, kind: str = "") -> dict[str, str]:
    """Return the names of the parts that a part (or the package, "") links to, by the link's ID.

    `kind` is the end of the type of the links, such as "styles".
    """
    folder, name = posixpath.split(part)
    links = parse_xml(parts.get(f"{folder}/_rels/{name}.rels".lstrip("/"), b"<Relationships/>"))
    return {
        link.get("Id", ""): posixpath.normpath(
            posixpath.join("/", folder, link.get("Target", ""))
        ).lstrip("/")
        for link in links
        if link.get("TargetMode") != "External" and link.get("Type", "").endswith(kind)
    }


def find_linked(parts: Mapping[str, bytes], part: str, kind: str) -> str:
    """Return the name of the first part that a part links to by a type such as "styles", or ""."""
    return next(iter(link_targets(parts, part, f"/{kind}").values()), "")


def is_page_number(line: str) -> bool:
    """Return whether a line of a header or footer is a page number; three numbers are a date."""
    words = re.findall(r"\d+|[^\W\d]+", line.lower())
    return all(map(_PAGE_WORD.fullmatch, words)) and sum(map(str.isdigit, words)) < 3


def clean_description(*texts: str | None) -> str:
    """Return the first description of a picture that is not a path, a file name or a URL, or ""."""
    cleaned = (" ".join(_ADDED.sub("", text).split()) for text in texts if text)
    return next((text for text in cleaned if text and not _PATH.fullmatch(text)), "")
