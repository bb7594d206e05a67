"""Puts the lines of a PDF's page in reading order.

Some programs draw columns row by row, and draw bullets and drop caps separately from their lines.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import BULLETS, ITEM_NUMBER, MAX_BASE_DIFFERENCE, TextLine, Word

_LONE_MARK = re.compile(rf"[{BULLETS}\u2013*o-]|{ITEM_NUMBER}")
_WORDS_BULLET = {"o": "\u25e6"}  # Word draws the letter as a bullet
_MAX_MARK_GAP = 4  # times the font size, between a mark and its item
_DROP_CAP = re.compile(r"[\W_]?[^\W\d_]")  # a letter, possibly with a quotation mark
_MIN_DROP_CAP = 1.8  # times the font size of its text; it is two lines high or more
_MAX_CAP_GAP = 0.3  # times the font size, before the rest of its word
_WORDS_OF_ONE_LETTER = "AEIY"  # capitals that are words in European languages
_MIN_COLUMN_GAP = 0.8  # times the font size, between two columns of text
_EDGE_STEP = 4  # points; the left ends of columns are rounded to it
_MIN_COLUMN_ROWS = 5  # of two columns drawn row by row; fewer are a table or fields
_MIN_COLUMN_WORDS = 3  # per row of a column of text; the cells of a table are shorter
_MIN_LINE_DISTANCE = 0.8  # times the font size, between the bases of lines one below the other
_MAX_CELL_RISE = 6  # times the font size, from the end of a cell to the start of the one beside it
_MAX_HEADER_LINES = 8  # lines of the column headers that are drawn before a label beside them
_MAX_PLACES_PER_GROUP = 1_000  # places searched for each group; pages have a few hundred


def order_lines(page: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines of a page in reading order, joined with their marks and drop caps."""
    return [*_order_columns(_join_apart(page))]


def _order_columns(page: Sequence[TextLine]) -> Iterator[TextLine]:
    """Yield the lines of a page column by column where columns are drawn row by row."""
    starts = Counter[int]()
    for line in page:
        for before, word in pairwise(line.words):
            if word.left - before.right > _MIN_COLUMN_GAP * line.size:
                starts[round(word.left / _EDGE_STEP)] += 1
    most = max(starts.values(), default=0)
    edge = min((s for s in starts if 2 * starts[s] > most), default=0) * _EDGE_STEP - _EDGE_STEP
    for crosses, band in groupby(page, lambda line: _crosses(line, edge)):
        lines = [*band]
        left = [[word for word in line.words if word.left < edge] for line in lines]
        right = [[word for word in line.words if word.left >= edge] for line in lines]
        both = zip(left, right, strict=True)
        rows = sum(_is_text(first) and _is_text(second) for first, second in both)
        if crosses or rows < max(_MIN_COLUMN_ROWS, len(lines) / 3):
            yield from lines
        else:
            yield from (TextLine(words) for words in left if words)
            yield from _order_columns([TextLine(words) for words in right if words])


def put_in_place(groups: Iterable[Sequence[TextLine]]) -> list[TextLine]:
    """Return the lines of groups, such as tables; groups that were drawn late move to their place.

    A group above the group drawn before it moves to the top of the page or of a column, or between
    two groups of a column with enough room. Otherwise it is a cell, or begins the next column.
    """
    placed: list[Sequence[TextLine]] = []
    boxes: list[Rule] = []  # around the bases of each group
    at = 0  # the place after the group drawn last
    for lines in groups:
        box, size = Rule.around(lines), lines[0].size
        after = boxes[at : at + 1]
        passes = any(box.bottom < o.top + size / 2 and box.right > o.left for o in after)
        rise = box.top - boxes[at - 1].bottom if at else 0.0
        is_cell = rise < _MAX_CELL_RISE * size and not box.is_over(boxes[at - 1]) if at else False
        if passes or (rise > size / 2 and not is_cell):
            places = range(max(0, len(boxes) - _MAX_PLACES_PER_GROUP), len(boxes))
            room = _MIN_LINE_DISTANCE * size
            headers = _MAX_HEADER_LINES if rise > _MAX_CELL_RISE * size else 1
            at = next((n for n in places if _fits(box, boxes, n, room, headers)), len(boxes))
        placed.insert(at, lines)
        boxes.insert(at, box)
        at += 1
    return [line for lines in placed for line in lines]


def _fits(box: Rule, boxes: Sequence[Rule], place: int, room: float, headers: int) -> bool:
    """Return whether a box belongs between the box at a place and the box before that place."""
    if not place:
        return all(o.top < box.bottom - room for o in boxes) and any(map(box.is_over, boxes))
    before, after = boxes[place - 1 : place + 1]
    begins_column = before.bottom < after.top - room and not before.is_over(box)
    above = boxes[max(0, place - headers) : place]
    below = before.bottom > box.top + room and any(map(box.is_over, above))
    return (below or begins_column) and box.bottom > after.top + room and box.is_over(after)


def _is_text(words: Sequence[Word]) -> bool:
    """Return whether words begin with text, not with a short cell or a number."""
    first = TextLine(words).cells[0] if words else ()
    return sum(word.text.upper().isupper() for word in first) >= _MIN_COLUMN_WORDS


def _crosses(line: TextLine, edge: float) -> bool:
    """Return whether a word or a space of a line is at the edge of a column."""
    if any(word.left < edge < word.right - _EDGE_STEP for word in line.words):
        return True
    spaces = ((b.right, a.left) for b, a in pairwise(line.words) if b.left < edge <= a.left)
    return any(left - right < _MIN_COLUMN_GAP * line.size for right, left in spaces)


def _join_apart(page: Sequence[TextLine]) -> list[TextLine]:
    """Return lines, joined with separately drawn bullets, numbers, fields and drop caps."""
    lines = dict(enumerate(part for line in page for part in _divide_cap(line)))
    heights = sorted((line.base, number) for number, line in lines.items())
    # Highest of all marks and drop caps.
    reach = max((line.size for line in lines.values()), default=0.0)
    for number, candidate in [*lines.items()]:
        is_mark = candidate.added or _LONE_MARK.fullmatch(candidate.text) is not None
        if is_mark or (_DROP_CAP.fullmatch(candidate.text) and candidate.text.isupper()):
            fits = _is_beside if is_mark else _is_cap_of
            first, last = (bisect(heights, (candidate.base + rise,)) for rise in (-reach, reach))
            near = sorted(other for _, other in heights[first:last] if other in lines)
            neighbours = [other for other in near if fits(candidate, lines[other])]
            if neighbours and is_mark:
                nearest = min(
                    neighbours, key=lambda other: abs(lines[other].left - candidate.right)
                )
                lines[nearest] = _join_mark(candidate, lines[nearest])
            elif neighbours:
                highest = max(neighbours, key=lambda other: lines[other].base)
                lines[highest] = _join_cap(candidate, lines[highest], page)
            if neighbours:
                del lines[number]
    return [*lines.values()]


def _is_beside(mark: TextLine, line: TextLine) -> bool:
    high = abs(line.base - mark.base) > MAX_BASE_DIFFERENCE * line.size
    if high or line is mark or _LONE_MARK.fullmatch(line.text):
        return False
    before = mark.right <= line.left + 1
    near = before and line.left - mark.right < _MAX_MARK_GAP * line.size
    return near or (mark.added and (before or line.right <= mark.left + 1))


def _join_mark(mark: TextLine, line: TextLine) -> TextLine:
    mark_words = [
        word._replace(text=_WORDS_BULLET.get(word.text, word.text)) for word in mark.words
    ]
    first, second = sorted((mark_words, line.words), key=lambda words: words[0].left)
    return TextLine([*first, *second])


def _divide_cap(line: TextLine) -> list[TextLine]:
    """Return a line, or the drop cap before it and the line."""
    if len(line.words) > 1 and line.words[0].size > _MIN_DROP_CAP * line.words[1].size:
        cap, others = TextLine(line.words[:1]), TextLine(line.words[1:])
        if _DROP_CAP.fullmatch(cap.text) and _is_cap_of(cap, others):
            return [cap, others]
    return [line]


def _is_cap_of(cap: TextLine, line: TextLine) -> bool:
    size, gap, rise = line.size, line.left - cap.right, line.base - cap.base
    beside = -_MAX_CAP_GAP * size < gap < size and -size < rise < cap.size
    return beside and cap.size > _MIN_DROP_CAP * size


def _join_cap(cap: TextLine, line: TextLine, page: Sequence[TextLine]) -> TextLine:
    first, space = line.words[0], ""
    if cap.text[-1] in _WORDS_OF_ONE_LETTER:
        far = first.left - cap.right > _MAX_CAP_GAP * first.size
        others = (word.text for other in page for word in other.words if word is not first)
        space = " " * (far or first.text in others)
    first = first._replace(text=cap.text + space + first.text, left=cap.left)
    return TextLine([first, *line.words[1:]])
