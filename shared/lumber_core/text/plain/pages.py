"""Running titles and page numbers of texts whose pages are divided by form feeds."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from lumber_core.text.plain.lines import Flags, PlainLines

_PAGE_NUMBER = re.compile(r"[\W\d]*(?:[Pp]age|[Pp]\.)?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[\W\d]*$")
_RUNNING = 2  # lines at the top and at the bottom of a page that may be repeated


class RunningLines(NamedTuple):
    """Running titles and page numbers: at the tops of pages, and at the bottoms."""

    tops: set[int]
    bottoms: set[int]


def running_lines(lines: PlainLines) -> RunningLines:
    """Return the running titles and page numbers at the tops and at the bottoms of pages.

    Such a line is one of the first or last two of a page, and a page number, or repeated on
    another page with other digits at most.
    """
    firsts = [0, *(n for n, page in enumerate(lines.pages) if page and n)]
    if len(firsts) < 2:
        return RunningLines(set(), set())
    found: list[set[int]] = []
    pages = list(zip(firsts, [*firsts[1:], len(lines.pages)], strict=True))
    for edge in (
        [range(a, min(b - 1, a + _RUNNING)) for a, b in pages],
        [range(b - 1, max(a, b - 1 - _RUNNING), -1) for a, b in pages],
    ):
        alike = Counter(re.sub(r"\d+", "0", lines.bodies[n]) for places in edge for n in places)
        kept: set[int] = set()
        for places in edge:
            for n in places:  # from the edge inwards
                body = lines.bodies[n]
                repeated = alike[re.sub(r"\d+", "0", body)] > 1 and len(body) <= 90
                if not (repeated or (len(body) <= 20 and _PAGE_NUMBER.match(body))):
                    break
                kept.add(n)
        found.append(kept)
    return RunningLines(found[0], found[1] - found[0])


def lines_going_on(lines: PlainLines, running: RunningLines, wrapped: Flags) -> set[int]:
    """Return the first lines of pages, running titles included, inside a sentence.

    The sentence began on the page before, and goes on below the running title.

    Args:
        lines: The lines.
        running: Running titles and page numbers.
        wrapped: Whether a line belongs to wrapped prose.
    """
    result: set[int] = set()
    for number in (n for n, page in enumerate(lines.pages) if page and n):
        before, after = number - 1, number
        while before in running.bottoms:
            before -= 1
        while after in running.tops:
            after += 1
        if before < 0 or after >= len(lines.bodies) or not lines.open_ended[before]:
            continue
        if wrapped[before] or wrapped[after] or lines.bodies[after][0].islower():
            result.update(range(number, after + 1))
    return result
