"""What begins at each line of a plain text, or whether the line continues the line before.

The meaning of a line break depends on the text. In wrapped prose it means nothing; in a list, a
chat or a table it ends an item, a message or a row. `read_layout` finds code and rows first, then
wrapped lines, then lines that belong to the line below (headings, and the times and speakers above
speech), and finally what begins at each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import add

from lumber_core.text.lines.code import code_lines
from lumber_core.text.lines.columns import SPEAKER, Lines, label_end, lines_above_speech
from lumber_core.text.lines.tables import find_rows
from lumber_core.text.lines.wrapping import MIN_TEXT_CHARACTERS, page_edges, wrapped_lines
from lumber_core.text.place import Kind

_MAX_HEADINGS_IN_A_ROW = 4  # part, chapter, section: only the first of them starts a chunk
_DEPTH_INSIDE_ENTRY = 2  # depth of the lines that continue a dated entry
_MARKED = re.compile(r"#{1,6}\s+\S|={2,}[!+]*\s*[\w,\"']|={3,}$|(?:!{3}|\?{3}\+?)\s?\w")
_RULE = re.compile(r"([=~^*+-])\1{2,}$")
_NAMED = re.compile(
    r"(?i)(?:chapter|section|part|appendix|annex|book|act|scene|article|stave|lesson|unit)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b"
)
_NAMED_FIRSTS = frozenset("csapbluCSAPBLU")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}(?=\.))\.?\s+[A-Z]")
_MAX_HEADING_CHARACTERS = 90
_MAX_HEADING_WORDS = 12
_MAX_TERM_WORDS = 4  # in a line that begins with a small letter or a sign, such as "--no-color"
_MIN_HEADING_LETTERS = 3  # two are enough between two lines of text
_QUESTION = re.compile(r"Q(?:uestion)?\s?\d*[:.]\s")
_ANSWER = re.compile(r"A(?:nswer)?\s?\d*[:.]\s")
_MAX_LEAD_IN_CHARACTERS, _MAX_LABEL_CHARACTERS = 120, 8  # of a line above items, or of a label


@dataclass(frozen=True)
class Layout:
    """The lines of a text that are not blank, by their numbers."""

    starts: list[int]  # offset of the first character, indentation included
    # Offset just past the indentation and a label such as "[5]", "3.", "-" or "ANNA:". A line with
    # only the time or speaker of the text below has the offset of that text.
    first_words: list[int]
    kinds: dict[int, Kind]  # what begins with a line, if it does not continue the line before
    whole: set[int]  # lines in which no sentence ends: rows, lines of code and of logs
    wrapped: set[int]  # lines that continue the line before, which was wrapped or ended a page
    code: list[int]  # lines of code
    depths: dict[int, int]  # levels of indentation in code; 2 inside an entry with a date
    levels: dict[int, int]  # levels of headings, such as 2 for "## Use"


def read_layout(text: str, whole_code: bool = False) -> Layout:
    """Return what begins at each line of a text that is not blank."""
    lines = Lines(text)
    edges, in_pages = page_edges(lines)
    depths, inside = code_lines(lines, whole_code)
    code = sorted(depths)
    rows, entries = find_rows(lines)
    whole = rows.union(code, edges)
    wrapped = wrapped_lines(lines, whole)
    stamps = lines_above_speech(lines.bodies, lines.blank)
    headings, rules = _find_headings(lines, wrapped, whole | stamps)
    continued = wrapped | in_pages
    begins = [number for number in range(len(lines.starts)) if number not in continued]
    joined = inside.union(
        rules, _lines_after_lead_in(lines, begins) - depths.keys(), (n + 1 for n in stamps)
    )
    leads = headings | rules
    kinds: dict[int, Kind] = {}
    joined_headings = 0  # consecutive headings that continue the heading before
    for number in begins:
        headed = number - 1 in leads
        continues = headed and joined_headings < _MAX_HEADINGS_IN_A_ROW
        if number and number not in joined and not continues:
            kind = Kind.PARAGRAPH if lines.blank[number] else Kind.LINE
            kinds[number] = Kind.HEADING if number in headings else kind
        if number not in rules:
            joined_headings = joined_headings + 1 if headed and number in headings else 0
    words = [*map(add, lines.offsets, lines.labels)]
    for number in continued:
        words[number] = lines.offsets[number]
    for number in sorted(stamps, reverse=True):
        below = number + 1
        words[number] = words[below] if below in stamps else lines.offsets[below]
    for number in entries - stamps:
        depths[number] = max(depths.get(number, 0), _DEPTH_INSIDE_ENTRY)
    levels = {n: len(lines.bodies[n]) - len(lines.bodies[n].lstrip("#")) for n in headings}
    whole -= continued - edges
    return Layout(lines.starts, words, kinds, whole, continued, code, depths, levels)


def _find_headings(
    lines: Lines, wrapped: set[int], excluded: set[int]
) -> tuple[set[int], set[int]]:
    """Return the headings outside of `wrapped` and `excluded`, and the rules around them."""
    bodies, firsts, blank = lines.bodies, lines.firsts, lines.blank
    headings: set[int] = set()
    rules: set[int] = set()
    for number, first in enumerate(firsts):
        if first in "=~^*+-" and number and not blank[number] and _RULE.match(bodies[number]):
            title = number - 1
            boxed = title and not blank[title] and _RULE.match(bodies[title - 1])
            titled = bodies[title][-1] not in ".,;" and firsts[title] not in "[=~^*+-"
            if titled and (boxed or title == 0 or blank[title]):
                headings.add(title - 1 if boxed else title)
                rules |= {title, number} if boxed else {number}
    unfit = rules.union(wrapped, excluded)
    for number in [number for number in range(len(bodies) - 1) if number not in unfit]:
        body, before = bodies[number], number - 1
        if len(body) > _MAX_HEADING_CHARACTERS:
            continue
        begins = blank[number] or number == 0
        free = begins or lines.ended[before] or before in headings or bodies[before].isdigit()
        marked = firsts[number] in "#=!?" and _MARKED.match(body)
        if marked or (free and _is_title(lines, number, before in wrapped)):
            headings.add(number)
    return headings, rules


def _is_title(lines: Lines, number: int, below_prose: bool) -> bool:
    """Return whether a line reads as a title, with text below it that it could belong to."""
    body, following = lines.bodies[number : number + 2]
    blank_below, begins = lines.blank[number + 1], number == 0 or lines.blank[number]
    close = not (blank_below or begins)
    if following[0].islower() and not blank_below:
        return False
    has_name = body[0] in _NAMED_FIRSTS and _NAMED.match(body) is not None
    starts_title = body[0].isupper() or body[0].isdigit()
    max_words = _MAX_HEADING_WORDS if starts_title else _MAX_TERM_WORDS
    untitled = lines.ended[number] or body[-1] in ",-" or not (starts_title or close)
    if not has_name and (untitled or len(body.split()) > max_words or SPEAKER.match(body)):
        return False
    letters = sum(map(str.isalpha, body))
    if letters < max(_MIN_HEADING_LETTERS - close, (len(body) - body.count(" ")) / 2):
        return False
    longer = len(following) >= max(MIN_TEXT_CHARACTERS, 1.5 * len(body))
    if numbered := _NUMBERED.match(body):
        return longer or blank_below or following.startswith(f"{numbered[1]}.")  # "2.1" below "2."
    if body.partition("(")[0].isupper():  # a title, or a speaker in a play
        return longer or blank_below or (begins and not following.isupper())
    below_prose = below_prose or begins or len(lines.bodies[number - 1]) >= MIN_TEXT_CHARACTERS
    return has_name or (longer and below_prose)


def _lines_after_lead_in(lines: Lines, numbers: Iterable[int]) -> set[int]:
    """Return the lines that follow a lead-in, such as "as follows:" or a question."""
    bodies, blank = lines.bodies, lines.blank
    after_lead_in: set[int] = set()
    for number in numbers:
        before = bodies[number - 1]
        if before[-1] in ":?" and len(before) <= _MAX_LEAD_IN_CHARACTERS:
            close = not blank[number] and (number == 1 or blank[number - 1])
            led = before[-1] == ":" or close
        else:  # a label on a line of its own
            led = len(before) <= _MAX_LABEL_CHARACTERS and label_end(f"{before} ") > len(before)
        if led or (before[0] == "Q" and _QUESTION.match(before) and _ANSWER.match(bodies[number])):
            after_lead_in.add(number)
    return after_lead_in
