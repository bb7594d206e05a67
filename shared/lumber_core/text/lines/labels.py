"""Labels of lines: bullets, numbers, times and speakers."""

from __future__ import annotations

import re

_BULLETS = "-*+:\u2022\u2023\u2043\u25aa\u25cf\u25e6\u2013\u2014\u00b7"
_LABEL = re.compile(
    rf"""(?:
      [{_BULLETS}](?=\s)                                                          # - bullet
    | \[(?:[\w*\u2020\u2021]{{1,6}}|\^[^\s\]]{{1,40}})\]:?                          # [5]  [^5]:
    | \(?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,5}})[.)](?=\s)                         # 3.  b)  (iv)
    | \d{{1,2}}(?:\.\d{{1,2}}){{1,3}}\.?(?=\s)                                    # 2.1
    | \[?\(?\d{{1,2}}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?\)?\]?    # [10:32]
    | \[?\d\d?[/.]\d\d?[/.]\d{{2,4}},?\s\d\d?:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?\]? # 12/3/24, 10:15
    | \[?\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?\]?           # 2024-05-01 10:32
    )\s*(?:[-\u2013\u2014|:]\s+)?""",
    re.VERBOSE,
)
_FIRSTS = frozenset(f"{_BULLETS}[(0123456789")
SPEAKER = re.compile(
    r"((?:[A-Z][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}|<[^<>\s]{1,30}>|@?\w{1,20})"
    r"(?:\s?[(\[][^()\[\]]{1,30}[)\]])?(?::|(?<=>)))\s+"
)
_MAX_SPEAKER_CHARACTERS, _MAX_HEAD_CHARACTERS = 60, 100
_TIME = r"[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?"
# "0:15", "00:15.000 --> 00:17.500 align:start"; and with a speaker: "Ann Lee  10:15 AM",
# "Ann Lee - Today at 10:15", "[Ann Lee] 00:15:07".
_TIMES = re.compile(rf"{_TIME}(?:\s*(?:-->|[-\u2013\u2014])\s*{_TIME}(?:\s+\w+:\S+)*)?$")
_NAME_AND_TIME = re.compile(
    r"\[?[A-Z@][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}?\]?(?:\s*[,|\u2013\u2014\u00b7-])?"
    rf"\s+(?:\w+\sat\s)?{_TIME}$"
)
_NUMBER_OR_NAME = re.compile(r"(?:\d+|[A-Z][\w.'\u2019-]*(?:\s[A-Z][\w.'\u2019-]*){0,3})$")


def label_end(body: str) -> int:
    """Return where a label at the start of a line ends, before its first word; 0 without one."""
    end, head = 0, body[1:6]
    if (body[:1] in _FIRSTS or "." in head or ")" in head) and (label := _LABEL.match(body)):
        end = label.end()
    if ":" in body or ">" in body:
        speaker = SPEAKER.match(body, end)
        if speaker and speaker.end(1) <= end + _MAX_SPEAKER_CHARACTERS:
            end = speaker.end()
    return end


def speech_heads(bodies: list[str], blank: list[bool]) -> set[int]:
    """Return the lines that contain only the time, or time and speaker, of the speech below.

    Subtitles, transcripts and copied chats have such lines. The number of a subtitle or the name of
    the speaker may be on a separate line above the time. `blank` is whether blank lines come before
    each line.
    """
    timed = [
        number
        for number, body in enumerate(bodies)
        if ":" in body and len(body) <= _MAX_HEAD_CHARACTERS
        if body[body.index(":") + 1 :][:1].isdigit()
    ]
    times = {number for number in timed if _TIMES.match(bodies[number])}
    named = {number for number in timed if _NAME_AND_TIME.match(bodies[number])}
    heads = times | named if len(named) > 1 else times
    # In a timetable, only the last of several consecutive lines has text below.
    heads = {n for n in heads if n + 1 < len(bodies) and n + 1 not in heads}
    return heads | {
        number - 1
        for number in times
        if number
        and not blank[number]
        and number - 2 not in times
        and _NUMBER_OR_NAME.match(bodies[number - 1])
    }
