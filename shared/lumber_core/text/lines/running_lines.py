"""Running titles and page numbers: lines at the edges of pages, outside of the text."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from lumber_core.text.lines.columns import Lines

_PAGE_NUMBER = re.compile(r"[\W\d]*(?:[Pp]age|[Pp]\.)?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[\W\d]*$")
_DIGITS = re.compile(r"\d+")
_LINES_AT_EDGE = 2  # at the top and at the bottom of a page, which may be running lines
_MAX_TITLE_CHARACTERS, _MAX_NUMBER_CHARACTERS = 90, 20


def page_edges(lines: Lines) -> tuple[set[int], set[int]]:
    """Return running titles and page numbers, and the lines that continue the line before.

    A running title or page number is one of the first or last two lines of a page. It is a number,
    or another page has the same line with different digits at most. In a page, the text continues
    the lines at the top, and the lines at the bottom continue the text. If a sentence continues on
    the next page, so do the lines between. Sentences do not cross these lines: `lines.blank` is set
    as if there were blank lines around each.
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
