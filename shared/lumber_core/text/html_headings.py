"""Headings in HTML inside Markdown, as in `<h1 align="center">Otter Kit</h1>`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

# Comments and code, in which nothing is a heading; tables; headings, and one that stays open.
_PARTS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|pre|textarea|table)\b.*?(?:</\1\s*>|\Z)"
    r"|<h(?P<level>[1-6])\b[^<>]*>(?P<title>(?:(?!</?h[1-6]\b).){1,2000})(?P<end></h(?P=level)\s*>)?",
    re.DOTALL | re.IGNORECASE,
)
_LINE_TAG = re.compile(r"<br\b[^<>]*>|</(?:p|div)>", re.IGNORECASE)
_NO_TITLE = re.compile(r"<!--.*?-->|<[^<>]*>|!\[[^\[\]]*\]\([^()]*\)|\[\s*\]\([^()]*\)", re.DOTALL)
_WRAPPERS = re.compile(r"(?:\s|</?(?:a|center|details|div|header|p|section|summary)\b[^<>]*>)*")


def html_headings(html: str) -> Iterator[tuple[int, int, str]]:
    """Yield where headings and the HTML between them begin, the level (of HTML 0), and the title.

    Nothing if there is no heading. Those in tables and those of pictures alone are none. Tags
    around one, such as `<div>`, belong to it. Of several in a line the first counts.
    """
    done = 0
    for part in _PARTS.finditer(html):
        title = unescape(_NO_TITLE.sub("", _LINE_TAG.sub(" ", part["title"] or "")))
        wrapped = _WRAPPERS.fullmatch(html, done, part.start())
        start = done if wrapped else html.rfind("\n", 0, part.start()) + 1
        if part["end"] and start >= done and any(map(str.isalnum, title)):
            if start > done:
                yield done, 0, ""
            yield start, int(part["level"]), " ".join(title.split())
            done = html.find("\n", part.end()) + 1 or len(html)
    if done and not _WRAPPERS.fullmatch(html, done):
        yield done, 0, ""


def leaves_open(html: str) -> str:
    """Return the tag that closes a heading which HTML begins and leaves open, or ""."""
    return next(
        (f"</h{p['level']}" for p in _PARTS.finditer(html) if p["title"] and not p["end"]), ""
    )
