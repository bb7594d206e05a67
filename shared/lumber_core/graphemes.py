"""Where a text may be cut without breaking a character that people see as one.

Boundaries follow Unicode's text segmentation (UAX #29), as the `regex` package implements it.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# Below this code point the only grapheme of several characters is CR LF.
FIRST_COMBINING = "\u0300"
_LOOK_BACK = 4096
# Categories whose characters neither extend the cluster before them nor hold on to what follows.
_SEPARATE = frozenset(("Lu", "Ll", "Lt", "Nd", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Zs", "Cc"))


@cache
def _pattern(source: str) -> Any:
    import regex  # deferred: it costs 10 ms that greedy splitting of plain text never needs

    return regex.compile(source, regex.VERSION1)


def is_break(text: str, position: int) -> bool:
    """Tell whether a cut before `text[position]` leaves all grapheme clusters whole."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before < FIRST_COMBINING and after < FIRST_COMBINING:
        return not (before == "\r" and after == "\n")
    if _separate(before, after):
        return True
    # Scan from a place that surely is a boundary: between two characters that never combine.
    low = position - 1
    while low > max(0, position - _LOOK_BACK) and not _separate(text[low - 1], text[low]):
        low -= 1
    return any(low + cut == position for cut in grapheme_cuts(text[low : position + 1]))


def _separate(before: str, after: str) -> bool:
    """Tell whether two characters are sure to belong to different clusters."""
    if before == "\n":
        return True
    categories = unicodedata.category(before), unicodedata.category(after)
    return _SEPARATE.issuperset(categories) and not (before == "\r" and after == "\n")


def grapheme_cuts(text: str) -> Iterator[int]:
    """Yield the offset just past each grapheme cluster of `text`."""
    for match in _pattern(r"\X").finditer(text):
        yield match.end()


def word_cuts(text: str) -> Iterator[int]:
    """Yield the offsets inside `text` that lie between words and inside no grapheme cluster.

    Scripts written without spaces have such places too: each Han character is a word here.
    """
    graphemes = set(grapheme_cuts(text))
    for match in _pattern(r"(?w)\b").finditer(text):
        if match.start() in graphemes:
            yield match.start()


def space_cuts(text: str) -> Iterator[int]:
    """Yield the offset just past each run of white space that follows something else."""
    for match in _pattern(r"(?<=\S)\s+(?=\S)").finditer(text):
        if is_break(text, match.end()):
            yield match.end()
