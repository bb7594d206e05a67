"""Labels of lines: numbers, bullets, speakers and times, and lines that give nothing else."""

from __future__ import annotations

import re
from collections import Counter

from lumber_core.text.plain.lines import PlainLines

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
_TIME = r"[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?"
# The time of what follows on a line of its own: "0:15", "00:15.000 --> 00:17.500 align:start".
_STAMP = re.compile(rf"{_TIME}(?:\s*(?:-->|[-\u2013\u2014])\s*{_TIME}(?:\s+\w+:\S+)*)?$")
_NAME = re.compile(r"[A-Z][\w.'\u2019-]*(?:\s[A-Z][\w.'\u2019-]*){0,3}$")
# With a speaker: "Ann Lee  10:15 AM", "Ann Lee - Today at 10:15", "[Ann Lee] 00:15:07".
_SPEAKER_STAMP = re.compile(
    r"\[?[A-Z@][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}?\]?(?:\s*[,|\u2013\u2014\u00b7-])?"
    rf"\s+(?:\w+\sat\s)?{_TIME}$"
)
_SCREEN_NAME = re.compile(r"[A-Z][A-Z.' -]{1,30}(?:\s\([^()]{1,20}\))?$")


def label_end(body: str) -> int:
    """Return where a label at the start of a line ends; 0 without one."""
    end = 0
    match = _LABEL.match(body)
    if match:
        end = match.end()
    speaker = _SPEAKER.match(body, end)
    if speaker and speaker.end() - end <= 60:
        end = speaker.end()
        end += len(body) - end - len(body[end:].lstrip())
    return end


def names_speaker(body: str) -> bool:
    """Return whether a line begins with the name of who speaks."""
    return _SPEAKER.match(body) is not None


def stamps_of(lines: PlainLines) -> list[bool]:
    """Return for each line whether it only gives the time, or speaker, of the next.

    Such lines stand above what was said in subtitles, transcripts and copied chats. The number
    of a subtitle, or the speaker's name, may stand on a line of its own above the time.
    """
    times = [_STAMP.match(body) is not None for body in lines.bodies]
    named = [_SPEAKER_STAMP.match(body) is not None for body in lines.bodies]
    result = [any(of) for of in zip(times, named, strict=True)] if sum(named) > 1 else times[:]
    spoken = Counter(body for body in lines.bodies if _SCREEN_NAME.match(body))
    names = [n for n, body in enumerate(lines.bodies[:-1]) if spoken.get(body, 0) > 1]
    names = [
        n
        for n in names
        if not lines.blank[n + 1]
        and (n == 0 or lines.blank[n])
        and not lines.bodies[n + 1].isupper()
    ]
    if len(names) > 3:
        for number in names:
            result[number] = True
    for number, after in enumerate(result[1:]):
        if result[number]:
            result[number] = not after
        elif times[number + 1] and not lines.blank[number + 1]:
            body, told = lines.bodies[number], number > 0 and times[number - 1]
            result[number] = body.isdigit() or (not told and _NAME.match(body) is not None)
    result[-1] = False
    return result
