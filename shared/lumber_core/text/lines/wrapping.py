"""Lines that continue the line before them: a text was wrapped to a width, or a page ends there."""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress, count, pairwise
from operator import add

from lumber_core.text.lines.code import is_caseless, paragraphs_around, reads_as_prose
from lumber_core.text.lines.columns import MAX_WIDTH, PART_LINES, Lines, shares

MIN_TEXT_CHARACTERS = 40  # a shorter line may be an item or another heading
_MIN_WRAPPED_CHARACTERS = 25  # the minimum width of wrapped text
_MIN_LONG_CHARACTERS = 50  # a line of this length was wrapped if a lower-case letter follows
_MAX_WORD_CHARACTERS = 20  # a longer word may have been divided
_MIN_FULL_SHARE = 0.87  # of the width, filled by a line with the first word of the next line
# Running titles and page numbers: lines at the edges of pages, outside of the text.
_PAGE_NUMBER = re.compile(r"[\W\d]*(?:[Pp]age|[Pp]\.)?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[\W\d]*$")
_DIGITS = re.compile(r"\d+")
_LINES_AT_EDGE = 2  # at the top and at the bottom of a page, which may be running lines
_MAX_TITLE_CHARACTERS, _MAX_NUMBER_CHARACTERS = 90, 20  # of a running title or a page number


def wrapped_lines(lines: Lines, whole: set[int]) -> set[int]:
    """Return the lines that continue the line before, which was wrapped.

    Lines of wrapped prose mostly end without punctuation, where the next word did not fit, and the
    next line often starts with a lower-case letter. Rows and other lines in `whole` are not
    wrapped, nor are the lines after them.
    """
    bodies, ended, labels = lines.bodies, lines.ended, lines.labels
    no_blank = [not blank for blank in lines.blank]
    inner = [*compress(count(1), no_blank[1:])]
    if not inner:
        return set()
    letters = {first: first.islower() or is_caseless(first) for first in {*lines.firsts}}
    small = [*map(letters.__getitem__, lines.firsts)]
    lengths = [*map(add, lines.indents, map(len, bodies))]
    widths = []  # for each line, the length that one in five of the lines around it exceeds
    for at in range(0, len(bodies), PART_LINES):
        around = sorted(lengths[max(0, at - PART_LINES) : at + 2 * PART_LINES])
        widths += [around[-(len(around) // 5 + 1)]] * PART_LINES
    continues = [False] * len(bodies)
    full = [False] * len(bodies)
    for number in inner:
        body = bodies[number]
        word = body.find(" ", 0, _MAX_WORD_CHARACTERS) + 1
        word = word or min(_MAX_WORD_CHARACTERS, len(body)) + 1
        full[number] = lengths[number - 1] + word >= _MIN_FULL_SHARE * widths[number]
        continues[number] = small[number] and not ended[number - 1]
    parts = zip(widths[::PART_LINES], *map(shares, (no_blank, continues, full)), strict=True)
    prose = [
        _MIN_WRAPPED_CHARACTERS <= width <= MAX_WIDTH
        and continuing_share >= 0.25 * inner_share
        and full_share >= 0.6 * inner_share
        for width, inner_share, continuing_share, full_share in parts
    ]
    wrapped: set[int] = set()
    unsure: list[int] = []
    for number in inner:
        before = number - 1
        if number in whole or before in whole:
            continue
        if labels[number]:
            above = labels[max(0, number - PART_LINES) : number]
            if not full[number] or ended[before] or any(above):
                continue
            if any(labels[number + 1 : number + PART_LINES]):
                continue
        in_prose = prose[number // PART_LINES]
        if not in_prose:
            long = _MIN_LONG_CHARACTERS <= lengths[before] <= MAX_WIDTH
            continued = continues[number] and full[number] and long
        elif not ended[before]:
            continued = full[number] or small[number]
        else:
            # A short line without punctuation, after a sentence and before a capital, is a title
            # or a term.
            long = lengths[number] >= 0.6 * widths[number]
            in_text = long or number + 1 == len(bodies) or ended[number] or small[number + 1]
            deeper = lines.indents[number] > lines.indents[before]
            continued = full[number] and not deeper and in_text
        if continued:
            wrapped.add(number)
        elif not (in_prose or ended[before] or labels[number]):
            unsure.append(number)
    for paragraph in paragraphs_around(unsure, lines):
        inner = [number for number in paragraph[1:] if not ended[number - 1]]
        # Lines of verse, which begin with capitals, are shorter.
        is_verse = not any(small[number] for number in inner)
        fewest = _MIN_LONG_CHARACTERS if is_verse else MIN_TEXT_CHARACTERS
        full_length = max(fewest, _MIN_FULL_SHARE * max(lengths[paragraph.start : paragraph.stop]))
        continued = [
            number
            for number in inner
            if small[number]
            or lengths[number - 1] + 1 + len(bodies[number].split(None, 1)[0]) >= full_length
        ]
        if continued and reads_as_prose(paragraph, lines):
            wrapped.update(continued)
    return wrapped


def page_edges(lines: Lines) -> tuple[set[int], set[int]]:
    """Return running titles and page numbers, and the lines that continue the line before.

    A running title or page number is one of the first or last two lines of a page. It is a number,
    or another page has the same line, digits aside. In a page, the text continues the lines at the
    top, and the lines at the bottom continue the text. If a sentence continues on the next page,
    the lines between its parts continue the line before, too. Sentences do not cross these lines:
    `lines.blank` is set as if there were blank lines around each.
    """
    bodies, blank = lines.bodies, lines.blank
    pages = [*pairwise([*lines.pages, len(bodies)])]
    edges: set[int] = set()
    for sides in (
        [range(a, min(b - 1, a + _LINES_AT_EDGE)) for a, b in pages],
        [range(b - 1, max(a, b - 1 - _LINES_AT_EDGE), -1) for a, b in pages],
    ):
        alike = Counter(_DIGITS.sub("0", bodies[n]) for side in sides for n in side)
        for side in sides:
            for n in side:  # from the edge inwards
                body = bodies[n]
                repeated = alike[_DIGITS.sub("0", body)] > 1 and len(body) <= _MAX_TITLE_CHARACTERS
                short = len(body) <= _MAX_NUMBER_CHARACTERS
                if not repeated and not (short and _PAGE_NUMBER.match(body)):
                    break
                edges.add(n)
    for number in edges:
        blank[number : number + 2] = [True] * len(blank[number : number + 2])
    joined: set[int] = set()
    before = -1  # the last line of text
    for first, end in pages:
        text = [number for number in range(first, end) if number not in edges]
        if not text:
            joined.update(range(first, end))
            continue
        continues = before >= 0 and not lines.ended[before] and bodies[text[0]][0].islower()
        joined.update(range(first if continues else first + 1, text[0] + 1))
        joined.update(range(text[-1] + 1, end))
        before = text[-1]
    return edges, joined
