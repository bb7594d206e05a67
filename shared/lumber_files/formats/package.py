"""What packages of Office share: XML, links between parts, descriptions of pictures."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

_ADDED = re.compile(  # by Office, below its own descriptions
    r"\s*(?:Description automatically generated[\w ]*"
    r"|(?:AI-)?generated content may be incorrect\.?)",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"(?:[a-z]:[\\/]|[\\/]{2}|/|~/|file:|https?:|cid:).*|.*[\\/][^\\/]*\.\w{2,4}"
    r"|\S*\.(?:png|jpe?g|gif|bmp|[ew]mf|tiff?|svg|webp|ico)",
    re.IGNORECASE | re.DOTALL,
)


def parse_xml(xml: bytes) -> Any:
    """Return the root of an XML, without reading what its entities stand for."""
    from lxml import etree

    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False))


def link_targets(parts: Mapping[str, bytes], part: str) -> dict[str, str]:
    """Return the names of the parts that a part ("": the package) refers to, by the reference."""
    folder, name = posixpath.split(part)
    links = parse_xml(parts.get(f"{folder}/_rels/{name}.rels".lstrip("/"), b"<Relationships/>"))
    return {
        link.get("Id", ""): posixpath.normpath(
            posixpath.join("/", folder, link.get("Target", ""))
        ).lstrip("/")
        for link in links
        if link.get("TargetMode") != "External"
    }


def clean_description(text: str) -> str:
    """Return the description of a picture, "" if it is a path, a file's name or an address."""
    text = " ".join(_ADDED.sub("", text).split())
    return "" if _PATH.fullmatch(text) else text
