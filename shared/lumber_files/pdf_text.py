"""Cleans the text of a PDF's pages of what a page does to text: it draws words as glyphs and lines.

"ﬁ" becomes "fi", a word that a line end divides becomes whole, invisible characters go, and what
the file does not say is U+FFFD everywhere. All takes time in proportion to the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

_HYPHEN, _SOFT = "-", "\xad\u2010"  # what divides a word; browsers draw the last
# PDFium delivers the code of a glyph for which it finds no character, and TeX maps some to U+FFFF.
# Lone surrogates, besides, cannot be written to a file.
_LOST = "\ufffd"
_CODES = (*range(1, 9), *range(11, 32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_PLAIN = {
    **dict.fromkeys(_CODES, _LOST),
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)},
    **dict.fromkeys(map(ord, "\0\u200b\u2060\ufeff")),  # invisible; joiners shape letters and emoji
    **dict.fromkeys(map(ord, "\xa0\u202f"), " "),  # which forbid a line break that is made by now
    0x2011: _HYPHEN,  # as well
    0x17F: "s",  # of a ligature, as PDFium has it
}

_MOST = 100_000  # hyphens at line ends, as of 10,000 pages; with more, all stay as they are
# A half begins after a blank, bracket, quote, dash or bar: in an address or path none is divided.
_BEFORE = (
    r"(?<![^\s(|\[\"'\u2018\u201c\u2013\u2014])"
    rf"(?P<left>[^\W\d_][\w-]*)(?P<sign>-| ?[{_SOFT}]) ?\n"
)
_AFTER = r"(?P<right>\w[\w-]*)"
_DIVIDED = re.compile(rf"{_BEFORE}(?={_AFTER}(?P<address>[@./:\\]\w)?)")
_WHOLE_DIVIDED = re.compile(_BEFORE + _AFTER)
_WORD = re.compile(r"[^\W_][\w-]*")
_JOINT = "\0"
_AFTER_JOINT = re.compile(rf"{_JOINT}(\S*)(?:[ \t]+(?=\S))?")
_SHORT = 3  # letters of "and", "und", "et", "y", before which a hyphen stands for a part left out


def clean_pages(texts: Sequence[str]) -> list[str]:
    """Return the pages' texts, cleaned; the words of all of them tell how to mend a divided one."""
    pages = [text.replace("\r\n", "\n").replace("\r", "\n").translate(_PLAIN) for text in texts]
    for sign in _SOFT:  # inside a line it is drawn as well, so that it is this file's plain hyphen
        if any(re.search(rf"\w{sign}\w", page) for page in pages):
            pages = [page.replace(sign, _HYPHEN) for page in pages]
    found = (match for page in pages for match in _DIVIDED.finditer(page))
    divided = list(islice(found, _MOST + 1))
    if 0 < len(divided) <= _MOST:
        words = _DividedWords(pages, divided)
        pages = [_DIVIDED.sub(words.mend, page) for page in pages]
        pages = [_AFTER_JOINT.sub(_break_after, page) for page in pages]
    return [page.replace("\xad", _HYPHEN).replace("\u2010", _HYPHEN) for page in pages]


def _break_after(rest: re.Match[str]) -> str:
    """Return what follows on a joint with the line break moved behind it."""
    whole = rest[1].replace(_JOINT, "")
    return whole if rest.end() == rest.end(1) else f"{whole}\n"


class _DividedWords:
    """What a file's other words say about those that line ends divide.

    In "exam-" and "ple" the hyphen goes, in "well-" and "known" it stays, and in "state-of-the-".
    If the file has neither "example" nor "exam-ple" elsewhere, the hyphen stays if the file has
    both halves as words, or one of them in another compound. If it has one as a word, nobody knows,
    and both hyphen and break stay; they do if the halves are no plain words, too. Otherwise the
    hyphen goes, provided that more of the words that are known lose theirs: many files never divide
    a word.
    """

    def __init__(self, pages: Sequence[str], divided: Sequence[re.Match[str]]) -> None:
        self._counts: Counter[str] = Counter()
        wanted = {form for match in divided for form in _forms(match)}
        for page in pages:
            for word in _WORD.finditer(_WHOLE_DIVIDED.sub(" ", page)):
                self._counts.update(form for form in _parts(word[0]) if form in wanted)
        seen = Counter(self._seen(match) for match in divided if match["sign"] == _HYPHEN)
        self._divides = seen[""] > seen[_HYPHEN]

    def mend(self, match: re.Match[str]) -> str:
        """Return what a divided word's first half and its hyphen become."""
        between = self._between(match)
        return match[0] if between is None else f"{match['left']}{between}{_JOINT}"

    def _between(self, match: re.Match[str]) -> str | None:
        """Return what stands between the halves, or None if both hyphen and break stay."""
        seen = self._seen(match)
        if seen is not None:
            return seen
        if match["sign"] != _HYPHEN:
            return ""
        left, right = match["left"].split(_HYPHEN)[-1], match["right"].split(_HYPHEN)[0]
        if _HYPHEN in match["left"] and match["left"][-1].isalpha() and match["right"][0].isalpha():
            return _HYPHEN  # "state-of-the-" and "art"
        counts, first, last = self._counts, left.lower(), right.lower()
        plain = left[-1:].islower() and right.isalpha() and right.islower()
        if not plain or match["address"] or (len(last) <= _SHORT and counts[last]):
            return None
        long = len(first) > _SHORT
        of_another = (counts[f"{first}-"] and long) or counts[f"-{last}"]
        if of_another or (counts[first] and counts[last]):
            return _HYPHEN
        a_word = counts[last] or (counts[first] and long)
        return "" if self._divides and not a_word and len(first) > 1 else None

    def _seen(self, match: re.Match[str]) -> str | None:
        """Return what stands between the halves elsewhere, or None if they are not there."""
        whole, part, compound, *_ = _forms(match)
        joined = max(self._counts[whole], self._counts[part])
        apart = self._counts[compound]
        if match["left"][-1].isalpha() and match["right"][0].isalpha() and joined >= max(1, apart):
            return ""
        return _HYPHEN if apart else None


def _forms(match: re.Match[str]) -> tuple[str, ...]:
    """Return the forms of a divided word to look for: whole, as a compound, and its halves."""
    left, right = match["left"].lower(), match["right"].lower()
    first, last = left.split(_HYPHEN)[-1], right.split(_HYPHEN)[0]
    compound = f"{left}{_HYPHEN}{right}"
    return left + right, first + last, compound, first, last, f"{first}-", f"-{last}"


def _parts(word: str) -> Iterable[str]:
    """Return a word, and of a compound its parts, the first and last as such."""
    word = word.lower().strip(_HYPHEN)
    if _HYPHEN not in word:
        return (word,)
    parts = word.split(_HYPHEN)
    return (word, *parts, f"{parts[0]}-", f"-{parts[-1]}")
