"""Rows of tables, lines of logs, and the entries that begin with a date."""

from __future__ import annotations

import re

import numpy as np

from lumber_core.text.plain.lines import Flags, PlainLines, around

_QUOTED = re.compile(r'"[^"]*"')
_DATED = re.compile(r"[\[(]?(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d:\d\d)")


def dated_lines(lines: PlainLines) -> Flags:
    """Return for each line whether it begins with a date, or a time with seconds."""
    return np.fromiter((bool(_DATED.match(body)) for body in lines.bodies), np.bool_)


def row_lines(lines: PlainLines, dated: Flags) -> Flags:
    """Return for each line whether it is a row of a table or a line of a log."""
    signs: list[tuple[int, ...]] = []
    for body in lines.bodies:
        plain = _QUOTED.sub("", body) if '"' in body else body
        signs.append(tuple(map(plain.count, "\t|;,")))
    same = np.zeros((len(signs), 4), dtype=np.bool_)
    counts = np.array(signs)
    even = (counts[1:] == counts[:-1]) & (counts[1:] >= [1, 2, 2, 2])
    same[1:] |= even
    same[:-1] |= even
    alike = around(np.asarray(same.any(axis=1))) >= 0.7
    enough = around(np.ones(len(signs)), total=True) >= 3
    alike &= enough & (same.any(axis=1) | (counts.max(axis=1) > 0))
    logged = (around(dated) >= 0.6) & enough & (around(lines.lengths) < 250)
    result: Flags = alike | logged
    return result


def entry_lines(lines: PlainLines, dated: Flags) -> list[bool]:
    """Return for each line whether it continues an entry that began with a date."""
    near = around(dated, total=True) > 1
    result: list[bool] = []
    inside = False
    for begins, blank, others in zip(dated, lines.blank, near, strict=True):
        result.append(bool(inside and others and not begins and not blank))
        inside = bool(begins) or result[-1]
    return result
