"""Puts the words of a PDF's page into lines, with bullets and note marks beside their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lumber_files.formats.markdown_cleanup import UNSPACED, mark_script
from lumber_files.pdf.page_tags import CellTag

_MIN_CELL_GAP = 1.5  # times the font size; spaces between justified words are smaller
MAX_BASE_DIFFERENCE = 0.5  # times the font size
HEADING_SCALE = 1.15
"""Times the font size of the text; larger type is in headings."""
_MAX_ROW_RISE = 0.5  # points; cells of a row are as high as each other
_MAX_LETTER_GAP, _MAX_RAISED_GAP = 0.15, 0.2  # times the font size; "1" is narrower than its place
MIN_RAISE, _MAX_RAISE, _MAX_MARK_GAP = 0.15, 0.9, 0.7  # times the font size
_MAX_MARKS_PER_PAGE = 200  # more marks are ordinary numbers or letters
_NOTE_MARK = re.compile(r"(?:(?:\([a-z\d]{1,2}\))+|[a-z\d]{1,2}|[*\u2020\u2021\u00a7]+),?")

BULLETS = "•◦▪■□○●‣⁃∙·➢➤✓✔\uf0b7\uf0a7"  # noqa: RUF001
ITEM_NUMBER = r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]+)[.)]"
_EAST_ASIAN_NUMBER = (  # no space follows it
    "[\uff08(](?:\\d{1,2}|[一二三四五六七八九十]{1,3})[\uff09)]"
    "|[①-⑳]|[一二三四五六七八九十]{1,3}、|\\d{1,2}[\uff0e、]|・"
)
_ITEM_START = re.compile(
    rf"[{BULLETS}]|(?:[\u2013*-]|{ITEM_NUMBER})\s|(?:{_EAST_ASIAN_NUMBER})(?=[{UNSPACED}])"
)
FROM_RIGHT = re.compile("[\u0590-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""A letter of a script from right to left."""


class Word(NamedTuple):
    """A word and its position, in points from the lower left of the page."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: int
    """The weight of its font: 0 for light or regular, 1 for medium, 2 for bold."""
    fixed: bool = False
    """Whether its font is monospaced, as in code."""
    turns: int = 0
    """Quarter turns counter-clockwise."""
    level: int = 0
    """The level of the tagged heading that it is in, or 0."""
    cell: CellTag = CellTag()
    """The tagged cell of a table that it is in."""


class TextLine:
    """Words on a line.

    Attributes:
        words: In reading order.
        added: Whether they belong to an annotation, such as the field of a form.
        size: The most common font size.
        bold: The weight of its lightest word.
        fixed: Whether all of it is monospaced, as in code.
        level: The level of the tagged heading that all of it is in, or 0.
        cells: The words between wide gaps: one cell unless the line is a row of a table.
    """

    def __init__(self, words: Sequence[Word], *, added: bool = False) -> None:
        self.words, self.added = words, added
        texts, lefts, rights, bases, sizes, bold, fixed, _, levels, _ = zip(*words, strict=True)
        self.text: str = " ".join(texts)
        self.left: float = min(lefts)
        self.right: float = max(rights)
        lengths = [*map(len, texts)]
        self.base: float = bases[lengths.index(max(lengths))]
        self.size: float = sizes[0]
        if sizes.count(self.size) < len(sizes):
            shares = Counter[float]()
            for size, length in zip(sizes, lengths, strict=True):
                shares[size] += length
            self.size = max(shares, key=shares.__getitem__)
        self.bold: int = min(bold)
        self.fixed, self.level = all(fixed), min(levels)
        self.cells: Sequence[Sequence[Word]] = [*divide_words(words, _MIN_CELL_GAP * self.size)]

    @property
    def is_item(self) -> bool:
        """Whether an item of a list begins here."""
        return _ITEM_START.match(self.text) is not None


def divide_words(words: Sequence[Word], gap: float) -> Iterator[Sequence[Word]]:
    """Yield the words of a line between gaps of a minimum width."""
    first = 0
    for number, (before, word) in enumerate(pairwise(words), start=1):
        if word.left - before.right > gap or before.left - word.right > gap:
            yield words[first:number]
            first = number
    yield words[first:]


def is_from_right(text: str) -> bool:
    """Return whether most letters of a text are of a script from right to left."""
    count = len(FROM_RIGHT.findall(text))
    return count > 0 and 2 * count > sum(map(str.isalpha, text))


def continues_line(before: Sequence[Word], after: Sequence[Word]) -> bool:
    """Return whether words continue the line of other words.

    PDFium ends a line after superscripts, and between the short cells of a row.
    """
    last, first = before[-1], after[0]
    size = max(last.size, first.size)
    gap, rise = first.left - last.right, abs(first.base - before[0].base)
    near = rise < MAX_BASE_DIFFERENCE * size and gap < size
    return (
        last.turns == first.turns
        and -_MAX_LETTER_GAP * size < gap
        and (near or rise < _MAX_ROW_RISE)
    )


def join_words(before: Sequence[Word], after: Sequence[Word]) -> list[Word]:
    """Return the words of a line and of its continuation; a divided word becomes one."""
    from_right = FROM_RIGHT.search(after[0].text) is not None
    if from_right and len(before) == 1 and not any(map(str.isalnum, before[0].text)):
        before, after = after, before  # PDFium returns a full stop before such a line
    last, first = before[-1], after[0]
    raised = first.base - before[0].base > MIN_RAISE * last.size
    most = _MAX_RAISED_GAP if raised else _MAX_LETTER_GAP
    if first.left - last.right > most * max(last.size, first.size):
        return [*before, *after]
    kind = "sup" if raised else "after"
    text = last.text + mark_script(kind, last.text[-1], first.text)
    return [*before[:-1], last._replace(text=text, right=first.right), *after[1:]]


def join_note_marks(page: Sequence[TextLine]) -> list[TextLine]:
    """Return lines with superscript note marks, which may be drawn last, after their words."""
    lines = dict(enumerate(page))
    marks = [n for n, o in lines.items() if all(_NOTE_MARK.fullmatch(w.text) for w in o.words)]
    for number in marks if len(marks) <= _MAX_MARKS_PER_PAGE else ():
        line = lines[number]
        if line is not page[number]:
            continue
        if unplaced := [mark for mark in line.words if not _put_behind(mark, lines)]:
            lines[number] = TextLine(unplaced, added=line.added)
        else:
            del lines[number]
    return [*lines.values()]


def _put_behind(mark: Word, lines: dict[int, TextLine]) -> bool:
    """Put a superscript mark after its larger word; return whether there is such a word."""
    for number, line in lines.items():
        for end, word in enumerate(line.words, start=1):
            rise, gap = (mark.base - word.base) / word.size, (mark.left - word.right) / word.size
            if mark.size < word.size and MIN_RAISE < rise < _MAX_RAISE and abs(gap) < _MAX_MARK_GAP:
                words = [*join_words(line.words[:end], [mark]), *line.words[end:]]
                lines[number] = TextLine(words, added=line.added)
                return True
    return False


def text_size(pages: Sequence[Sequence[TextLine]]) -> float:
    """Return the most common font size outside tables."""
    sizes = Counter[float]()
    for line in (line for page in pages for line in page if len(line.cells) == 1):
        sizes[line.size] += len(line.text)
    return max(sizes, key=sizes.__getitem__, default=0.0)


def by_height(lines: Iterable[TextLine]) -> list[list[TextLine]]:
    """Return lines by their height, from top to bottom."""
    levels: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: -line.base):
        if not levels or levels[-1][0].base - line.base >= line.size / 2:
            levels.append([])
        levels[-1].append(line)
    return levels
