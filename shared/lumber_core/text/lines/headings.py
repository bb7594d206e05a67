"""Headings of plain text, and other lines that belong to the line below them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lumber_core.text.lines.columns import SPEAKER, Lines, label_end
from lumber_core.text.lines.wrapping import MIN_TEXT_CHARACTERS

_MARKED = re.compile(r"#{1,6}\s+\S|={2,}[!+]*\s*[\w,\"']|={3,}$|(?:!{3}|\?{3}\+?)\s?\w")
_RULE = re.compile(r"([=~^*+-])\1{2,}$")
_NAMED = re.compile(
    r"(?:chapter|section|part|appendix|annex|book|act|scene|article|stave|lesson|unit)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
_NAMED_FIRSTS = frozenset("csapbluCSAPBLU")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}(?=\.))\.?\s+[A-Z]")
_MAX_HEADING_CHARACTERS = 90
_MAX_HEADING_WORDS = 12
_MAX_TERM_WORDS = 4  # in a line that begins with a small letter or a sign, such as "--no-color"
_MIN_HEADING_LETTERS = 3


def find_headings(lines: Lines, wrapped: set[int], never: set[int]) -> tuple[set[int], set[int]]:
    """Return the headings outside of `wrapped` and `never`, and the rules around them."""
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
    unfit = rules.union(wrapped, never)
    for number in [number for number in range(len(bodies) - 1) if number not in unfit]:
        body, before = bodies[number], number - 1
        if len(body) > _MAX_HEADING_CHARACTERS:
            continue
        free = (
            blank[number]
            or number == 0
            or lines.ended[before]
            or before in headings
            or bodies[before].isdigit()
        )
        marked = firsts[number] in "#=!?" and _MARKED.match(body)
        if marked or (free and _is_title(lines, number, before in wrapped)):
            headings.add(number)
    return headings, rules


def _is_title(lines: Lines, number: int, below_prose: bool) -> bool:
    """Return whether a line reads as a title, with text below it that it could belong to."""
    body, following = lines.bodies[number : number + 2]
    apart, begins = lines.blank[number + 1], number == 0 or lines.blank[number]
    close = not (apart or begins)
    if following[0].islower() and not apart:
        return False
    named = body[0] in _NAMED_FIRSTS and _NAMED.match(body) is not None
    starts_title = body[0].isupper() or body[0].isdigit()
    if not named and (
        lines.ended[number]
        or body[-1] in ",-"
        or not (starts_title or close)
        or len(body.split()) > (_MAX_HEADING_WORDS if starts_title else _MAX_TERM_WORDS)
        or SPEAKER.match(body)
    ):
        return False
    letters = sum(map(str.isalpha, body))
    if letters < max(_MIN_HEADING_LETTERS - close, (len(body) - body.count(" ")) / 2):
        return False
    longer = len(following) >= max(MIN_TEXT_CHARACTERS, 1.5 * len(body))
    if numbered := _NUMBERED.match(body):
        return longer or apart or following.startswith(f"{numbered[1]}.")  # "2.1" below "2."
    if body.partition("(")[0].isupper():  # or a speaker in a play
        return longer or apart or (begins and not following.isupper())
    below_prose = below_prose or begins or len(lines.bodies[number - 1]) >= MIN_TEXT_CHARACTERS
    return named or (longer and below_prose)


_QUESTION = re.compile(r"Q(?:uestion)?\s?\d*[:.]\s")
_ANSWER = re.compile(r"A(?:nswer)?\s?\d*[:.]\s")
_MAX_LEAD_IN_CHARACTERS, _MAX_LABEL_CHARACTERS = 120, 8


def lines_after_lead_in(lines: Lines, numbers: Iterable[int]) -> set[int]:
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
