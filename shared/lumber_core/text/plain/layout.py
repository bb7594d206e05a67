"""What the lines of a plain text are: wrapped prose, list items, headings, rows, code.

The meaning of a line break depends on the text. In wrapped prose it means nothing; in a list, a
chat or a table it ends an item, a message or a row. `read_lines` looks at each line in context and
rates the break before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from lumber_core.text.plain.code import (
    code_lines,
    continues_statement,
    find_fences,
    stays_in_code,
)
from lumber_core.text.plain.headings import Headings, underlined_titles
from lumber_core.text.plain.labels import label_end, stamps_of
from lumber_core.text.plain.lines import PlainLines
from lumber_core.text.plain.mail import in_header, is_mail
from lumber_core.text.plain.pages import lines_going_on, running_lines
from lumber_core.text.plain.records import dated_lines, entry_lines, row_lines
from lumber_core.text.plain.ties import stays
from lumber_core.text.plain.wrapping import find_wrapping

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
    fences, dated, running = find_fences(forms.bodies), dated_lines(forms), running_lines(forms)
    code = code_lines(forms, fences)
    rows = row_lines(forms, dated) & ~code
    wrapped, joined = find_wrapping(forms, running, rows | code, mail=is_mail(forms))
    stamps = stamps_of(forms)
    titles = underlined_titles(forms)
    entries = entry_lines(forms, dated)
    goes_on = lines_going_on(forms, running, wrapped)
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
        tied = stays_in_code(forms, fences, number) if code[number] else stays(forms, number)
        divides = Break.BLANK if forms.blank[number] else Break.LINE
        if number == 0 or joined[number] or tied or rule:
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
