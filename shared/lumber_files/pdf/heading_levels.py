"""Tells the headings of a PDF from its text: by its bookmarks, or by larger or bolder type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from lumber_files.pdf.text_lines import BULLETS, LARGER, TextLine, size_of_text

_SMALLER = 0.9  # times that size; smaller bold type is in tables and notes
_WORDS, _LINES = 15, 3  # of the longest heading
_SHORT = 6  # words of one that ends with a full stop, as "1. Business." may
LEVELS = 4
_LEADING = 1.2  # times the size of the type, where the file does not say

_NUMBER = re.compile(r"(?:\w+ )?(?:\d[\w.]*|[A-Za-z]|[IVXivx]+)[.):]?|[" + BULLETS + "\u2013-]")

Outline = dict[tuple[int, str], int]
"""The levels of bookmarks by page and `title_key`."""


def title_key(title: str) -> str:
    """Return the letters and digits of a title: spaces and cases differ from bookmark to text."""
    return "".join(filter(str.isalnum, title)).casefold()


class Types:
    """The type of a file: which is that of the text, and which that of headings.

    Attributes:
        text: The size of the type of most of the text.
    """

    def __init__(self, pages: Sequence[Sequence[TextLine]], outline: Outline) -> None:
        bold, capital, fixed = Counter[bool](), Counter[bool](), Counter[bool]()
        leadings = Counter[tuple[float, float]]()
        for page in pages:
            for line in page:
                if len(line.cells) == 1:
                    bold[line.bold] += len(line.text)
                    capital[line.text.isupper()] += len(line.text)
                    fixed[line.fixed] += len(line.text)
            for line, after in pairwise(page):
                if line.size == after.size and 0 < line.base - after.base < 3 * line.size:
                    leadings[line.size, round((line.base - after.base) / line.size, 1)] += 1
        self.text = size_of_text(pages)
        self._bold_says = bold[False] > bold[True]
        self._capital_says = capital[False] > capital[True]
        self._fixed_says = fixed[False] > fixed[True]
        self._leadings = {size: leading for (size, leading), _ in leadings.most_common()[::-1]}
        self._outline = outline

    def leading(self, line: TextLine) -> float:
        """Return the distance from a line to the next one of a paragraph."""
        return line.size * self._leadings.get(line.size, _LEADING)

    def bookmark(self, page: int, lines: Sequence[TextLine]) -> int:
        """Return the level of a bookmark for lines, 0 if there is none."""
        key = title_key(" ".join(line.text for line in lines))
        found = (self._outline.get((near, key), 0) for near in (page, page - 1, page + 1))
        return min(next(filter(None, found), 0), LEVELS)

    def is_code(self, line: TextLine) -> bool:
        """Return whether a line is set as code: in letters of one width, as most text is not."""
        return line.fixed and self._fixed_says and line.size < LARGER * self.text

    def is_heading(self, page: int, lines: Sequence[TextLine]) -> bool:
        """Return whether lines are set as a heading."""
        text = " ".join(line.text for line in lines)
        words = text.split()
        if len(words) > _WORDS or len(lines) > _LINES or not all(map(is_text, lines)):
            return False
        if self._outline and self.bookmark(page, lines):
            return True
        size, bold, capital = size_of(lines), lines[0].bold, text.isupper()
        larger = size >= LARGER * self.text
        letters = sum(map(str.isalpha, text))
        return (
            (larger or (capital and self._capital_says) or (bold and self._bold_says))
            and size >= _SMALLER * self.text
            and letters > max(2, sum(map(str.isdigit, text)))
            and (larger or text[-1] != "!")
            and not (text[-1] in ",;=+" or (text[-1] == "." and len(words) > _SHORT))
            and not text[0].islower()
            and text[0] not in BULLETS
        )


def size_of(lines: Sequence[TextLine]) -> float:
    """Return the size of the type of a heading, which ranks it."""
    return max(line.size for line in lines)


def is_text(line: TextLine) -> bool:
    """Return whether a line is no row of a table, but a text with a number at most."""
    first = " ".join(word.text for word in line.cells[0])
    return len(line.cells) == 1 or (len(line.cells) == 2 and _NUMBER.fullmatch(first) is not None)


def levels_of(headings: Iterable[tuple[float, int]]) -> dict[float, int]:
    """Return the levels of headings by size, as bookmarks say, or by rank.

    Weight and capitals rank no headings: in a path, each level takes words of a passage's budget.

    Args:
        headings: Of each its size, and the level that a bookmark says or 0.
    """
    counts, said = Counter[float](), dict[float, Counter[int]]()
    for size, level in headings:
        counts[size] += 1
        if level:
            said.setdefault(size, Counter())[level] += 1
    kept = sorted(counts, key=lambda size: (counts[size], size))[-LEVELS:]
    ranks = {size: max(1, sum(other >= size for other in kept)) for size in counts}
    return {**ranks, **{size: levels.most_common(1)[0][0] for size, levels in said.items()}}
