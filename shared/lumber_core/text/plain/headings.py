"""Headings: marked, numbered, underlined, or told from their length and their neighbours."""

from __future__ import annotations

import re

from lumber_core.text.plain.labels import names_speaker
from lumber_core.text.plain.lines import PlainLines
from lumber_core.text.plain.mail import attributes, in_header, is_header

_MARKED_HEADING = re.compile(
    r"#{1,6}\s+\S|=.*\w.*=$|={3,}$|={6,},\d+,"
    r"|-{3,}\s?(?:Original|Forwarded)\s[Mm]essage"
    r"|\\(?:part|chapter|(?:sub)*section|(?:sub)?paragraph)\*?\{.*\}$"
)
_HASHES = re.compile(r"(#{1,6})\s+\S")
_RULE = re.compile(r"([=~^*+-])\1{2,}$")
_NAMED_HEADING = re.compile(
    r"(?:chapter|section|part|appendix|annex|book|act|scene|article|stave|lesson|unit)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
_NUMBERED_HEADING = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.)\s+[A-Z]")
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})*")
_ASCIIDOC = re.compile(r"=\s\w.*[^=]$")  # the title on the first line
_ASCIIDOC_HEADING = re.compile(r"={1,6}\s\S")
_ORG = re.compile(r"#\+\w+")
_ORG_HEADING = re.compile(r"\*{1,6}\s+\S")
_LONGEST_HEADING = 90


class Headings:
    """Tells the headings of a text.

    Args:
        lines: The lines of the text.
    """

    def __init__(self, lines: PlainLines) -> None:
        self._lines = lines
        self._markup: re.Pattern[str] | None = None
        if _ASCIIDOC.match(lines.bodies[0]):
            self._markup = _ASCIIDOC_HEADING
        elif any(_ORG.match(body) for body in lines.bodies):
            self._markup = _ORG_HEADING

    def may_head(self, number: int) -> bool:
        """Return whether what comes before a line has ended, so that the line may be a heading."""
        lines = self._lines
        if number == 0 or lines.blank[number] or self._marked(lines.bodies[number]):
            return True
        return lines.bodies[number - 1].isdigit() or not lines.open_ended[number - 1]

    def heads(self, number: int) -> bool:
        """Return whether a line looks like a heading and is followed by text it could belong to."""
        lines, body = self._lines, self._lines.bodies[number]
        if number + 1 == len(lines.bodies):
            return False
        following = lines.bodies[number + 1]
        if is_header(body):
            return in_header(lines, number) or in_header(lines, number + 1)
        if attributes(body):
            return True
        if len(body) > _LONGEST_HEADING or attributes(following):
            return False
        if self._marked(body):
            return True
        if following[0].islower() and not lines.blank[number + 1]:
            return False
        letters = sum(map(str.isalpha, body))
        if 2 * letters < len(body) - body.count(" ") or letters < 3:
            return False
        if _NAMED_HEADING.match(body):
            return True
        if not lines.open_ended[number] or body[-1] in ",-":
            return False
        if not (body[0].isupper() or body[0].isdigit()):
            return False
        if len(body.split()) > 12 or names_speaker(body):
            return False
        # It is shorter than what follows, or the next heading is.
        longer = len(following) >= max(40, 1.3 * len(body))
        if not (lines.blank[number + 1] or lines.blank[number]):
            longer = len(following) >= max(40, 1.7 * len(body))
        above = number == 0 or len(lines.bodies[number - 1]) >= 40 or bool(lines.blank[number])
        own, next_number = _NUMBER.match(body), _NUMBER.match(following)
        if own and next_number and next_number[0].startswith(own[0] + "."):
            return _NUMBERED_HEADING.match(body) is not None  # as "2.1" below "2. Scope"
        if _NUMBERED_HEADING.match(body) or (body.isupper() and letters >= 4):
            return longer or bool(lines.blank[number + 1])
        return longer and above

    def _marked(self, body: str) -> bool:
        """Return whether a line is marked as a heading."""
        if _MARKED_HEADING.match(body):
            return True
        return self._markup is not None and self._markup.match(body) is not None


def heading_level(body: str) -> int:
    """Return the level of a heading of Markdown, such as 2 for "## Use"; 0 for any other line."""
    hashes = _HASHES.match(body)
    return hashes.end(1) if hashes else 0


def underlined_titles(lines: PlainLines) -> list[bool]:
    """Return for each line whether it is a title with a rule below it, or the rule above."""
    rules = [_RULE.match(body) is not None for body in lines.bodies]
    result = [False] * len(rules)
    for number in range(1, len(rules)):
        if not rules[number] or lines.blank[number] or rules[number - 1]:
            continue
        title = lines.bodies[number - 1]
        above = number > 1 and rules[number - 2] and not lines.blank[number - 1]
        alone = above or number == 1 or bool(lines.blank[number - 1])
        if alone and len(title) <= _LONGEST_HEADING and title[0] != "[" and title[-1] not in ".,;":
            result[number - 1] = True
            if above:
                result[number - 2] = True
    return result
