"""Lines that stay with the line before, as an answer stays with its question."""

from __future__ import annotations

import re

from lumber_core.text.plain.lines import PlainLines
from lumber_core.text.plain.mail import in_header

_QUESTION = re.compile(r"Q(?:uestion)?\s?\d*[:.]\s")
_ANSWER = re.compile(r"A(?:nswer)?\s?\d*[:.]\s")
_OPENS_ENVIRONMENT = re.compile(r"\\begin\{")  # of LaTeX
_CLOSES_ENVIRONMENT = re.compile(r"\\end\{")
_LONGEST_LEAD_IN = 120


def stays(lines: PlainLines, number: int) -> bool:
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
