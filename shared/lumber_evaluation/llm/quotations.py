"""Finding a model's quotation in its source text.

Models do not copy exactly: they straighten quotation marks and dashes, join lines, drop the
underscores of italics, change the case of a first letter, and leave things out with an ellipsis.
Such quotations are found as well; the result is the source's wording.
"""

from __future__ import annotations

import re
import unicodedata

from lumber_core.spans import Span

_ELLIPSIS = re.compile(r"(?:[\[(]\s?)?(?:…|\.(?:\s?\.){2,})(?:\s?[\])])?")
_LIBERTIES = frozenset("\"'`_*\u2212")
_LIBERAL_KINDS = frozenset(("Pd", "Pi", "Pf", "Ps", "Pe", "Cc", "Cf", "Zs", "Zl", "Zp"))
_USEFUL_BYTES = 20
"""Minimum length of a part of a quotation, in bytes of UTF-8 without spaces: four or five words of
English, seven ideographs. Shorter parts may occur anywhere."""


def find_quotation(quotation: str, text: str, within: Span) -> Span | None:
    """Find a quotation in a text.

    Args:
        quotation: The quotation as a model gave it.
        text: The text.
        within: The part of the text to search.

    Returns:
        Its span: of a verbatim match, or else of one that ignores white space, case, brackets, the
        form of quotation marks and dashes, and a full stop at the end. For a quotation with
        ellipses that has no such match, the span of its longest part that has one; very short parts
        are ignored. None if nothing is found. The span is not empty, and neither begins nor ends
        with white space.
    """
    passage = _Passage(text, within)
    whole = passage.find(quotation)
    if whole is not None:
        return whole
    found = [
        span
        for part in _ELLIPSIS.split(quotation)
        if len(_plain(part)[0].encode("utf-8", "surrogatepass")) >= _USEFUL_BYTES
        and (span := passage.find(part)) is not None
    ]
    return max(found, key=lambda span: span.end - span.start, default=None)


class _Passage:
    """A part of a text to find quotations in."""

    def __init__(self, text: str, within: Span) -> None:
        self._text = text
        self._within = within
        self._folded: tuple[str, list[int]] | None = None

    def find(self, quotation: str) -> Span | None:
        quotation = quotation.strip()
        wanted = _plain(quotation)[0]
        if not wanted:
            return None
        start = self._text.find(quotation, self._within.start, self._within.end)
        if start >= 0:
            return Span(start, start + len(quotation))
        if self._folded is None:
            self._folded = _plain(self._within.of(self._text))
        plain, places = self._folded
        position = plain.find(wanted)
        if position < 0:  # part of a sentence is often quoted as if it were all
            wanted = wanted.rstrip(".,;:")
            position = plain.find(wanted)
        if position < 0 or not wanted:
            return None
        start = places[position]
        end = places[position + len(wanted) - 1] + 1
        body = self._within.of(self._text)
        while end < len(body) and unicodedata.combining(body[end]):
            end += 1
        return Span(start, end).shifted(self._within.start)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text for comparisons, and the offset of the source of each of its characters."""
    pieces: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for piece in unicodedata.normalize("NFKD", character.casefold()):
            if piece in _LIBERTIES or unicodedata.category(piece) in _LIBERAL_KINDS:
                continue
            pieces.append(piece)
            places.append(place)
    return "".join(pieces), places
