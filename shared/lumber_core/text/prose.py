"""Short texts of plain sentences, as most messages are, whose lines need no closer look.

`read_lines` looks at lines with arrays, which take as long for three lines as for three hundred.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lumber_core.text.plain_lines import AROUND

_SHARE_OF_ROWS = 0.7
_MOST_CHARACTERS = 1 << 12  # longer texts are read faster with arrays
# It begins with a capital that is no label, has a small letter, and no sign of a speaker, a time, a
# row, a quotation or code. "Q" may begin a question.
_LINE = re.compile(
    r"(?!(?:[A-Z]|[IVXivx]{1,5})[.)]\s|(?i:chapter|section|part|appendix|annex|book|act|scene|article"
    r"|stave|lesson|unit)\b)(?=[^a-z]*[a-z])[A-PR-Z]"
    r"[^\x00-\x1f\x7f-\x9f\u2028\u2029|>=:;]*[\w.!?\"'\u2019\u201d]"
)
_SENTENCE_END = re.compile(r"[.!][\"'\u2019\u201d]?$")


def prose_lines(text: str) -> dict[int, bool] | None:
    """Return the lines of a short text in which each is one or several sentences, but for the last.

    Returns:
        Whether blank lines come before each line, by the offset of its start. None if the text is
        long, or if a line might be anything else.
    """
    if len(text) > _MOST_CHARACTERS or not text[:1].isupper():
        return None
    found: dict[int, bool] = {}
    commas: list[int] = []
    start, blank, ended = 0, False, True
    for line in text.rstrip().split("\n"):
        if line:
            if not (ended and _LINE.fullmatch(line)):
                return None
            ended = _SENTENCE_END.search(line) is not None
            found[start] = blank
            commas.append(line.count(","))
        blank = not line
        start += len(line) + 1
    alike = {n for n, pair in enumerate(pairwise(commas)) if pair[0] == pair[1] >= 2}
    alike |= {number + 1 for number in alike}
    may_be_rows = len(alike) >= max(3, _SHARE_OF_ROWS * min(len(commas), AROUND + 1))
    return None if may_be_rows else found
