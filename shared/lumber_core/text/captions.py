"""Captions: speech with its times, as in SRT, WebVTT, SBV, TTML, SAMI, ASS, LRC and by Whisper.

A cue has a number or name on a line of its own, its times, and text. Names of speakers, sounds,
tags, notes, and lines that rolling captions repeat are not spoken. In transcripts, such as those of
Otter, Teams and Zoom, a time is on a line above the words or in brackets before them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from html import unescape
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from lumber_core.spans import Span

INVISIBLE = "\u2060"
"""Replaces a hidden tag next to a punctuation mark in `speech`, as in "<i>Oars</i>,"."""
_ARROW = "-->"
_TIME = r"(?:(?:\d+:){1,2}\d\d?(?:(?:[.:]|,\ ?)\d{1,3})?|\d+(?:\.\d+)?s)"
# A time ("1:02"), seconds with decimals ("62.5"), milliseconds ("62500") or ticks ("620000000t").
_NUMBER = rf"(?:{_TIME}|\d+(?:\.\d+)?t?)"
_TICKS = 10_000_000  # per second of TTML, as in files of Netflix and Microsoft
_LYRIC_TIME = r"\[(\d+:\d\d)(?:\.\d\d\d?)?\](?:\[\d[\d:.]*\])*"
_TO = rf"[^\S\n]*-?{_ARROW[1:]}[^\S\n]*"
_AFTER_BLANK = r"(?:(?<=\n\n)|(?<=\n\r\n))"
# What precedes the words of a cue: lines above them, Whisper's times in brackets or in columns, the
# time of lyrics (LRC), the fields of ASS, or the tag of TTML, SAMI or YouTube's XML.
_LABEL = re.compile(
    rf"""^(?:(?:(?=\S*\d)\S{{1,99}}|{_AFTER_BLANK}[^\n]{{1,99}})[^\S\n]*\n)?[^\S\n]*\ufeff?(\[)?
      ({_TIME})(?:{_TO}|,(?=\d+:))({_TIME})(?(1)\]|(?:[^\S\n]+\w+:\S+)*[^\S\n]*\n?)
    | ^\ufeff?{_LYRIC_TIME} | ^(\d+)\t(\d+)\t
    | ^Dialogue:[^,\n]{{1,20}},({_TIME}),({_TIME}),(?:[^,\n]*,){{6}}
    | <(?i:(?:\w+:)?(?:p|div(?=[^<>]{{0,200}}>\s{{0,99}}<(?:\w+:)?p(?![^<>]{{0,200}}\sbegin=)))
      |text|sync)\b[^<>]{{0,200}}?\s(?i:begin|start|t)=["']?({_NUMBER})
      (?:[^<>]{{0,200}}?\send=["']({_NUMBER}))?[^<>]{{0,200}}>""",
    re.MULTILINE | re.VERBOSE,
)
# Premiere writes "00;00;05;12".
_CLOCK = r"(\d\d?:\d\d(?::\d\d){0,2}(?:[.,;]\d{1,3})?|\d\d(?:;\d\d){3})"
_MARKED = rf"[\[(]{_CLOCK}[\])]"
_CLOCK_IN_WORDS = r"(?:\d+\ [^\W\d]+\ )?\d+\ [Mm]inut\w*\ \d+\ [^\W\d]+"  # as Teams writes it
_NAME = (  # up to four words, as in "Ann de Vries" or "SPEAKER_00"
    r"(?:[^\W\d_a-z\xdf-\xff]|(?=[a-z]{3,9}_\d))[^\s:\uff1a]{0,30}(?:(?:\ [^\s:\uff1a]{1,30}){0,2}"
    r"\ [^\sa-z\xdf-\xff:\uff1a][^\s:\uff1a]{0,30})?"
)
# What precedes words in a transcript: "Ann Lee  0:03", "[Ann Lee] 14:03:12", "0:03 - 0:05" and
# such lines above them (YouTube's have "3 seconds" below), "0:03 - Ann Lee (Harbour club)" above
# them, "Ann Lee [0:03]:", "**Ann Lee:** [0:03]", "**[0:03]**", "[0:03](https://...)".
_HEAD = re.compile(
    rf"""^[^\S\n]*\ufeff?(?:
      (?:(?:\#{{1,4}}\ )?\**\[?{_NAME}(?:\ \w+)?\]?\**:?[^\S\n]{{0,3}}[-\u2013\u2014|,\u2022\xb7]?
          [^\S\n]{{1,9}} | (?:(?<![^\ufeff])|{_AFTER_BLANK}){_NAME}:?[^\S\n]?\n)?[\[(*]?
      @?{_CLOCK}(?:[^\S\n]?[-\u2013\u2014][^\S\n]?{_CLOCK})?[\])]?:?\**[^\S\n]*$
      (?:\n\d+\ (?:hour|minute|second)s?(?:,\ \d+\ (?:minute|second)s?)*\s?$)?
    | (?:@?{_CLOCK}\ (?:[-\u2013\u2014|]\ )?|\[{_CLOCK}\]\ [-\u2013\u2014]\ ){_NAME}
      (?:\ \([^()\n]{{1,40}}\))?[^\S\n]*$
    | (?:(?:[^\W\d_]{{1,3}}\s{{1,4}})?{_NAME}\s{{1,3}}{_CLOCK_IN_WORDS}\s{{0,2}}[\d:]+\s{{1,3}})?
      {_NAME}\s{{1,3}}({_CLOCK_IN_WORDS})[^\S\n]*$(?:\n[\d:]+[^\S\n]*$)?
    | \**{_NAME}(?::\**[^\S\n]?{_MARKED}|[^\S\n]?(?:{_MARKED}:|\[{_CLOCK}\]))\**(?=[^\S\n])
    | (?:\**{_MARKED}(?:\(\S{{1,200}}\))?\**|(\d\d?:\d\d:\d\d)(?=\s-?\s?{_NAME}:))(?=[^\S\n])
    | {_CLOCK}[^\S\n]+(?:[-\u2013\u2014]\ )?{_NAME}:(?=[^\S\n]))""",
    re.MULTILINE | re.VERBOSE,
)
# The time before words, as in "0:03 cut the" or "0:03cut the"; and the first three lines of a text
# that has such times, within 40 seconds.
_TIME_BEFORE = re.compile(rf"^[^\S\n]*\ufeff?{_CLOCK}(?=[^\S\n]*[^\W\d_])", re.MULTILINE)
_TIMES_BEFORE = re.compile(
    r"[\s\ufeff]*(?:0?0:)?0?0:0[0-5][^\S\r\n]?(?!DEBUG|INFO|WARN|ERROR)[^\W\d_](?:[^\r\n]*[\r\n]+(?:0?0:)?0?0:[0-3]\d[^\S\r\n]?[^\W\d_]){2}"
)
# The first time of a transcript: in the first ten seconds; after a name in the first minute; or
# after a name a time of day, as in Zoom. Lists of results have other times.
_FIRST_HEAD = re.compile(
    r"\W{0,4}(?:(?:[^\n]*\n[\[(]?)?0?0[:;]0\d\b|\W{0,3}[^\W\d][^\n]*?(?<![\d:])0?0:\d\d\b"
    r"|[^\W\d][^\d\n]*[\] \t]\d\d?:\d\d:\d\d$|\D*\b0\s[Mm]inut)"
)
# A name beside a time that is a speaker only if it occurs again: "Step 1 (0:05)",
# "0:05 - Introduction" and "Ann 14:03:12".
_STEP = (
    r"(?i:(?!speaker|sprecher|locuteur|participant|guest|host|user|man|woman|boy|girl)"
    r"[^\W\d_]+ \d{1,3})"
)
_MAYBE_SPEAKER = re.compile(
    rf"\W*{_STEP}\b(?!:)"
    r"|[\d:.,]+[ \t](?:[-\u2013\u2014|] )?[^\W\d]|[^\W\d][^\d\n\]]*[ \t](?!0?0:)\d\d?:\d\d:"
)
# Levels, paths, settings and names in code: in most lines of a log, in few lines of speech.
_LOGGED = re.compile(r".{0,200}?(?:[/\\=]\w|[a-z]_[a-z]|\w\.[a-z]|\b(?:DEBUG|INFO|WARN|ERROR)\b)")
# The pattern begins with fixed characters, which the engine finds fast; only then does it look
# behind for the start of a word.
_CLOCK_AFTER_NAME = re.compile(r":\d\d:\d\d[^\S\r\n]*[\r\n]|0(?<=\b0) [Mm]inut")
# Headings and fences, which occur in a text about transcripts, not in a transcript.
_SECTION = re.compile(r"(?m)^(?:#{1,6}[ \t](?!.*:\d\d\W*$)|```|~~~)")
# How many characters at the start of a text are read.
_MAX_CHARACTERS_ABOVE_SPEECH, _MAX_CHARACTERS_UP_TO_SECOND_TIME = 2_000, 20_000
_MAX_REPEATED_WORDS = 60  # words of a screen that the next screen may repeat
_CACHED_STARTS = 200  # beginnings of texts (400 KB), as each question checks its texts again
_START = re.compile(
    rf"(?:WEBVTT\b|\[Script Info\]|\[INFORMATION\]|Dialogue: |start\tend\ttext\b"
    rf"|(?:<\?xml\b[^<>]*>\s*)?<(?:(?:tt:)?tt|timedtext|transcript|(?i:sami))\b"
    rf"|\[(?:ti|ar|al|au|by|re|ve|la|length|offset):|\[(?:\d+:\d\d\.\d|0?0:0\d\][^\W\d])"
    rf"|(?:Detect[^\n]*\n){{0,2}}(?:\d{{1,9}}[^\S\n]*\n[^\S\n]*)?\[?{_TIME}(?:{_TO}\d|,\d+:))"
)
_BLOCK = re.compile(
    rf"(?m){_AFTER_BLANK}(?:NOTE|STYLE|REGION)\b.*(?:\n(?!.*{_ARROW}).*\S.*)*"
    rf"|^Comment:[^,\n]{{1,20}},{_TIME},.*"
)
_MARKUP = re.compile(  # tags, drawings and line breaks of ASS, marks of direction, or one entity
    r"(?i)(?:<rt>[^<\n]*|\{[^{}\n]{0,99}\\p[1-9][^{}\n]{0,99}\}[^{}\n]*|</?[a-z][^<>\n]*>|<[\d:.]+>|\{(?:\\[^{}\n]*|/?[biu])\}|\\[Nh]|[\u200e\u200f\u202a-\u202e\u2066-\u2069])+"
    r"|&(?:[a-z]{2,6}|#\d{1,5}|#x[\da-f]{1,4});"
)
_DIVIDES_WORDS = re.compile(r"\\[Nh]|</?(?:br|p|div|sync)\b", re.IGNORECASE)
_SOUND = re.compile(  # "[Music]"; text in other marks that begins or fills a line; or the speaker
    r"(?m)[\[\u3010][^][.!?\u3010\u3011]{1,60}[\]\u3011]:?|[~\uff5e\u301c]?[\u266a-\u266c]+(?:[~\uff5e\u301c]|\s?\([^().!?\n]{1,60}\)(?=\s?\u266a))?|(?<!\S)#(?!\S)"
    r"|^[^\S\n]*[(\uff08][^().!?\n\uff08\uff09]{1,60}[)\uff09]:?|^[^\S\n]*\*[^*\n]{1,60}\*(?=\s?$)"
)
# The start of a line of speech: ">> ", "- ", and the name of a speaker.
_SPEAKER = re.compile(
    rf"(?m)^[^\S\n]*(?:[>{INVISIBLE}]{{2,}}|[-\u2013\u2014](?=[^\S\n]*[^\W\d]))?"
    rf"[^\S\n]*(?:\**({_NAME})(?:\ \([^()\n]{{1,40}}\))?(?::\**(?=\s)|\uff1a))?"
)
_NAME_ALONE = re.compile(rf"(?:- )?({_NAME})(?<![.!?,;\u3002])[^\S\n]*$", re.MULTILINE)
# Words of names in what precedes a cue, the fields of ASS before them, and WebVTT's tag of a voice.
_NAME_IN_LABEL = re.compile(r"[^\W\d_a-z\xdf-\xff][^\W\d_]+")
_FIELDS = re.compile(r"<.*|Dialogue:(?:[^,\n]*,){4}", re.DOTALL)
_VOICE = re.compile(r"<v[. ][^<>\n]*>")
_VISIBLE, _LINE = re.compile(r"\S"), re.compile(r"\S[^\n]*")
_WORD = re.compile(rf"[{INVISIBLE}]*[^\s{INVISIBLE}]\S*")


class Cue(NamedTuple):
    """A spoken text with its times."""

    span: Span  # from its number or times to the next cue
    text_start: int
    begins: str  # such as "00:12:30"
    ends: str


def read_cues(text: str) -> list[Cue]:
    """Return the cues of captions, ascending; empty for any other text."""
    begins = _ARROW in text or begins_with_cue(text)
    transcript = _TIME_BEFORE if _TIMES_BEFORE.match(text) else _HEAD
    pattern = _LABEL if begins else transcript if _is_transcript(text) else None
    labels = [*pattern.finditer(_with_lines(text))] if pattern else []
    times = [[time for time in label.groups() if time and time != "["] for label in labels]
    # Lyrics have only the times when lines begin.
    following = [(label.start(), first) for label, (first, *_) in zip(labels, times, strict=True)]
    following = [*following, (len(text), "")][1:]
    return [
        Cue(
            Span(label.start(), end), label.end(), *map(_format_time, (*time, after or time[0])[:2])
        )
        for label, time, (end, after) in zip(labels, times, following, strict=True)
    ]


def is_captions(text: str, kind: str) -> bool:
    """Return whether a text is captions, and not a text that only quotes captions.

    Args:
        text: The text.
        kind: How it is read; see `Source.kind`.
    """
    if kind == "captions" or text.startswith("start\tend\ttext\n"):  # a TSV file of Whisper
        return True
    start = text[:_MAX_CHARACTERS_ABOVE_SPEECH]
    may_be = kind in ("text", "markdown") and _may_be_captions(start)
    return may_be and (begins_with_cue(text) or _is_transcript(text))


@lru_cache(maxsize=_CACHED_STARTS)
def _may_be_captions(start: str) -> bool:
    return (
        "0:" in start
        or "00;0" in start
        or _CLOCK_AFTER_NAME.search(start) is not None
        or begins_with_cue(start)
    )


def begins_with_cue(text: str) -> bool:
    """Return whether a text begins as captions do."""
    start = _with_lines(text[:_MAX_CHARACTERS_ABOVE_SPEECH].lstrip("\ufeff \t\r\n"))
    return _START.match(start) is not None


def _is_transcript(text: str) -> bool:
    """Return whether a text has times between its words, from the start of a recording on."""
    if not _may_be_captions(text[:_MAX_CHARACTERS_ABOVE_SPEECH]):  # nearly all texts end here
        return False
    if _TIMES_BEFORE.match(text):
        return True
    text = _with_lines(text[:_MAX_CHARACTERS_UP_TO_SECOND_TIME]).removeprefix("\ufeff")
    first = _HEAD.search(text, 0, _MAX_CHARACTERS_ABOVE_SPEECH)
    if first is None or not _FIRST_HEAD.match(first[0].strip()):
        return False
    if _SECTION.search(text, first.end()):
        return False
    heads = [*_HEAD.finditer(text, first.start())]
    logged = sum(_LOGGED.match(text, head.end()) is not None for head in heads)
    between = (text[head.end() : following.start()] for head, following in pairwise(heads[:3]))
    names = [re.sub(_CLOCK, "", head[0]).strip() for head in heads]
    is_certain = len(heads) > 1 and not _MAYBE_SPEAKER.match(first[0])
    is_spoken = 2 * logged <= len(heads) and all(map(str.strip, between))
    return is_spoken and (is_certain or names[0] in names[1:])


def _with_lines(text: str) -> str:
    """Return a text of the same length with line ends that the patterns match."""
    return text if "\n" in text else text.replace("\r", "\n")


def speech(text: str) -> str:
    """Return captions with spaces for everything that is not spoken; any other text unchanged."""
    return _read_speech(text)[0]


@lru_cache(maxsize=4)
def _read_speech(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the `speech` of a text, and the names of its speakers with their offsets."""
    if not (cues := read_cues(text)):
        return text, []
    marked = [
        (cue.span.start, _FIELDS.sub("", text[cue.span.start : cue.text_start])) for cue in cues
    ]
    marked += [(voice.start(), voice[0]) for voice in _VOICE.finditer(text)]
    speakers = [(at, name) for at, label in marked for name in _NAME_IN_LABEL.findall(label)]
    above = [Span(0, cues[0].span.start)] if begins_with_cue(text) else []
    labels = (Span(cue.span.start, cue.text_start) for cue in cues)
    text = _without(_with_lines(text), [*above, *labels])
    for pattern in (_BLOCK, _SOUND):
        text = _without(text, [match.span() for match in pattern.finditer(text)])
    text = _MARKUP.sub(_without_markup, text)
    heads = [head for head in _SPEAKER.finditer(text) if head[0].strip()]
    names = Counter(head[1] for head in heads if head[1])
    are_frequent = min(len(names), 2) * names.total() >= max(4, len(cues))
    several = sum(number > 1 for number in names.values()) > 1
    certain = {
        who
        for who, n in names.items()
        if who.isupper() or n == len(cues) > 2 or (several and (n > 1 or " " in who))
    }
    steps = {who for who, n in names.items() if n == 1 and re.fullmatch(_STEP, who)}
    spoken_names = steps if are_frequent else names.keys() - certain
    hidden = [(at.start(), at.start(1) if at[1] in spoken_names else at.end()) for at in heads]
    screen, ended, last_words = "", "", list[str]()  # values of the cue before
    rolled, name_lines = list[tuple[int, int]](), list[re.Match[str] | None]()
    for cue in (Cue(Span(0, cues[0].span.start), 0, "", cues[0].begins), *cues):
        lines = [*_LINE.finditer(text, cue.text_start, cue.span.end)]
        if not lines:
            continue
        name = _NAME_ALONE.match(text, *lines[0].span()) if len(lines) > 1 else None
        name_lines += [name] if cue.text_start else []
        screen_before, screen = screen, text[lines[0].start() : lines[-1].end()]
        words_before, last_words = last_words, screen.replace(INVISIBLE, "").split()
        most = min(len(words_before), len(last_words), _MAX_REPEATED_WORDS)
        counts = range(most, 0, -1)
        repeated = next((n for n in counts if words_before[-n:] == last_words[:n]), 0)
        if repeated and (screen != screen_before or cue.begins <= ended):
            words = [*_WORD.finditer(text, cue.text_start, cue.span.end)]
            rolled.append((words[0].start(), words[repeated - 1].end()))
        ended = cue.ends
    if 2 * len(rolled) >= len(cues) > 3:  # otherwise the speakers repeat themselves
        hidden += rolled
    alone = [name for name in name_lines if name]  # speakers on lines of their own are few
    if len(alone) == len(name_lines) > 2 and 2 * len({name[1] for name in alone}) <= len(alone) + 1:
        hidden += [name.span() for name in alone]
        speakers += [(name.start(1), name[1]) for name in alone]
    speakers += [(at.start(1), at[1]) for at in heads if at[1] and at[1] not in spoken_names]
    return _without(text, hidden), sorted(speakers)


def speakers_of(text: str, spans: Iterable[Span]) -> list[str]:
    """Return for each part of captions the names of its speakers, which `speech` leaves out."""
    (spoken, names), speakers = _read_speech(text), list[str]()
    for start, end in spans:
        words = end - len(spoken[start:end].lstrip())
        first, last = (bisect_right(names, at, key=itemgetter(0)) for at in (words, end - 1))
        # Where the speaker of the first words is named.
        at = names[max(0, first - 1)][0] if names else 0
        first = bisect_left(names, at, key=itemgetter(0))
        speakers.append(" ".join(dict.fromkeys(name for _, name in names[first:last])))
    return speakers


def speech_versions(text: str) -> list[str]:
    """Return `speech`; if most cues have lines in two languages, also each language alone."""
    spoken = speech(text)
    cues = [[*_LINE.finditer(spoken, cue.text_start, cue.span.end)] for cue in read_cues(text)]
    halves = [
        (lines[: len(lines) // 2], lines[len(lines) // 2 :])
        for lines in cues
        if len(lines) % 2 == 0
    ]
    by_language = [[line.span() for pair in halves for line in pair[n]] for n in (0, 1)]
    hidden_lines = [lines for lines in by_language if len(lines) * 2 > len(cues)]
    return [spoken, *(_without(spoken, lines) for lines in hidden_lines)]


def _without(text: str, hidden: Iterable[tuple[int, int]]) -> str:
    """Return a text with spaces in place of the visible characters of its hidden parts."""
    characters = [*text]
    for start, end in hidden:
        characters[start:end] = _VISIBLE.sub(" ", text[start:end])
    return "".join(characters)


def spoken_text(text: str, span: Span | None = None) -> str:
    """Return the spoken lines of captions or of a part of them; any other text unchanged."""
    spoken = speech(text)
    part = spoken if span is None else span.of(spoken)
    if spoken == text:
        return part
    lines = (" ".join(line.split()) for line in part.replace(INVISIBLE, "").splitlines())
    return "\n".join(filter(None, lines))


def time_at(text: str, start: int, end: int = 0, before: str = "") -> str:
    """Return the time of a part of captions, or "": "00:12:30", or "00:12:30 to 00:12:41".

    `before` is the time of the cue in which the text begins, if it is a part of captions.
    """
    cues, places = read_cues(text), (start, max(start, end - 1))
    first, last = (bisect_right(cues, at, key=lambda cue: cue.span.start) for at in places)
    first = first if before else max(first, 1)
    begins = cues[first - 1].begins if first and last else before
    return begins if first >= last else f"{begins} to {cues[last - 1].ends}"


def _without_markup(match: re.Match[str]) -> str:
    sign = _MARKUP.sub("", unescape(match[0])) if match[0][0] == "&" else ""
    text, start, end = match.string, *match.span()
    before, after = text[start - 1 : start], text[end : end + 1]
    beside = before.strip() and after.strip() and not _DIVIDES_WORDS.search(match[0])
    return sign.ljust(end - start, INVISIBLE if sign.strip() or (beside and not sign) else " ")


def _format_time(time: str) -> str:
    number = time.rstrip("s")
    if not re.search("[:; ]", time):  # a number of seconds or milliseconds
        unit = 1 if number != time or "." in time else _TICKS if time[-1] == "t" else 1000
        seconds = int(float(number.rstrip("t"))) // unit
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    parts = re.findall(r"\d+", re.split("[.,]", time)[0])[:3]
    return ":".join(part.zfill(2) for part in (["0", *parts] if len(parts) == 2 else parts))
