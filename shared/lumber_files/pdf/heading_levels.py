"""Finds the headings of a PDF by its tags and bookmarks, or by larger or bolder type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from lumber_files.formats.markdown_cleanup import MAX_HEADING_WORDS, may_be_heading
from lumber_files.pdf.text_lines import BULLETS, HEADING_SCALE, TextLine, text_size

_MIN_HEADING_SCALE = 0.9  # times the font size of text; smaller bold type is in tables and notes
_MAX_HEADING_LINES = 3  # lines of a heading; a paper's title may have twice the lines and words
_TITLE_SCALE = 1.5  # times the font size of the text
_MAX_SIZE_DIFFERENCE = 0.1  # times the font size, between the lines of a title
MAX_LEVEL = 4  # level of headings; deeper headings get this level
_DEFAULT_LEADING = 1.2  # times the font size, if no lines of that size follow each other
NUMBER = re.compile(r"(?:\w+ )?(?:\d[\w.]*|[A-Za-z]|[IVXivx]+)[.):]?|[" + BULLETS + "\u2013-]")
_COMMAND = re.compile(r"\w[_(]\w")  # "SQL_ID" and "MAX(X)" are code, not headings in capitals
_NUMBERING = re.compile(
    r"(?i)\A(?:(?:chapter|section|part|appendix|kapitel)\s)?(?:[\dA-Z]|[IVX]+|\d\d)(?:\.\d+)*[.):]?\s"
)

Outline = dict[tuple[int, str], int]
"""The levels of bookmarks by page and `bookmark_key`."""


def title_key(title: str) -> str:
    """Return the letters and digits of a title: spaces and case differ from bookmark to text."""
    return "".join(filter(str.isalnum, title)).casefold()


def bookmark_key(title: str) -> str:
    """Return the common key of a bookmark and its heading: LaTeX omits numbers in bookmarks."""
    return title_key(_NUMBERING.sub("", title, count=1))


class TypeStyles:
    """The fonts of a file, which distinguish headings and code from body text.

    Attributes:
        body_size: The most common font size, in points.
    """

    def __init__(self, pages: Sequence[Sequence[TextLine]], outline: Outline) -> None:
        leadings = Counter[tuple[float, float]]()
        for line, after in (pair for page in pages for pair in pairwise(page)):
            if line.size == after.size and 0 < line.base - after.base < 3 * line.size:
                leadings[line.size, round((line.base - after.base) / line.size, 1)] += 1
        self.body_size = text_size(pages)
        alone = [line for page in pages for line in page if len(line.cells) == 1]
        half = sum(len(line.text) for line in alone) / 2
        by_weight = [sum(len(o.text) for o in alone if o.bold == weight) for weight in range(3)]
        self._weight = by_weight.index(max(by_weight))
        self._capitals_are_rare = sum(len(o.text) for o in alone if o.text.isupper()) < half
        self._fixed_is_rare = sum(len(line.text) for line in alone if line.fixed) < half
        self._leadings = {size: leading for (size, leading), _ in leadings.most_common()[::-1]}
        self._outline = outline

    def leading(self, line: TextLine) -> float:
        """Return the distance from a line to the next one of a paragraph."""
        return line.size * self._leadings.get(line.size, _DEFAULT_LEADING)

    def stated_level(self, page: int, lines: Sequence[TextLine]) -> int:
        """Return the level of the tags of lines, or of a bookmark for them, 0 if there is none."""
        key = bookmark_key(" ".join(line.text for line in lines)) if self._outline else ""
        levels = (self._outline.get((near, key), 0) for near in (page, page - 1, page + 1))
        return min(next(filter(None, (lines[0].level, *levels)), 0), MAX_LEVEL)

    def are_alike(self, line: TextLine, other: TextLine) -> bool:
        """Return whether two lines may be of one heading; sizes in a title may differ a little."""
        if line.level != other.level:
            return False
        if line.size >= _TITLE_SCALE * self.body_size:
            return abs(line.size - other.size) <= _MAX_SIZE_DIFFERENCE * line.size
        return line.bold == other.bold and line.size == other.size

    def is_code(self, line: TextLine) -> bool:
        """Return whether a line is code: in a monospaced font, if most text is not."""
        return line.fixed and self._fixed_is_rare and line.size < HEADING_SCALE * self.body_size

    def is_heading(self, page: int, lines: Sequence[TextLine]) -> bool:
        """Return whether lines are a heading, by tags, bookmark or type."""
        text = " ".join(line.text for line in lines)
        size = lines[0].size
        scale = 2 if size >= _TITLE_SCALE * self.body_size else 1
        few = (
            len(text.split()) <= scale * MAX_HEADING_WORDS
            and len(lines) <= scale * _MAX_HEADING_LINES
        )
        if not few or not all(map(is_text, lines)):
            return False
        if self.stated_level(page, lines):
            return True
        bold = lines[0].bold > self._weight
        larger = size >= HEADING_SCALE * self.body_size
        capital = self._capitals_are_rare and text.isupper() and not _COMMAND.search(text)
        return (
            (larger or bold or capital)
            and size >= _MIN_HEADING_SCALE * self.body_size
            and may_be_heading(text)
            and (larger or text[-1] not in "!*\u2020\u2021")
            and text[0] not in f"{BULLETS}*\u2020\u2021\u00a7"
        )


def is_text(line: TextLine) -> bool:
    """Return whether a line is text, possibly with a number before it, and no row of a table."""
    first = " ".join(word.text for word in line.cells[0])
    return len(line.cells) == 1 or (len(line.cells) == 2 and NUMBER.fullmatch(first) is not None)


def levels_of(headings: Iterable[tuple[float, int]]) -> dict[float, int]:
    """Return the level of each size, given sizes of headings with their bookmark's level or 0.

    Weight and capitals make no levels: each level in a path takes words of a passage's budget.
    """
    counts, bookmarked = Counter[float](), dict[float, Counter[int]]()
    for size, level in headings:
        counts[size] += 1
        if level:
            bookmarked.setdefault(size, Counter())[level] += 1
    frequent = sorted(counts, key=lambda size: (counts[size], size))[-MAX_LEVEL:]
    ranks = {size: max(1, sum(other >= size for other in frequent)) for size in counts}
    return {**ranks, **{size: levels.most_common(1)[0][0] for size, levels in bookmarked.items()}}
