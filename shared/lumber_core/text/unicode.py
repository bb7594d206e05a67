"""Grapheme clusters, line breaks, lone surrogates and control characters.

A grapheme cluster is what people see as one character. Boundaries follow Unicode's text
segmentation (UAX #29), as the `regex` package implements it. A lone surrogate is half a character,
which a Python string can hold but UTF-8 cannot.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import accumulate, count
from operator import add
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Scripts without spaces between words: kana and ideographs; Thai, Lao, Burmese and Khmer.
KANA_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
SOUTHEAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# Below this code point the only grapheme of several characters is CR LF.
FIRST_COMBINING = "\u0300"
# Categories whose characters never combine with the character before or after.
_SEPARATE = frozenset(
    ("Lu", "Ll", "Lt", "Nd", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Zs", "Zl", "Zp", "Cc")
)
_FLAG_LETTERS = "[\U0001f1e6-\U0001f1ff]"
# Two of these letters form a flag. `regex` counts them from the start of a run at each step, so
# long runs are passed to it in parts of this size.
_FLAG_LETTERS_PER_PART = 64
# Characters that are single clusters next to each other; and characters that belong to no word.
_SINGLE = r"[\p{GCB=Other}\p{GCB=Control}\p{GCB=LF}\p{GCB=LV}\p{GCB=LVT}]"
_NO_WORD = r"[\p{WB=Other}\p{WB=LF}\p{WB=Newline}]"
_SEPARATORS = re.compile(r"[\x1c-\x1f]")  # blanks for Python, but not for Unicode
_BLANKS = re.compile(r"[^\S\x1c-\x1f]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


@cache
def _pattern(source: str) -> Any:
    import regex  # deferred: it takes 10 ms, and greedy splitting of plain text does not need it

    return regex.compile(source, regex.VERSION1)


def breaks(text: str, positions: Iterable[int]) -> list[int]:
    """Return the ascending positions where a cut splits no grapheme cluster.

    The time is linear in the distance between them.
    """
    cuts = [*positions]
    if not cuts:
        return cuts
    if text.isascii():
        if text.find("\r\n", max(0, cuts[0] - 1), cuts[-1] + 1) < 0:
            return cuts
        return [at for at in cuts if text[at - 1 : at + 1] != "\r\n"]
    if cuts[0] > 0 and all(map(_is_boundary, {text[at - 1 : at + 1] for at in cuts})):
        return cuts
    return [*_breaks_beyond_ascii(text, cuts)]


@lru_cache(maxsize=1 << 14)
def _is_boundary(pair: str) -> bool:
    """Return whether a cut between two characters certainly splits no cluster."""
    if len(pair) < 2:
        return True
    return pair != "\r\n" and (
        pair[0] == "\n" or (_never_combines(pair[0]) and _never_combines(pair[1]))
    )


def _breaks_beyond_ascii(text: str, positions: Iterable[int]) -> Iterator[int]:
    boundary = 0  # the last position that is a cluster boundary
    for position in positions:
        if position <= 0 or position >= len(text):
            yield position
            continue
        if _is_boundary(text[position - 1 : position + 1]):
            boundary = position
            yield position
            continue
        before, after = text[position - 1], text[position]
        if before < FIRST_COMBINING and after < FIRST_COMBINING:
            continue
        # Scan from the last place between two characters that never combine.
        low = position - 1
        while low > boundary and not _is_boundary(text[low - 1 : low + 1]):
            low -= 1
        for cut in grapheme_cuts(text[low : position + 1]):
            if low + cut <= position:
                boundary = low + cut
        if boundary == position:
            yield position


@lru_cache(maxsize=1 << 14)
def _never_combines(character: str) -> bool:
    """Return whether a character never combines with another of this kind, except CR with LF.

    For letters without case, `regex` decides: most never combine, as in Chinese or Thai, but the
    letters of Hangul and some others do.
    """
    if character < FIRST_COMBINING:
        return True
    category = unicodedata.category(character)
    if category in _SEPARATE:
        return True
    return category == "Lo" and bool(_pattern(r"\p{GCB=Other}").match(character))


def grapheme_cuts(text: str) -> Sequence[int]:
    """Return the offset just past each grapheme cluster of `text`."""
    if text.isascii() or _pattern(_SINGLE + "+").fullmatch(text):
        return breaks(text, range(1, len(text) + 1)) if "\r\n" in text else range(1, len(text) + 1)
    return [
        start + match.end()
        for start, part in _parts(text)
        for match in _pattern(r"\X").finditer(part)
    ]


def word_cuts(text: str) -> Sequence[int]:
    """Return the offsets in `text` between words, except those inside a grapheme cluster.

    This works for scripts without spaces, too: each Han character counts as a word.
    """
    if _pattern(rf"[{_SINGLE}&&{_NO_WORD}]+").fullmatch(text):
        return range(1, len(text) + 1)
    cuts: list[int] = []
    for start, part in _parts(text):
        boundaries = [start + match.start() for match in _pattern(r"(?w)\b").finditer(part)]
        cuts += boundaries[1:] if boundaries[:1] == [start] else boundaries
    if text.isascii() or all(map(_is_boundary, [text[cut - 1 : cut + 1] for cut in cuts])):
        return breaks(text, cuts)
    graphemes = set(grapheme_cuts(text))
    return [cut for cut in cuts if cut in graphemes]


def space_cuts(text: str) -> list[int]:
    """Return the offset just past each run of white space, except one at the start."""
    lengths = [*map(len, text.split())]
    if sum(lengths) + len(lengths) - 1 == len(text) and not _SEPARATORS.search(text):
        # One blank after each word.
        cuts = [*map(add, accumulate(lengths[:-1]), count(1))]
    else:
        first = _BLANKS.match(text)
        cuts = [*map(re.Match.end, _BLANKS.finditer(text, first.end() if first else 0))]
        if cuts[-1:] == [len(text)]:
            cuts.pop()
    return breaks(text, cuts)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield parts of the text with their offsets; no part ends inside a flag."""
    start = 0
    if not text.isascii():
        # Pairs of flag letters from the start of a run that continues.
        whole = rf"{_FLAG_LETTERS}{{{_FLAG_LETTERS_PER_PART}}}(?={_FLAG_LETTERS})"
        for match in _pattern(whole).finditer(text):
            yield start, text[start : match.end()]
            start = match.end()
    yield start, text[start:]


def is_encodable(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def encodable(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD; offsets stay the same.

    `str.encode` with "replace" would write a question mark, which could end a sentence.
    """
    return text if is_encodable(text) else _SURROGATE.sub("\ufffd", text)


def writable(name: str) -> str:
    """Return a name with lone surrogates escaped: file names may contain them, UTF-8 may not."""
    return name.encode("utf-8", "backslashreplace").decode()


def printable(text: str) -> str:
    """Return `text` with control and other unprintable characters escaped, for terminals."""
    return "".join(
        character
        if character.isprintable() or unicodedata.category(character) == "Zs"  # spaces
        else character.encode("unicode_escape").decode()
        for character in text
    )
