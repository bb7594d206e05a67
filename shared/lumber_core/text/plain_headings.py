"""Lines of a plain text that look like headings."""

from __future__ import annotations

import re

import numpy as np

from lumber_core.text.plain_labels import speaker_end
from lumber_core.text.plain_lines import (
    Flags,
    PlainLines,
    after,
    flags_of,
    in_header,
    is_attribution,
)

_MARKED_HEADING = re.compile(
    r"#{1,6}\s+\S|=.*\w.*=$|={3,}$|={6,},\d+,"
    r"|-{3,}\s?(?:Original|Forwarded)\s[Mm]essage"
    r"|\\(?:part|chapter|(?:sub)*section|(?:sub)?paragraph)\*?\{.*\}$"
)
_HASHES = re.compile(r"(#{1,6})\s+\S")
_RULE = re.compile(r"([=~^*+-])\1{2,}$")
NAMED_HEADING = re.compile(
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
LONGEST_HEADING = 90
_FEWEST_LETTERS = 3  # of a heading
_NAMED_FIRSTS = "CSPABLUcspablu\u017f"  # "\u017f" is an "s" where case is ignored


class Headings:
    """Tells the headings of a text.

    Args:
        lines: The lines of the text.

    Attributes:
        candidates: Whether a line may be a heading, by its marks, length, first and last character.
        may_head: Whether what comes before a line has ended, so that the line may be a heading.
    """

    def __init__(self, lines: PlainLines) -> None:
        self._lines = lines
        first, last = lines.firsts, lines.lasts
        marked = lines.matching(_MARKED_HEADING, first.among("#=-\\"))
        if _ASCIIDOC.match(lines.bodies[0]):
            marked += lines.matching(_ASCIIDOC_HEADING, first.among("="))
        elif lines.matching(_ORG, first.among("#")):
            marked += lines.matching(_ORG_HEADING, first.among("*"))
        self._marked = lines.flagged(marked)
        digits = flags_of(map(str.isdigit, lines.bodies))
        title = lines.open_ended & first.are(_may_begin_title) & ~last.among(",-") & ~digits
        worded = (title | first.among(_NAMED_FIRSTS)) & (lines.sizes >= _FEWEST_LETTERS)
        self.candidates: Flags = self._marked | worded
        self.candidates &= lines.sizes <= LONGEST_HEADING
        self.candidates |= last.among(":") | lines.flagged(lines.headers)
        self.may_head: Flags = lines.blank | self._marked | ~after(lines.open_ended & ~digits)

    def heads(self, number: int) -> bool:
        """Return whether a line looks like a heading and is followed by text it could belong to."""
        lines, body = self._lines, self._lines.bodies[number]
        if number + 1 == len(lines.bodies):
            return False
        following = lines.bodies[number + 1]
        if number in lines.headers:
            return in_header(lines, number) or in_header(lines, number + 1)
        if is_attribution(body):
            return True
        if len(body) > LONGEST_HEADING or is_attribution(following):
            return False
        if self._marked[number]:
            return True
        if following[0].islower() and not lines.blank[number + 1]:
            return False
        named = NAMED_HEADING.match(body) is not None
        if not (named or self._is_title(number)):
            return False
        letters = sum(map(str.isalpha, body))
        if 2 * letters < len(body) - body.count(" ") or letters < _FEWEST_LETTERS:
            return False
        if named:
            return True
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

    def _is_title(self, number: int) -> bool:
        """Return whether a line begins and ends as a title does, and has few words."""
        body = self._lines.bodies[number]
        if not self._lines.open_ended[number] or body[-1] in ",-":
            return False
        if not _may_begin_title(body[0]):
            return False
        return len(body.split()) <= 12 and not speaker_end(body)


def _may_begin_title(first: str) -> bool:
    return first.isupper() or first.isdigit()


def heading_level(body: str) -> int:
    """Return the level of a heading of Markdown, such as 2 for "## Use"; 0 for any other line."""
    hashes = _HASHES.match(body)
    return hashes.end(1) if hashes else 0


def underlined_titles(lines: PlainLines) -> Flags:
    """Return for each line whether it is a title with a rule below it, or the rule above."""
    rules = {*lines.matching(_RULE, lines.firsts.among("=~^*+-"))}
    result = np.zeros(len(lines.bodies), dtype=np.bool_)
    for number in rules:
        if number == 0 or lines.blank[number] or number - 1 in rules:
            continue
        title = lines.bodies[number - 1]
        above = number - 2 in rules and not lines.blank[number - 1]
        alone = above or number == 1 or lines.blank[number - 1]
        if alone and len(title) <= LONGEST_HEADING and title[0] != "[" and title[-1] not in ".,;":
            result[number - 1] = True
            if above:
                result[number - 2] = True
    return result


# Each pair opens and closes code: of Markdown, AsciiDoc (below "[source]"; tables) and Org.
