"""Captions, as in SRT and WebVTT: spoken text with its times.

A cue is a number or name on a line of its own, a line with its times, and the spoken text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from lumber_core.spans import Span

_ARROW = "-->"
_TIME = r"(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}"
_LABEL = re.compile(
    rf"^(?:(?=\S*\d)\S{{1,99}}[^\S\n]*\n)?[^\S\n]*({_TIME})[^\S\n]+{_ARROW}[^\S\n]+{_TIME}[^\n]*\n?",
    re.MULTILINE,
)
"""The lines of a cue above its text."""
_VISIBLE = re.compile(r"\S")


class Cue(NamedTuple):
    """A spoken text with its time.

    Attributes:
        span: From its number or times to the next cue.
        text_start: Where the spoken text begins.
        time: When it is spoken, as in "00:12:30".
    """

    span: Span
    text_start: int
    time: str


def read_cues(text: str) -> list[Cue]:
    """Return the cues of captions, ascending; none of any other text."""
    if _ARROW not in text:
        return []
    labels = [*_LABEL.finditer(text)]
    ends = [*(label.start() for label in labels), len(text)][1:]
    return [
        Cue(Span(label.start(), end), label.end(), _format_time(label[1]))
        for label, end in zip(labels, ends, strict=True)
    ]


def without_times(text: str) -> str:
    """Return a text of the same length, with blanks for the numbers and times of captions."""
    if _ARROW not in text:
        return text
    return _LABEL.sub(lambda label: _VISIBLE.sub(" ", label[0]), text)


def time_at(text: str, place: int) -> str:
    """Return the time of the cue that contains a place, as "00:12:30"; "" if none does."""
    cues = read_cues(text)
    number = bisect_right(cues, place, key=lambda cue: cue.span.start)
    return cues[number - 1].time if number else ""


def _format_time(time: str) -> str:
    parts = re.split("[.,]", time)[0].split(":")
    return ":".join(part.zfill(2) for part in (["0", *parts] if len(parts) == 2 else parts))
