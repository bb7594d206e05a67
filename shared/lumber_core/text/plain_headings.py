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
_NUMBERED_HEADING = re.compile(r"(\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}(?=\.))\.?\s+[A-Z]")
_ASCIIDOC = re.compile(r"=\s\w.*[^=]$")  # the title on the first line
_ASCIIDOC_HEADING = re.compile(r"={1,6}\s\S")
_ORG = re.compile(r"#\+\w+")
_ORG_HEADING = re.compile(r"\*{1,6}\s+\S")
LONGEST_HEADING = 90
_FEWEST_LETTERS = 3  # of a heading
_MOST_WORDS = 12
_LINE_OF_TEXT = 40  # characters; a shorter line may be an item or another heading
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
        if number in lines.headers:
            return in_header(lines, number) or in_header(lines, number + 1)
        if is_attribution(body):
            return True
        if len(body) > LONGEST_HEADING or is_attribution(lines.bodies[number + 1]):
            return False
        return bool(self._marked[number]) or (self._is_title(number) and self._has_text(number))

    def _is_title(self, number: int) -> bool:
        """Return whether a line is named as a section, or reads as a title of a few words."""
        lines, body = self._lines, self._lines.bodies[number]
        letters = sum(map(str.isalpha, body))
        if 2 * letters < len(body) - body.count(" ") or letters < _FEWEST_LETTERS:
            return False
        if NAMED_HEADING.match(body):
            return True
        worded = (
            bool(lines.open_ended[number]) and _may_begin_title(body[0]) and body[-1] not in ",-"
        )
        return worded and len(body.split()) <= _MOST_WORDS and not speaker_end(body)

    def _has_text(self, number: int) -> bool:
        """Return whether what follows a title could be its text, or the next title."""
        lines = self._lines
        body, following = lines.bodies[number : number + 2]
        apart = bool(lines.blank[number + 1])
        if following[0].islower() and not apart:
            return False
        if NAMED_HEADING.match(body):
            return True
        longer = len(following) >= max(_LINE_OF_TEXT, 1.5 * len(body))
        if numbered := _NUMBERED_HEADING.match(body):
            return longer or apart or following.startswith(f"{numbered[1]}.")  # "2.1" below "2."
        if body.isupper() and len(body) > _FEWEST_LETTERS:
            return longer or apart
        begins = (
            number == 0 or lines.blank[number] or len(lines.bodies[number - 1]) >= _LINE_OF_TEXT
        )
        return longer and bool(begins)


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
