"""Short texts of plain prose, whose lines need no closer look.

Most messages are a few paragraphs of sentences. `read_lines` looks at lines in many ways, with
arrays, which take as long for three lines as for three hundred. `prose_lines` tells with a few
patterns that nothing of what it looks for is there.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lumber_core.text.plain_headings import LONGEST_HEADING, NAMED_HEADING
from lumber_core.text.plain_labels import SPEAKER_STAMP, speaker_end
from lumber_core.text.plain_lines import AROUND, QUOTED

_MOST_CHARACTERS = 1 << 12  # longer texts are read faster with arrays
_FEWEST_AROUND = AROUND + 1  # lines that decide together, where there are as many
# The line has a capital first, no label, and a small letter, as names of speakers in capitals have
# not. "Q" may begin a question. Marks of rows, quotations and code are absent.
_LINE = re.compile(
    r"(?!(?:[A-Z]|[IVXivx]{1,5})[.)]\s)(?=[^a-z]*[a-z])[A-PR-Z]"
    r"[^\x00-\x1f\x7f-\x9f\u2028\u2029|>=]*[\w.!?\"'\u2019\u201d]"
)
_SENTENCE_END = re.compile(r"[.!?][\"'\u2019\u201d]?$")


def prose_lines(text: str) -> dict[int, bool] | None:
    """Return the lines of a short text in which each is prose and ends a sentence.

    Returns:
        Whether blank lines come before each line, by the offset of its start. None if the text is
        long, or may have headings, labels, rows, code, quotations or wrapped lines.
    """
    if len(text) > _MOST_CHARACTERS or not _LINE.match(text):
        return None
    found: dict[int, bool] = {}
    bodies: list[str] = []
    start, blank = 0, False
    for line in text.rstrip().split("\n"):
        if line:
            if not _LINE.fullmatch(line):
                return None
            if bodies and not _ends_as_prose(bodies[-1], blank=blank):
                return None
            if ":" in line and (speaker_end(line) or SPEAKER_STAMP.match(line)):
                return None
            found[start] = blank
            bodies.append(line)
        blank = not line
        start += len(line) + 1
    return None if _may_be_rows(bodies) else found


def _ends_as_prose(body: str, *, blank: bool) -> bool:
    """Return whether a line ends a sentence, and what follows is neither its text nor its answer.

    Args:
        body: The line.
        blank: Whether a blank line follows.
    """
    if not _SENTENCE_END.search(body) or (body[-1] == "?" and not blank):
        return False
    return len(body) > LONGEST_HEADING or not NAMED_HEADING.match(body)


def _may_be_rows(bodies: list[str]) -> bool:
    """Return whether most lines have as many commas or semicolons as the line before or after."""
    alike: set[int] = set()
    for sign in ",;":
        counts = [(QUOTED.sub("", body) if '"' in body else body).count(sign) for body in bodies]
        for number, (count, following) in enumerate(pairwise(counts)):
            if count == following >= 2:
                alike |= {number, number + 1}
    return len(alike) >= max(3, 0.7 * min(len(bodies), _FEWEST_AROUND))
