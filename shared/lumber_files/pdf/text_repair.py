"""Repairs text extracted from PDF pages: ligatures, hyphenated line ends, undecodable characters.

"ﬁ" becomes "fi", words that a line end divides are joined (of Chinese and Japanese, too), invisible
characters are removed, and undecodable characters become U+FFFD. The time is linear in the length
of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

from lumber_core.text.unicode import KANA_HAN
from lumber_files.formats.markdown_cleanup import UNSPACED

_SOFT_HYPHENS = "\xad\u2010"  # soft hyphens, which browsers print as the second character
# PDFium returns the code of a glyph that has no character, and TeX maps some to U+FFFF. Lone
# surrogates cannot be written to a file.
UNDECODABLE = "\ufffd"
_CODES = (*range(1, 9), *range(11, 32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_REPAIRS = {
    **dict.fromkeys(_CODES, UNDECODABLE),
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)},
    **dict.fromkeys(map(ord, "\0\u200b\u2060\ufeff")),  # invisible; joiners shape letters and emoji
    **dict.fromkeys(map(ord, "\xa0\u202f"), " "),  # no-break spaces: lines are already broken
    0x2011: "-",  # no-break hyphen
    0x17F: "s",  # PDFium returns a long s for a ligature
}

WORD_GOES_ON = "\u2060"
"""Marks a line end inside a word in an alphabet without hyphens, such as Hangul."""
_QUOTES = "\u2018-\u201d\u2014\u2026"  # Chinese punctuation that other alphabets have, too
_INSIDE_TEXT = re.compile(  # lines of one character are the rows or columns of a table
    rf"\n(?:(?<!\n.\n)(?<!\| .\n)(?:(?<=[{UNSPACED}]\n)(?=[{UNSPACED}{_QUOTES}])"
    rf"|(?<=[{_QUOTES}]\n)(?=[{UNSPACED}]))|(?<={WORD_GOES_ON}\n)(?=[^\W\x00-\x7f]))"
)
# Beside another alphabet, a line end becomes what most lines have there: a space or nothing.
_OWN, _OTHER = f"[{KANA_HAN}]", "[A-Za-z0-9]"
_BESIDE = rf"(?<!\n.)(?<!\| .)(?:(?<={_OWN})[ \n]?(?={_OTHER})|(?<={_OTHER})[ \n]?(?={_OWN}))"

_PART = r"\w+(?:-\w+)*"
_LINE_END = rf"(?P<hyphen>-| ?[{_SOFT_HYPHENS}]) ?\n"
_WORD = re.compile(_PART)
_DIVIDED_WORD = re.compile(rf"(?<![\w-])(?P<left>{_PART}){_LINE_END}(?=(?P<right>{_PART}))")
_DIVISIONS = re.compile(rf"(?<![\w-]){_PART}(?:{_LINE_END}{_PART})+".replace("?P<hyphen>", "?:"))
_HYPHEN_AT_END = re.compile(rf"[-{_SOFT_HYPHENS}] ?\n")
_ADDRESS_BEFORE = re.compile(r"[^\s(|\[\"'\u2018\u201c\u2013\u2014]")  # before a word of an address
_ADDRESS_AFTER = re.compile(r"[@./:\\]\w")  # after a word of an address
_MAX_CONJUNCTION_LETTERS = 3  # "and", "und", "y"; a hyphen before them replaces half a word


def clean_pages(texts: Sequence[str]) -> list[str]:
    """Return the repaired pages. The words of all pages decide how a divided word is joined."""
    pages = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
    east_asian = (page for page in pages if re.search(_OWN, page))
    gaps = Counter(gap for page in east_asian for gap in re.findall(_BESIDE, page))
    if gaps[""] > gaps[" "]:
        pages = [re.sub(_BESIDE, lambda gap: gap[0].strip("\n"), page) for page in pages]
    pages = [_INSIDE_TEXT.sub("", page).translate(_REPAIRS) for page in pages]
    for hyphen in _SOFT_HYPHENS:  # a file with it inside lines uses it as an ordinary hyphen
        if any(re.search(rf"\w{hyphen}\w", page) for page in pages):
            pages = [page.replace(hyphen, "-") for page in pages]
    words = _Words(pages)
    pages = [_replace(_DIVIDED_WORD, words.mend, page) for page in pages]
    return [re.sub(f"[{_SOFT_HYPHENS}]", "-", page) for page in pages]


def _replace(
    divided: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str], page: str
) -> str:
    """Replace divided words; most pages have none, and a search for words takes long."""
    return divided.sub(replacement, page) if _HYPHEN_AT_END.search(page) else page


class _Words:
    """The words of a file, which decide how words that line ends divide are joined.

    "exam-" and "ple" lose the hyphen, "well-" and "known" keep it. If the file has neither
    "example" nor "exam-ple" elsewhere, the hyphen stays if one of the halves is a word of the file.
    Otherwise it is removed if most other words lose their hyphens: many files never divide a word.
    """

    def __init__(self, pages: Sequence[str]) -> None:
        whole = (_WORD.findall(_replace(_DIVISIONS, " ", page).lower()) for page in pages)
        words = [*chain.from_iterable(whole)]
        self._counts = Counter(words)
        self._counts.update(part for word in words if "-" in word for part in word.split("-"))
        ends = filter(_HYPHEN_AT_END.search, pages)
        divided = (match for page in ends for match in _DIVIDED_WORD.finditer(page))
        counts = Counter(self._is_whole(match) for match in divided if match["hyphen"] == "-")
        self._divides = counts[True] > counts[False]

    def mend(self, match: re.Match[str]) -> str:
        """Return the first half of a divided word in the form that joins the second half."""
        left, right, is_whole = match["left"], match["right"], self._is_whole(match)
        if is_whole or (is_whole is None and (match["hyphen"] != "-" or self._may_be_whole(match))):
            return left
        is_short = len(right) <= _MAX_CONJUNCTION_LETTERS
        is_part = is_whole is None and is_short and self._counts[right.lower()]
        return f"{left}- " if is_part else f"{left}-"

    def _is_whole(self, match: re.Match[str]) -> bool | None:
        """Return whether the file has the word without a hyphen; None if it has neither form."""
        left, right = match["left"].lower(), match["right"].lower()
        hyphenated = self._counts[f"{left}-{right}"]
        parts = left.rpartition("-")[2] + right.partition("-")[0]  # without the rest of a compound
        joined = max(self._counts[left + right], self._counts[parts])
        if left[-1].isalpha() and right[0].isalpha() and joined >= max(1, hyphenated):
            return True
        return False if hyphenated else None

    def _may_be_whole(self, match: re.Match[str]) -> bool:
        left, right, text = match["left"], match["right"], match.string
        return (
            self._divides
            and len(left) > 1
            and "-" not in left
            and (left[-1] + right).isalpha()
            and (left[-1] + right).islower()
            and not _ADDRESS_BEFORE.match(text, max(0, match.start() - 1), match.start())
            and not _ADDRESS_AFTER.match(text, match.end("right"))
            and not self._counts[right]
            and not (self._counts[left.lower()] and len(left) > _MAX_CONJUNCTION_LETTERS)
        )
