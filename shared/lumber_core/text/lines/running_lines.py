"""Running titles and page numbers: the lines at the edges of pages that are no part of the text."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from lumber_core.text.lines.columns import Lines

_PAGE_NUMBER = re.compile(r"[\W\d]*(?:[Pp]age|[Pp]\.)?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[\W\d]*$")
_DIGITS = re.compile(r"\d+")
_RUNNING = 2  # lines at the top and at the bottom of a page that may be repeated
_LONGEST_RUNNING, _LONGEST_NUMBER = 90, 20  # characters


def page_edges(lines: Lines) -> tuple[set[int], set[int]]:
    """Return running titles and page numbers, and which lines go on from those before in a page.

    A line is a running title or a page number if it is one of the first or last two of a page, and
    a number, or repeated on another page with other digits at most. Those at the bottom go on from
    the text of their page, and the text from those at the top. If a sentence goes on from one page
    to the next, so does all that is between. No sentence is read across them: blank lines are told
    around each.
    """
    bodies, blank = lines.bodies, lines.blank
    pages = [*pairwise([*lines.pages, len(bodies)])]
    edges: set[int] = set()
    for sides in (
        [range(a, min(b - 1, a + _RUNNING)) for a, b in pages],
        [range(b - 1, max(a, b - 1 - _RUNNING), -1) for a, b in pages],
    ):
        alike = Counter(_DIGITS.sub("0", bodies[n]) for side in sides for n in side)
        for side in sides:
            for n in side:  # from the edge inwards
                body = bodies[n]
                repeated = alike[_DIGITS.sub("0", body)] > 1 and len(body) <= _LONGEST_RUNNING
                if not repeated and (len(body) > _LONGEST_NUMBER or not _PAGE_NUMBER.match(body)):
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
        goes_on = before >= 0 and not lines.ended[before] and bodies[text[0]][0].islower()
        joined.update(range(first if goes_on else first + 1, text[0] + 1))
        joined.update(range(text[-1] + 1, end))
        before = text[-1]
    return edges, joined
