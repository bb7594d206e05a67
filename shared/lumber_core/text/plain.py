"""What the lines of a plain text are: wrapped prose, list items, headings, rows, code.

The meaning of a line break depends on the text. In wrapped prose it means nothing; in a list, a
chat or a table it ends an item, a message or a row. `read_lines` looks at each line in context and
rates the break before it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.text.lines import (
    AROUND,
    WIDEST_PROSE,
    Flags,
    Headings,
    PlainLines,
    around,
    code_lines,
    continues_statement,
    find_fences,
    in_header,
    is_mail,
    label_end,
    neighbours,
    stamps_of,
    stays_in_code,
    underlined_titles,
)

_HEADINGS_KEPT = 4  # headings in a row, such as a part's, a chapter's and a section's
_INSIDE_AN_ENTRY = 2  # levels of depth
_INSIDE_CODE = 1  # at least, in fenced code and in a statement


class Break(IntEnum):
    """How strong the break before a line is."""

    NONE = 0  # the line continues the one before
    LINE = 1
    BLANK = 2  # blank lines come between


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank.

    Attributes:
        start: Offset of its first character, indentation included.
        body: Offset of its first visible character.
        label: Offset just past a label such as "[5]", "3.", "-" or "ANNA:"; `body` without one.
            The label of a line that gives only the time, or the speaker and the time, of the text
            below it ends at that text.
        divides: How strong the break before it is.
        heading: Whether it is the heading of what follows.
        whole: Whether no sentence ends inside it: a row, a line of code or of a log.
        wrapped: Whether it continues the line before it, which was wrapped.
        depth: Levels of indentation in code; at least 2 for the rest of an entry that begins with a
            date, such as the trace below an error; 0 elsewhere.
    """

    start: int
    body: int
    label: int
    divides: Break
    heading: bool
    whole: bool
    wrapped: bool
    depth: int


def read_lines(text: str) -> list[Line]:
    """Return the lines of a text that are not blank, classified."""
    forms = PlainLines(text)
    if not forms.bodies:
        return []
    fences, dated, running = find_fences(forms.bodies), _dated_lines(forms), _running_lines(forms)
    code = code_lines(forms, fences)
    rows = _row_lines(forms, dated) & ~code
    wrapped, joined = _find_wrapping(forms, running, rows | code, mail=is_mail(forms))
    stamps = stamps_of(forms)
    titles = underlined_titles(forms)
    entries = _entry_lines(forms, dated)
    goes_on = _lines_going_on(forms, running, wrapped)
    headings = Headings(forms)
    tops, bottoms = running
    lines: list[Line] = []
    kept_headings = 0
    for number, body in enumerate(forms.bodies):
        start, at = forms.starts[number], forms.offsets[number]
        label = label_end(body) if not joined[number] else 0
        rule = number > 0 and titles[number - 1]
        other = joined[number] or code[number] or rows[number] or stamps[number]
        heading = titles[number] or rule
        if not (heading or other or number in tops or number in bottoms):
            heading = (
                headings.may_head(number) or lines[-1].heading or number - 1 in tops
            ) and headings.heads(number)
        stays = stays_in_code(forms, fences, number) if code[number] else _stays(forms, number)
        divides = Break.BLANK if forms.blank[number] else Break.LINE
        if number == 0 or joined[number] or stays or rule:
            divides = Break.NONE
        elif stamps[number - 1]:
            divides = Break.NONE  # a time stays with what was said then
        elif number in bottoms or number in goes_on or (number - 1 in tops and number not in tops):
            divides = Break.NONE  # page numbers and running titles stay with their page
        elif lines[-1].heading and kept_headings < _HEADINGS_KEPT:
            divides = Break.NONE  # a heading stays with the text below it
        if not (rule or in_header(forms, number)):
            kept_headings = kept_headings + 1 if heading and divides is Break.NONE else 0
        depth = min(4, forms.indents[number] // forms.indent_unit) if code[number] else 0
        if code[number] and (fences[number] or continues_statement(forms, number)):
            depth = max(depth, _INSIDE_CODE)
        if entries[number] and not stamps[number]:
            depth = max(depth, _INSIDE_AN_ENTRY)
        whole = bool(rows[number] | code[number])
        lines.append(
            Line(start, at, at + label, divides, heading, whole, bool(joined[number]), depth)
        )
    for number in reversed(range(len(lines))):
        if stamps[number]:
            after = lines[number + 1]
            label = after.label if stamps[number + 1] else after.body
            lines[number] = replace(lines[number], label=label)
    return lines


_QUESTION = re.compile(r"Q(?:uestion)?\s?\d*[:.]\s")
_ANSWER = re.compile(r"A(?:nswer)?\s?\d*[:.]\s")
_OPENS_ENVIRONMENT = re.compile(r"\\begin\{")  # of LaTeX
_CLOSES_ENVIRONMENT = re.compile(r"\\end\{")
_LONGEST_LEAD_IN = 120


def _stays(lines: PlainLines, number: int) -> bool:
    """Return whether a line stays with the one before; lines of code have their own reasons."""
    body, before = lines.bodies[number], lines.bodies[number - 1]
    if before.startswith(("{|", "|-")) or body == "|}":  # tables of MediaWiki
        return True
    if in_header(lines, number):
        return True
    if _OPENS_ENVIRONMENT.match(before) or _CLOSES_ENVIRONMENT.match(body):
        return True
    if _QUESTION.match(before) and _ANSWER.match(body):
        return True
    if len(before) > _LONGEST_LEAD_IN:
        return False
    asked = before.endswith("?") and not lines.blank[number]
    return before.endswith(":") or (asked and (number == 1 or bool(lines.blank[number - 1])))


_QUOTED = re.compile(r'"[^"]*"')
_DATED = re.compile(r"[\[(]?(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d:\d\d)")


def _dated_lines(lines: PlainLines) -> Flags:
    """Return for each line whether it begins with a date, or a time with seconds."""
    return np.fromiter((bool(_DATED.match(body)) for body in lines.bodies), np.bool_)


def _row_lines(lines: PlainLines, dated: Flags) -> Flags:
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


def _entry_lines(lines: PlainLines, dated: Flags) -> list[bool]:
    """Return for each line whether it continues an entry that began with a date."""
    near = around(dated, total=True) > 1
    result: list[bool] = []
    inside = False
    for begins, blank, others in zip(dated, lines.blank, near, strict=True):
        result.append(bool(inside and others and not begins and not blank))
        inside = bool(begins) or result[-1]
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
    firsts = [0, *(n for n, page in enumerate(lines.pages) if page and n)]
    if len(firsts) < 2:
        return _RunningLines(set(), set())
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
        width: Width of the text around it.
        full: Whether its first word would not have fitted into the line before.
        open: Whether no sentence ends with the line before.
        small: Whether it begins with a lower-case letter.
    """

    def __init__(self, lines: PlainLines) -> None:
        count = len(lines.bodies)
        words = np.fromiter((min(20, len(b.split(None, 1)[0])) for b in lines.bodies), np.int64)
        self.width = _widths(lines.lengths)
        self.full = np.zeros(count, dtype=np.bool_)
        self.full[1:] = lines.lengths[:-1] + 1 + words[1:] >= 0.87 * self.width[1:]
        self.open = np.zeros(count, dtype=np.bool_)
        self.open[1:] = lines.open_ended[:-1]
        self.small = np.fromiter((b[0].islower() for b in lines.bodies), np.bool_)


def _find_wrapping(
    lines: PlainLines, running: _RunningLines, whole: Flags, *, mail: bool
) -> _Wrapping:
    """Return which lines were wrapped.

    Args:
        lines: The lines.
        running: Running titles, which interrupt the prose of their pages.
        whole: Whether a line is a row, or code.
        mail: Whether the text is an e-mail, whose short paragraphs may be wrapped as well.
    """
    shapes = _Shapes(lines)
    prose = _in_wrapped_prose(lines, shapes, running) & ~whole
    return _Wrapping(prose, _joined(lines, shapes, prose, whole, mail=mail))


def _in_wrapped_prose(lines: PlainLines, shapes: _Shapes, running: _RunningLines) -> Flags:
    """Return for each line whether it belongs to prose that was wrapped to a width.

    Such a line ends where the next word would not have fitted, mostly without punctuation, and
    the next line often starts with a lower-case letter.
    """
    inner = ~lines.blank
    inner[[0, *running.tops, *running.bottoms, *(n + 1 for n in running.tops)]] = False
    caseless = np.fromiter(
        (b[0].isalpha() and b[0].lower() == b[0].upper() for b in lines.bodies), np.bool_
    )
    count = around(inner, total=True)
    many = np.maximum(count, 1)

    def share(of: Flags) -> npt.NDArray[np.float64]:
        return around(of & inner, total=True) / many

    result: Flags = (
        (count >= 2)
        & (shapes.width >= 25)
        & (shapes.width <= WIDEST_PROSE)
        & (share(shapes.full) >= 0.6)
        & (share(shapes.open) >= 0.5)
        & (share(shapes.small | caseless) >= 0.25)
    )
    return result


def _joined(lines: PlainLines, shapes: _Shapes, prose: Flags, whole: Flags, *, mail: bool) -> Flags:
    """Return for each line whether it continues the wrapped line before it."""
    width, full, opened, small = shapes.width, shapes.full, shapes.open, shapes.small
    goes_on = (full | small) & (opened | full)
    labelled = np.fromiter((label_end(b) > 0 for b in lines.bodies), np.bool_)
    goes_on &= ~labelled | (full & opened & ~neighbours(labelled))
    indents = np.array(lines.indents)
    hanging = np.zeros(len(goes_on), dtype=np.bool_)
    hanging[1:] = (indents[1:] > indents[:-1]) & ~opened[1:]
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


def _widths(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the width of the text around each line: about one line in five is longer."""
    size = 2 * AROUND + 1
    padded = np.pad(lengths, AROUND, mode="reflect" if len(lengths) > AROUND else "wrap")
    result = np.empty(len(lengths), dtype=np.float64)
    for start in range(0, len(lengths), 1 << 16):
        block = padded[start : start + (1 << 16) + size - 1]
        near = np.lib.stride_tricks.sliding_window_view(block, size)
        result[start : start + len(near)] = np.partition(near, size - 4, axis=1)[:, size - 4]
    return result
