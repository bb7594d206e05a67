"""Labels of lines: bullets, numbers, times, and who speaks."""

from __future__ import annotations

import re
from collections import Counter
from itertools import repeat
from operator import contains
from string import ascii_uppercase

import numpy as np
import numpy.typing as npt

from lumber_core.text.plain_lines import Flags, PlainLines, flags_of

_LABEL_FIRSTS = "-*+\u2022\u2023\u2043\u25aa\u25cf\u25e6\u2013\u2014\u00b7[(."  # no letters
_LABEL = re.compile(
    r"""(?:
      [-*+\u2022\u2023\u2043\u25aa\u25cf\u25e6\u2013\u2014\u00b7](?=\s)             # - bullet
    | \[[\w*\u2020\u2021]{1,6}\]:?                                                # [5]
    | \.{1,3}(?=\s[A-Z])                                                           # . step
    | \(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)](?=\s)                             # 3.  b)  (iv)
    | \d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s)                                          # 2.1
    | \[?\(?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?\)?\]?      # [10:32]
    | \[?\d\d?[/.]\d\d?[/.]\d{2,4},?\s\d\d?:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?\]?   # 12/3/24, 10:15
    | \[?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?\]?             # 2024-05-01 10:32
    )\s*(?:[-\u2013\u2014|:]\s+)?""",
    re.VERBOSE,
)
_SPEAKER = re.compile(
    r"(?:[A-Z][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}|<[^<>\s]{1,30}>|@?\w{1,20})"
    r"(?:\s?[(\[][^()\[\]]{1,30}[)\]])?(?::|(?<=>))(?=\s)"
)
_LONGEST_SPEAKER = 60
_TIME = r"[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?"
# The time of what follows on a line of its own: "0:15", "00:15.000 --> 00:17.500 align:start".
_STAMP = re.compile(rf"{_TIME}(?:\s*(?:-->|[-\u2013\u2014])\s*{_TIME}(?:\s+\w+:\S+)*)?$")
_NAME = re.compile(r"[A-Z][\w.'\u2019-]*(?:\s[A-Z][\w.'\u2019-]*){0,3}$")
# With a speaker: "Ann Lee  10:15 AM", "Ann Lee - Today at 10:15", "[Ann Lee] 00:15:07".
SPEAKER_STAMP = re.compile(
    r"\[?[A-Z@][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}?\]?(?:\s*[,|\u2013\u2014\u00b7-])?"
    rf"\s+(?:\w+\sat\s)?{_TIME}$"
)
_STAMP_ENDS = frozenset(").]mM")  # other than digits
_SCREEN_NAME = re.compile(r"[A-Z][A-Z.' -]{1,30}(?:\s\([^()]{1,20}\))?$")
_LONGEST_SCREEN_NAME = 54


def label_ends(lines: PlainLines) -> npt.NDArray[np.int64]:
    """Return where a label at the start of each line ends; 0 without one."""
    labelled = lines.firsts.are(str.isalpha)
    # A letter is a label only in "b)", "A." or "xiv.".
    begins = [body[1:6] for body in lines.bodies]
    labelled &= flags_of(map(contains, begins, repeat("."))) | flags_of(
        map(contains, begins, repeat(")"))
    )
    labelled |= lines.firsts.are(lambda first: first in _LABEL_FIRSTS or first.isdigit())
    said = lines.colons | lines.having(">")
    result = np.zeros(len(lines.bodies), np.int64)
    for number in np.flatnonzero(labelled | said).tolist():
        result[number] = label_end(lines.bodies[number], numbered=bool(labelled[number]))
    return result


def label_end(body: str, *, numbered: bool = True) -> int:
    """Return where a label at the start of a line ends; 0 without one.

    Args:
        body: The line.
        numbered: Whether it may begin with a bullet, a number or a time, and not only a name.
    """
    match = _LABEL.match(body) if numbered else None
    end = match.end() if match else 0
    after = speaker_end(body, end)
    if after - end > _LONGEST_SPEAKER:
        return end
    return after + len(body) - after - len(body[after:].lstrip()) if after > end else end


def speaker_end(body: str, start: int = 0) -> int:
    """Return where the name of who speaks ends that begins at `start`; `start` without one."""
    if ":" not in body and ">" not in body:
        return start
    speaker = _SPEAKER.match(body, start)
    return speaker.end() if speaker else start


def stamps_of(lines: PlainLines) -> Flags:
    """Return for each line whether it only gives the time, or speaker, of the next.

    Such lines stand above what was said in subtitles, transcripts and copied chats. The number
    of a subtitle, or the speaker's name, may stand on a line of its own above the time.
    """
    timed = lines.colons & lines.firsts.are(lambda first: first in "[(" or first.isdigit())
    times = lines.flagged(lines.matching(_STAMP, timed))
    named = lines.colons & lines.lasts.are(lambda last: last in _STAMP_ENDS or last.isdigit())
    speakers = lines.matching(SPEAKER_STAMP, named)
    result = times | lines.flagged(speakers) if len(speakers) > 1 else times.copy()
    screened = lines.firsts.among(ascii_uppercase) & (lines.sizes <= _LONGEST_SCREEN_NAME)
    names = lines.matching(_SCREEN_NAME, screened)
    spoken = Counter(lines.bodies[n] for n in names)
    names = [
        n
        for n in names
        if n + 1 < len(result)
        and spoken[lines.bodies[n]] > 1
        and not lines.blank[n + 1]
        and (n == 0 or lines.blank[n])
        and not lines.bodies[n + 1].isupper()
    ]
    if len(names) > 3:
        result[names] = True
    if not result.any():
        return result
    for number, following in enumerate(result[1:].tolist()):
        if result[number]:
            result[number] = not following
        elif times[number + 1] and not lines.blank[number + 1]:
            body, told = lines.bodies[number], number > 0 and times[number - 1]
            result[number] = body.isdigit() or (not told and _NAME.match(body) is not None)
    result[-1] = False
    return result
