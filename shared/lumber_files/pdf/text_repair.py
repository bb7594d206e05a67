"""Cleans the text of a PDF's pages of what a page does to text: it draws words as glyphs and lines.

"ﬁ" becomes "fi", a word that a line end divides becomes whole, invisible characters go, and what
the file does not say is U+FFFD everywhere. All takes time in proportion to the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_SOFT = "\xad\u2010"  # hyphens that divide a word; browsers draw the last
# PDFium delivers the code of a glyph for which it finds no character, and TeX maps some to U+FFFF.
# Lone surrogates, besides, cannot be written to a file.
_LOST = "\ufffd"
_CODES = (*range(1, 9), *range(11, 32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_PLAIN = {
    **dict.fromkeys(_CODES, _LOST),
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)},
    **dict.fromkeys(map(ord, "\0\u200b\u2060\ufeff")),  # invisible; joiners shape letters and emoji
    **dict.fromkeys(map(ord, "\xa0\u202f"), " "),  # which forbid a line break that is made by now
    0x2011: "-",  # as well
    0x17F: "s",  # of a ligature, as PDFium has it
}

_PART = r"\w+(?:-\w+)*"
_END = rf"(?P<sign>-| ?[{_SOFT}]) ?\n"
_WORD = re.compile(_PART)
_DIVIDED = re.compile(rf"(?<![\w-])(?P<left>{_PART}){_END}(?=(?P<right>{_PART}))")
_WHOLE_DIVIDED = re.compile(rf"(?<![\w-]){_PART}(?:{_END}{_PART})+".replace("?P<sign>", "?:"))
_INSIDE = re.compile(r"[^\s(|\[\"'\u2018\u201c\u2013\u2014]")  # before it, a word is in an address
_GOES_ON = re.compile(r"[@./:\\]\w")  # an address, behind a word
_SHORT = 3  # letters of "and", "und", "et", "y", before which a hyphen stands for a part left out


def clean_pages(texts: Sequence[str]) -> list[str]:
    """Return the pages' texts, cleaned; the words of all of them tell how to mend a divided one."""
    pages = [text.replace("\r\n", "\n").replace("\r", "\n").translate(_PLAIN) for text in texts]
    for sign in _SOFT:  # inside a line it is drawn as well, so that it is this file's plain hyphen
        if any(re.search(rf"\w{sign}\w", page) for page in pages):
            pages = [page.replace(sign, "-") for page in pages]
    words = _Words(pages)
    pages = [_DIVIDED.sub(words.mend, page) for page in pages]
    return [re.sub(f"[{_SOFT}]", "-", page) for page in pages]


class _Words:
    """What a file's words say about those that line ends divide.

    In "exam-" and "ple" the hyphen goes, in "well-" and "known" it stays. If the file has neither
    "example" nor "exam-ple" elsewhere, it stays if one of the halves is a word of the file. Of
    others it goes if more of the words that are known lose theirs: many files never divide a word.
    """

    def __init__(self, pages: Sequence[str]) -> None:
        self._counts: Counter[str] = Counter()
        for page in pages:
            for word in _WORD.findall(_WHOLE_DIVIDED.sub(" ", page).lower()):
                self._counts[word] += 1
                if "-" in word:
                    self._counts.update(word.split("-"))
        found = (match for page in pages for match in _DIVIDED.finditer(page))
        seen = Counter(self._is_whole(match) for match in found if match["sign"] == "-")
        self._divides = seen[True] > seen[False]

    def mend(self, match: re.Match[str]) -> str:
        """Return what the first half of a divided word becomes, without the line end."""
        left, right, known = match["left"], match["right"], self._is_whole(match)
        if known or (known is None and (match["sign"] != "-" or self._may_be_whole(match))):
            return left
        is_part = known is None and len(right) <= _SHORT and self._counts[right.lower()]
        return f"{left}- " if is_part else f"{left}-"

    def _is_whole(self, match: re.Match[str]) -> bool | None:
        """Return whether the file has the word without a hyphen, or with one; None if neither."""
        left, right = match["left"].lower(), match["right"].lower()
        apart = self._counts[f"{left}-{right}"]
        parts = left.rpartition("-")[2] + right.partition("-")[0]  # of a compound
        joined = max(self._counts[left + right], self._counts[parts])
        if left[-1].isalpha() and right[0].isalpha() and joined >= max(1, apart):
            return True
        return False if apart else None

    def _may_be_whole(self, match: re.Match[str]) -> bool:
        left, right, whole = match["left"], match["right"], match.string
        return (
            self._divides
            and len(left) > 1
            and "-" not in left
            and (left[-1] + right).isalpha()
            and (left[-1] + right).islower()
            and not _INSIDE.match(whole, max(0, match.start() - 1), match.start())
            and not _GOES_ON.match(whole, match.end("right"))
            and not self._counts[right]
            and not (self._counts[left.lower()] and len(left) > _SHORT)
        )
