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
_LONGEST_TITLE = 2_000  # characters, tags included


def html_headings(text: str, first: int, stop: int) -> Iterator[tuple[int, int, str]]:
    """Yield where headings of HTML and what is between them (level 0) begin, levels and titles.

    The last item is where they end, behind `stop` if a heading goes on. Those in tables and those
    of pictures alone are none. Tags around one belong to it. Of several in a line the first counts.
    """
    done = first
    for part in _PARTS.finditer(text, first, stop + _LONGEST_TITLE):
        title = unescape(_NO_TITLE.sub("", _LINE_TAG.sub(" ", part["title"] or "")))
        wrapped = _WRAPPERS.fullmatch(text, done, part.start())
        start = done if wrapped else text.rfind("\n", first, part.start()) + 1 or first
        if part.start() < stop and part["end"] and start >= done and any(map(str.isalnum, title)):
            if start > done:
                yield done, 0, ""
            yield start, int(part["level"]), " ".join(title.split())
            done = text.find("\n", part.end()) + 1 or len(text)
    if first < done < stop and not _WRAPPERS.fullmatch(text, done, stop):
        yield done, 0, ""
    if done > first:
        yield max(done, stop), 0, ""
