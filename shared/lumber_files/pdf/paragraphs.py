"""Finds where the paragraphs of a PDF's page begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from lumber_files.formats.markdown_cleanup import UNSPACED
from lumber_files.pdf.heading_levels import TypeStyles
from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import HEADING_SCALE, TextLine

SENTENCE_END = re.compile(  # closing quotes and parentheses may follow the mark
    "[.!?:\u061f\u06d4\u0964\u0965\u3002\uff01\uff1f\uff1a][\"')\\]\xbb\u2019\u201d\u300b\u300d\u300f\uff09]*$"
)
_MAX_LEADING = 1.3  # times the font size; lines farther apart are two paragraphs
_MIN_SHORTFALL = 5  # times the font size; the last line of a paragraph is shorter by more than this
_HYPHENS = "-\u2010\xad"
_STARTS_ANYWHERE = re.compile(f"[{UNSPACED}]{{3}}")
_NEXT_CHARACTERS = 2  # times the font size: a character, and a mark that must not begin a line
_TWO_SPACES_WIDTH = 0.5  # times the font size: two spaces, as ragged lines differ in length
_MAX_START_DIFFERENCE = 1.0  # points, between the starts of two lines; centred lines differ by more
_MAX_NOTE_RULE = 0.7  # times the width of lines, of a rule above notes; longer rules are in tables
_NOTE_MARK = re.compile(r"\^?[\d*\u2020\u2021\u00a7]")


def follows(line: TextLine, after: TextLine, styles: TypeStyles) -> bool:
    """Return whether a line continues the paragraph of the line before."""
    if after.is_item or (after.size < line.size and _NOTE_MARK.match(after.text)):
        return False
    if after.size >= HEADING_SCALE * max(line.size, styles.body_size):
        return False  # a heading may follow without space
    down = line.base - after.base
    if down <= 0:  # the next column
        continues = after.text[0].isalpha() and not after.text[0].isupper()
        return not SENTENCE_END.search(line.text) and line.size == after.size and continues
    short = line.right < after.right - _MIN_SHORTFALL * line.size
    return down < _MAX_LEADING * styles.leading(line) and not (
        short and SENTENCE_END.search(line.text)
    )


def is_wrapped(line: TextLine, after: TextLine, styles: TypeStyles, margin: float) -> bool:
    """Return whether a line (of bold words, for example) is full and continues in the next."""
    alike = line.size == after.size and abs(line.left - after.left) < _MAX_START_DIFFERENCE
    continues = after.text[0].islower() and follows(line, after, styles)
    return alike and continues and _is_full(line, after, margin)


def line_starts(lines: Sequence[TextLine], column: float) -> Iterator[bool]:
    """Yield whether each line of a paragraph, except the first, starts a line of its own.

    `column` is the right end of the lines that begin at the same place; 0 if it is unknown.
    """
    ups = [
        n for n, (a, b) in enumerate(pairwise(lines), start=1) if a.base < b.base
    ]  # column starts
    for start, stop in pairwise([0, *ups, len(lines)]):
        margin = max(line.right for line in lines[start:stop])
        pairs = [*pairwise(lines[start : stop + 1])]
        full = [_is_full(*pair, margin) for pair in pairs]
        if column and not (all(full) and len(full) > 1):
            # The longest lines of an address or a verse end early as well.
            margin = max(margin, column)
            full_pairs = zip(full, pairs, strict=True)
            full = [
                one and (p[1].text[0].islower() or _is_full(*p, margin)) for one, p in full_pairs
            ]
        yield from (not one for one in full)


def _is_full(line: TextLine, after: TextLine, margin: float) -> bool:
    """Return whether a line of a paragraph ends because the next word does not fit."""
    word = after.words[0]
    width = word.right - word.left
    if _STARTS_ANYWHERE.match(word.text):
        width = min(width, _NEXT_CHARACTERS * after.size)
    right = line.right + width + _TWO_SPACES_WIDTH * line.size
    return line.text[-1] in _HYPHENS or right > margin


def move_notes(
    page: Sequence[TextLine], rules: Sequence[Rule], styles: TypeStyles
) -> list[TextLine]:
    """Return lines with footnotes after the paragraph that continues in the column after them."""
    body: list[TextLine] = []
    notes: list[TextLine] = []
    most = _MAX_NOTE_RULE * median([line.right - line.left for line in page] or [0.0])
    short = [rule for rule in rules if not rule.upright and rule.right - rule.left < most]
    in_notes, before = False, None
    for line in page:
        if before is None or before.base < line.base:  # a column begins
            in_notes = False
        elif not in_notes and _NOTE_MARK.match(line.text):
            below = any(line.base < rule.top < before.base for rule in short)
            in_notes = below or line.size < min(styles.body_size, before.size)
        if notes and not in_notes and not follows(body[-1], line, styles):
            body += notes
            notes = []
        (notes if in_notes and body else body).append(line)
        before = line
    return [*body, *notes]
