"""Headings in HTML inside Markdown, as in `<h1 align="center">Otter Kit</h1>`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

# Comments, code and tables, which contain no headings; and headings, closed or not.
_PARTS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|pre|textarea|table)\b.*?(?:</\1\s*>|\Z)"
    r"|<h(?P<level>[1-6])\b[^<>]*>(?P<title>(?:(?!</?h[1-6]\b).){1,2000})(?P<end></h(?P=level)\s*>)?",
    re.DOTALL | re.IGNORECASE,
)
_LINE_TAG = re.compile(r"<br\b[^<>]*>|</(?:p|div)>", re.IGNORECASE)
_NO_TITLE = re.compile(r"<!--.*?-->|<[^<>]*>|!\[[^\[\]]*\]\([^()]*\)|\[\s*\]\([^()]*\)", re.DOTALL)
_WRAPPERS = re.compile(r"(?:\s|</?(?:a|center|details|div|header|p|section|summary)\b[^<>]*>)*")
_MAX_TITLE_CHARACTERS = 2_000  # tags included


def html_headings(text: str, first: int, stop: int) -> Iterator[tuple[int, int, str]]:
    """Yield the offset, level and title of each heading in HTML, and of the text between (level 0).

    The last item is the end, which is after `stop` if a heading continues there. A heading includes
    the tags around it. Headings in tables, of pictures alone, or after another one are ignored.
    """
    done = first
    for part in _PARTS.finditer(text, first, stop + _MAX_TITLE_CHARACTERS):
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
