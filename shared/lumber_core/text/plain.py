"""What the lines of a plain text are: wrapped prose, list items, headings, rows, code.

The meaning of a line break depends on the text. In wrapped prose it means nothing; in a list, a
chat or a table it ends an item, a message or a row. `read_lines` looks at each line in context and
rates the break before it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.text.plain_code import (
    code_lines,
    continued_statements,
    find_fences,
    stays_in_code,
)
from lumber_core.text.plain_headings import Headings, underlined_titles
from lumber_core.text.plain_labels import label_ends, stamps_of
from lumber_core.text.plain_lines import (
    AROUND,
    QUOTED,
    WIDEST_PROSE,
    Flags,
    PlainLines,
    after,
    around,
    in_header,
    is_mail,
    neighbours,
)

_HEADINGS_KEPT = 4  # headings in a row, such as a part's, a chapter's and a section's
_INSIDE_AN_ENTRY = 2  # levels of depth
_INSIDE_CODE = 1  # at least, in fenced code and in a statement


Numbers = npt.NDArray[np.int64]
"""A number for each line."""


class Break(IntEnum):
    """How strong the break before a line is."""

    NONE = 0  # the line continues the one before
    LINE = 1
    BLANK = 2  # blank lines come between


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text that are not blank, one entry per line.

    Attributes:
        starts: Offset of its first character, indentation included.
        bodies: Offset of its first visible character.
        labels: Offset just past a label such as "[5]", "3.", "-" or "ANNA:"; its body without one.
            The label of a line that gives only the time, or the speaker and the time, of the text
            below it ends at that text.
        breaks: How strong the break before it is, a `Break`.
        headings: Whether it is the heading of what follows.
        whole: Whether no sentence ends inside it: a row, a line of code or of a log.
        wrapped: Whether it continues the line before it, which was wrapped.
        depths: Levels of indentation in code; at least 2 for the rest of an entry that begins with
            a date, such as the trace below an error; 0 elsewhere.
    """

    starts: Numbers
    bodies: Numbers
    labels: Numbers
    breaks: Numbers
    headings: Flags
    whole: Flags
    wrapped: Flags
    depths: Numbers


def read_lines(text: str) -> Lines:
    """Return the lines of a text that are not blank, classified."""
    forms = PlainLines(text)
    if not forms.bodies:
        none, no = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return Lines(none, none, none, none, no, no, no, none)
    labels = label_ends(forms)
    if len(forms.bodies) == 1:  # which only others around it could make more than a line
        none, no = np.zeros(1, np.int64), np.zeros(1, np.bool_)
        return Lines(forms.starts, forms.offsets, forms.offsets + labels, none, no, no, no, none)
    dated = _dated_lines(forms)
    rows = _row_lines(forms, dated)
    fences, running = find_fences(forms), _running_lines(forms)
    code = code_lines(forms, fences)
    whole = rows | code
    wrapped, joined = _find_wrapping(forms, running, labels, whole, mail=is_mail(forms))
    stamps = stamps_of(forms)
    titles = underlined_titles(forms)
    entries = _entry_lines(forms, dated)
    tops, bottoms = forms.flagged(running.tops), forms.flagged(running.bottoms)
    rules = after(titles)
    headings = titles | rules
    never = joined | whole | stamps | tops | bottoms | headings
    _add_headings(headings, forms, never, after(tops))
    stays = joined | rules | np.where(code, stays_in_code(forms, fences), _staying(forms))
    stays |= after(stamps)  # a time stays with what was said then
    # Page numbers and running titles stay with their page.
    stays |= bottoms | forms.flagged(_lines_going_on(forms, running, wrapped))
    stays |= after(tops) & ~tops
    stays[0] = True
    _keep_below_headings(stays, headings, rules | _in_headers(forms))
    depths = np.where(code, np.minimum(4, forms.indents // forms.indent_unit), 0)
    inside = code & ((fences > 0) | continued_statements(forms))
    depths[inside] = np.maximum(depths[inside], _INSIDE_CODE)
    inside = entries & ~stamps
    depths[inside] = np.maximum(depths[inside], _INSIDE_AN_ENTRY)
    words = forms.offsets + np.where(joined, 0, labels)
    for number in np.flatnonzero(stamps)[::-1].tolist():
        words[number] = (words if stamps[number + 1] else forms.offsets)[number + 1]
    breaks = np.where(stays, Break.NONE, np.where(forms.blank, Break.BLANK, Break.LINE))
    return Lines(forms.starts, forms.offsets, words, breaks, headings, whole, joined, depths)


def _add_headings(headings: Flags, lines: PlainLines, never: Flags, below_top: Flags) -> None:
    """Flag the lines that look like headings.

    Args:
        headings: The headings that are known.
        lines: The lines.
        never: Whether a line is no other heading.
        below_top: Whether a line follows a running title.
    """
    tells = Headings(lines)
    may_head = (tells.may_head | below_top).tolist()
    for number in np.flatnonzero(tells.candidates & ~never).tolist():
        if may_head[number] or headings[number - 1]:
            headings[number] = tells.heads(number)


def _keep_below_headings(stays: Flags, headings: Flags, skipped: Flags) -> None:
    """Flag that a line stays with the heading above it, below a few headings in a row.

    Args:
        stays: Whether a line stays with the one before.
        headings: Whether a line is a heading.
        skipped: Whether a line does not interrupt the row and is not counted.
    """
    kept, last = 0, -1
    for number in np.flatnonzero(headings | after(headings) | skipped).tolist():
        kept = kept if number == last + 1 else 0
        last = number
        if number and headings[number - 1] and kept < _HEADINGS_KEPT:
            stays[number] = True
        if not skipped[number]:
            kept = kept + 1 if headings[number] and stays[number] else 0


def _in_headers(lines: PlainLines) -> Flags:
    """Return for each line whether it, as the one before, belongs to the header of an e-mail."""
    return lines.flagged(number for number in lines.headers if in_header(lines, number))


_QUESTION = re.compile(r"Q(?:uestion)?\s?\d*[:.]\s")
_ANSWER = re.compile(r"A(?:nswer)?\s?\d*[:.]\s")
_TABLE = re.compile(r"\{\||\|-")  # of MediaWiki: its start, or that of a row
_OPENS_ENVIRONMENT = re.compile(r"\\begin\{")  # of LaTeX
_CLOSES_ENVIRONMENT = re.compile(r"\\end\{")
_LONGEST_LEAD_IN = 120


def _staying(lines: PlainLines) -> Flags:
    """Return for each line whether it stays with the one before; code has its own reasons."""
    tables = lines.matching(_TABLE, lines.firsts.among("{|"))
    may = after(lines.lasts.among(":?") | lines.firsts.among("\\Q") | lines.flagged(tables))
    may |= lines.firsts.among("\\") | (lines.firsts.among("|") & (lines.sizes == len("|}")))
    numbers = np.flatnonzero(may | _in_headers(lines)).tolist()
    return lines.flagged(number for number in numbers if number and _stays(lines, number))


def _stays(lines: PlainLines, number: int) -> bool:
    """Return whether a line stays with the one before."""
    body, before = lines.bodies[number], lines.bodies[number - 1]
    if before[-1] in ":?" and len(before) <= _LONGEST_LEAD_IN:
        asked = not lines.blank[number] and (number == 1 or lines.blank[number - 1])
        if before[-1] == ":" or asked:
            return True
    if before[0] in "{|" and _TABLE.match(before):
        return True
    if body == "|}" or in_header(lines, number):
        return True
    if "\\" in (before[0], body[0]) and (
        _OPENS_ENVIRONMENT.match(before) or _CLOSES_ENVIRONMENT.match(body)
    ):
        return True
    return bool(before[0] == "Q" and _QUESTION.match(before) and _ANSWER.match(body))


_FEWEST_ROWS = 3
_DATED = re.compile(r"[\[(]?(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d:\d\d)")


def _dated_lines(lines: PlainLines) -> Flags:
    """Return for each line whether it begins with a date, or a time with seconds."""
    may = lines.firsts.are(lambda first: first in "[(" or first.isdigit())
    return lines.flagged(lines.matching(_DATED, may))


def _row_lines(lines: PlainLines, dated: Flags) -> Flags:
    """Return for each line whether it is a row of a table or a line of a log."""
    bodies = [QUOTED.sub("", body) if '"' in body else body for body in lines.bodies]
    joined, counts = "".join(bodies), np.zeros((len(bodies), 4), dtype=np.int64)
    for number, sign in enumerate("\t|;,"):
        if sign in joined:
            counts[:, number] = [body.count(sign) for body in bodies]
    same = np.zeros(len(bodies), dtype=np.bool_)
    even = ((counts[1:] == counts[:-1]) & (counts[1:] >= [1, 2, 2, 2])).any(axis=1)
    same[1:] |= even
    same[:-1] |= even
    if np.count_nonzero(same) < _FEWEST_ROWS and not dated.any():
        return np.zeros(len(bodies), dtype=np.bool_)
    enough = around(np.ones(len(bodies)), total=True) >= _FEWEST_ROWS
    alike = (around(same) >= 0.7) & enough & (same | (counts.max(axis=1) > 0))
    logged = (around(dated) >= 0.6) & enough & (around(lines.lengths) < 250)
    result: Flags = alike | logged
    return result


def _entry_lines(lines: PlainLines, dated: Flags) -> Flags:
    """Return for each line whether it continues an entry that began with a date."""
    result = np.zeros(len(dated), dtype=np.bool_)
    if not dated.any():
        return result
    near = around(dated, total=True) > 1
    inside = False
    for number, begins in enumerate(dated.tolist()):
        result[number] = inside and near[number] and not begins and not lines.blank[number]
        inside = begins or bool(result[number])
    return result


_PAGE_NUMBER = re.compile(r"[\W\d]*(?:[Pp]age|[Pp]\.)?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[\W\d]*$")
_RUNNING = 2  # lines at the top and at the bottom of a page that may be repeated


class _RunningLines(NamedTuple):
    """Running titles and page numbers: at the tops of pages, and at the bottoms."""

    tops: set[int]
    bottoms: set[int]


def _running_lines(lines: PlainLines) -> _RunningLines:
    """Return the running titles and page numbers at the tops and at the bottoms of pages.

    Such a line is one of the first or last two of a page, and a page number, or repeated on
    another page with other digits at most.
    """
    firsts = [0, *(number for number in lines.pages if number)]
    if len(firsts) < 2:
        return _RunningLines(set(), set())
    found: list[set[int]] = []
    pages = [*pairwise([*firsts, len(lines.bodies)])]
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
    return _RunningLines(found[0], found[1] - found[0])


def _lines_going_on(lines: PlainLines, running: _RunningLines, wrapped: Flags) -> set[int]:
    """Return the first lines of pages, running titles included, inside a sentence.

    The sentence began on the page before, and goes on below the running title.

    Args:
        lines: The lines.
        running: Running titles and page numbers.
        wrapped: Whether a line belongs to wrapped prose.
    """
    result: set[int] = set()
    for number in filter(None, lines.pages):
        before, below = number - 1, number
        while before in running.bottoms:
            before -= 1
        while below in running.tops:
            below += 1
        if before < 0 or below >= len(lines.bodies) or not lines.open_ended[before]:
            continue
        if wrapped[before] or wrapped[below] or lines.bodies[below][0].islower():
            result.update(range(number, below + 1))
    return result


_NARROWEST_PROSE = 25  # characters of a line
_LONG_LINE = 50  # characters; long enough to be wrapped


class _Wrapping(NamedTuple):
    """Which lines were wrapped.

    Attributes:
        prose: Whether a line belongs to prose that was wrapped to a width.
        joined: Whether it continues the line before it.
    """

    prose: Flags
    joined: Flags


class _Shapes:
    """What tells wrapped lines, for each line.

    Attributes:
        inner: Whether it may continue the line before: nothing stands between them.
        open: Whether no sentence ends with the line before.
        small: Whether it begins with a lower-case letter.
        caseless: Whether it begins with a letter of a script without lower case.
        width: Width of the text around it; only of lines for which it matters.
        full: Whether its first word would not have fitted into the line before; as `width`.
    """

    def __init__(self, lines: PlainLines, running: _RunningLines, *, mail: bool) -> None:
        count = len(lines.bodies)
        self.inner = ~lines.blank
        tops, bottoms = running
        self.inner[[0, *tops, *bottoms, *(number + 1 for number in tops)]] = False
        self.open = after(lines.open_ended)
        self.small = lines.firsts.are(str.islower)
        self.caseless = lines.firsts.are(_is_caseless)
        self.inner_around = around(self.inner, total=True)
        self.likely: Flags = (
            (self.inner_around >= 2)
            & (self.share(self.open) >= 0.5)
            & (self.share(self.small | self.caseless) >= 0.25)
            & (around(lines.lengths >= _NARROWEST_PROSE, total=True) > 0)
        )
        self.width = np.zeros(count, dtype=np.float64)
        self.full = np.zeros(count, dtype=np.bool_)
        needed = np.flatnonzero(np.ones(count) if mail else around(self.likely, total=True))
        if not len(needed):
            return
        self.width[needed] = _widths(lines.lengths, needed)
        words = np.zeros(count, dtype=np.int64)
        words[needed] = [len(lines.bodies[n][:20].split(None, 1)[0]) for n in needed.tolist()]
        fill = lines.lengths[:-1] + 1 + words[1:] >= 0.87 * self.width[1:]
        self.full[1:] = fill & (self.width[1:] > 0)

    def share(self, flags: Flags) -> npt.NDArray[np.float64]:
        """Return for each line the share of inner lines around it that are flagged."""
        return around(flags & self.inner, total=True) / np.maximum(self.inner_around, 1)


def _is_caseless(character: str) -> bool:
    """Return whether a character is a letter of a script without lower case."""
    return not character.isascii() and (
        character.isalpha() and character.lower() == character.upper()
    )


def _find_wrapping(
    lines: PlainLines, running: _RunningLines, labels: Numbers, whole: Flags, *, mail: bool
) -> _Wrapping:
    """Return which lines were wrapped.

    Args:
        lines: The lines.
        running: Running titles, which interrupt the prose of their pages.
        labels: Where the label of each line ends.
        whole: Whether a line is a row, or code.
        mail: Whether the text is an e-mail, whose short paragraphs may be wrapped as well.
    """
    shapes = _Shapes(lines, running, mail=mail)
    # Lines of prose that was wrapped to a width mostly end without punctuation, where the next word
    # would not have fitted, and the next line often starts with a lower-case letter.
    fits = (shapes.width >= _NARROWEST_PROSE) & (shapes.width <= WIDEST_PROSE)
    prose = shapes.likely & fits & (shapes.share(shapes.full) >= 0.6) & ~whole
    if not (prose.any() or mail):
        return _Wrapping(prose, prose)
    return _Wrapping(prose, _joined(lines, shapes, labels > 0, prose, whole, mail=mail))


def _joined(
    lines: PlainLines,
    shapes: _Shapes,
    labelled: Flags,
    prose: Flags,
    whole: Flags,
    *,
    mail: bool,
) -> Flags:
    """Return for each line whether it continues the wrapped line before it."""
    width, full, opened, small = shapes.width, shapes.full, shapes.open, shapes.small
    goes_on = (full | small) & (opened | full)
    goes_on &= ~labelled | (full & opened & ~neighbours(labelled))
    hanging = np.zeros(len(goes_on), dtype=np.bool_)
    hanging[1:] = (lines.indents[1:] > lines.indents[:-1]) & ~opened[1:]
    # A short line without punctuation, after a sentence and before a capital, may be a heading.
    titles = np.zeros(len(goes_on), dtype=np.bool_)
    short = lines.lengths[1:-1] < 0.6 * width[1:-1]
    titles[1:-1] = short & ~opened[1:-1] & opened[2:] & ~small[1:-1] & ~small[2:]
    joins = prose & goes_on & ~titles
    if mail:
        # In a short letter, a long line must end where the next word did not fit.
        long = np.zeros(len(goes_on), dtype=np.bool_)
        long[1:] = (lines.lengths[:-1] >= _LONG_LINE) & (lines.lengths[:-1] <= WIDEST_PROSE)
        joins |= full & opened & small & ~labelled & long & (width <= WIDEST_PROSE) & ~whole
    result: Flags = joins & ~lines.blank & ~hanging
    result[0] = False
    return result


def _widths(
    lengths: npt.NDArray[np.int64], numbers: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Return the width of the text around some lines: about one line in five is longer."""
    size = 2 * AROUND + 1
    padded = np.pad(lengths, AROUND, mode="reflect" if len(lengths) > AROUND else "wrap")
    windows = np.lib.stride_tricks.sliding_window_view(padded, size)
    result = np.empty(len(numbers), dtype=np.float64)
    for start in range(0, len(numbers), 1 << 16):
        near = windows[numbers[start : start + (1 << 16)]]
        result[start : start + len(near)] = np.partition(near, size - 4, axis=1)[:, size - 4]
    return result
