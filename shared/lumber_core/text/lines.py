"""The lines of a plain text, and what a line is by its own look and that of its neighbours.

`PlainLines` holds the lines that are not blank. The functions below it find the headers of e-mails,
labels such as bullets and names of speakers, headings, and code.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import numpy.typing as npt

# Line breaks as in `units`; a run of white space between two lines with more than one is blank.
_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_BREAK = re.compile(r"\n|\r\n?|[\v\f\x85\u2028\u2029]")
_FINAL = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"'\u2019\u201d)\]\u00bb*_]*$")
_QUOTE = re.compile(r"\s{0,3}(?:>{1,2}(?!>)\s?)+")  # but not Python's prompt
AROUND = 10
"""Lines of context on both sides."""

WIDEST_PROSE = 180
"""Characters of the widest line that prose is wrapped to."""

Flags = npt.NDArray[np.bool_]
"""An answer of yes or no for each line."""


class PlainLines:
    """The lines of a text that are not blank, one entry per line.

    Attributes:
        starts: Offset of each line.
        offsets: Offset of its first visible character.
        bodies: The line without white space at its ends.
        blank: Whether blank lines come before it.
        indents: Width of its indentation.
        indent_unit: Characters of one level of indentation.
        lengths: Number of characters up to the last visible one.
        open_ended: Whether no sentence ends with it.
        quoted: How deep it is quoted, as in an answer to an e-mail.
        quotes: Whether any line is quoted.
        pages: Whether it is the first line of a page, after a form feed.
    """

    def __init__(self, text: str) -> None:
        self.starts: list[int] = []
        self.offsets: list[int] = []
        self.bodies: list[str] = []
        self.indents: list[int] = []
        self.quoted: list[int] = []
        self.pages: list[bool] = []
        blank: list[bool] = []
        self.quotes = len(re.findall(r"^\s{0,3}>", text, re.MULTILINE)) > 1
        end = 0
        for match in _LINE.finditer(text):
            line = match.group()
            quote = _QUOTE.match(line) if self.quotes else None
            prefix = quote.end() if quote else 0
            body = line[prefix:].strip()
            if not body:
                continue
            start = match.start()
            gap = text[end:start]
            page = "\f" in gap
            several = len(gap) > 1 and gap != "\r\n" and len(_BREAK.findall(gap)) > 1 + page
            depth = line.count(">", 0, prefix)
            blank.append(several or bool(self.quoted and depth != self.quoted[-1]))
            self.quoted.append(depth)
            self.pages.append(page)
            indent = len(line) - len(line[prefix:].lstrip())
            self.starts.append(start)
            self.offsets.append(start + indent)
            self.bodies.append(body)
            self.indents.append(indent - prefix + 3 * line.count("\t", 0, indent))
            end = start + indent + len(body)
        self.blank = np.array(blank, dtype=np.bool_)
        indents = np.array(self.indents, dtype=np.int64)
        self.lengths = indents + np.fromiter(map(len, self.bodies), np.int64, len(self.bodies))
        self.open_ended = np.fromiter((not _FINAL.search(b) for b in self.bodies), np.bool_)
        deeper = indents[indents > 1]
        self.indent_unit = int(deeper.min()) if len(deeper) else 4
        if self.bodies and self.bodies[0][0] in "{[" and 1 in indents:  # as notebooks write JSON
            self.indent_unit = 1


def around(values: npt.NDArray[np.generic], *, total: bool = False) -> npt.NDArray[np.float64]:
    """Return the mean, or the total, of each value and its neighbours."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    places = np.arange(len(values))
    low = np.maximum(0, places - AROUND)
    high = np.minimum(len(values), places + AROUND + 1)
    found: npt.NDArray[np.float64] = sums[high] - sums[low]
    return found if total else found / (high - low)


def neighbours(values: Flags) -> Flags:
    """Return for each value whether it or a neighbour is true."""
    return (around(values, total=True) - values) > 0


_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Message-I[Dd]|In-Reply-To|Attachments?):\s"
)
_ATTRIBUTION = re.compile(r"On\s.{0,99}\d.{0,150}\s(?:wrote|writes):$")


def is_mail(lines: PlainLines) -> bool:
    """Return whether the text has quotations or headers as e-mails have."""
    return lines.quotes or sum(_is_header(body) for body in lines.bodies) > 1


def _is_header(body: str) -> bool:
    """Return whether a line looks like a line of a header, such as "Subject: Re: lunch"."""
    return _HEADER.match(body) is not None


def _attributes(body: str) -> bool:
    """Return whether a line says who wrote the quotation below it."""
    return _ATTRIBUTION.match(body) is not None


def in_header(lines: PlainLines, number: int) -> bool:
    """Return whether a line, as the one before, belongs to the header of an e-mail."""
    if number == 0 or lines.blank[number] or not _is_header(lines.bodies[number]):
        return False
    return _is_header(lines.bodies[number - 1])


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


def _names_speaker(body: str) -> bool:
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


_MARKED_HEADING = re.compile(
    r"#{1,6}\s+\S|=.*\w.*=$|={3,}$|={6,},\d+,"
    r"|-{3,}\s?(?:Original|Forwarded)\s[Mm]essage"
    r"|\\(?:part|chapter|(?:sub)*section|(?:sub)?paragraph)\*?\{.*\}$"
)
_HASHES = re.compile(r"(#{1,6})\s+\S")
_RULE = re.compile(r"([=~^*+-])\1{2,}$")
_NAMED_HEADING = re.compile(
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
_LONGEST_HEADING = 90


class Headings:
    """Tells the headings of a text.

    Args:
        lines: The lines of the text.
    """

    def __init__(self, lines: PlainLines) -> None:
        self._lines = lines
        self._markup: re.Pattern[str] | None = None
        if _ASCIIDOC.match(lines.bodies[0]):
            self._markup = _ASCIIDOC_HEADING
        elif any(_ORG.match(body) for body in lines.bodies):
            self._markup = _ORG_HEADING

    def may_head(self, number: int) -> bool:
        """Return whether what comes before a line has ended, so that the line may be a heading."""
        lines = self._lines
        if number == 0 or lines.blank[number] or self._marked(lines.bodies[number]):
            return True
        return lines.bodies[number - 1].isdigit() or not lines.open_ended[number - 1]

    def heads(self, number: int) -> bool:
        """Return whether a line looks like a heading and is followed by text it could belong to."""
        lines, body = self._lines, self._lines.bodies[number]
        if number + 1 == len(lines.bodies):
            return False
        following = lines.bodies[number + 1]
        if _is_header(body):
            return in_header(lines, number) or in_header(lines, number + 1)
        if _attributes(body):
            return True
        if len(body) > _LONGEST_HEADING or _attributes(following):
            return False
        if self._marked(body):
            return True
        if following[0].islower() and not lines.blank[number + 1]:
            return False
        letters = sum(map(str.isalpha, body))
        if 2 * letters < len(body) - body.count(" ") or letters < 3:
            return False
        if _NAMED_HEADING.match(body):
            return True
        if not lines.open_ended[number] or body[-1] in ",-":
            return False
        if not (body[0].isupper() or body[0].isdigit()):
            return False
        if len(body.split()) > 12 or _names_speaker(body):
            return False
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

    def _marked(self, body: str) -> bool:
        """Return whether a line is marked as a heading."""
        if _MARKED_HEADING.match(body):
            return True
        return self._markup is not None and self._markup.match(body) is not None


def heading_level(body: str) -> int:
    """Return the level of a heading of Markdown, such as 2 for "## Use"; 0 for any other line."""
    hashes = _HASHES.match(body)
    return hashes.end(1) if hashes else 0


def underlined_titles(lines: PlainLines) -> list[bool]:
    """Return for each line whether it is a title with a rule below it, or the rule above."""
    rules = [_RULE.match(body) is not None for body in lines.bodies]
    result = [False] * len(rules)
    for number in range(1, len(rules)):
        if not rules[number] or lines.blank[number] or rules[number - 1]:
            continue
        title = lines.bodies[number - 1]
        above = number > 1 and rules[number - 2] and not lines.blank[number - 1]
        alone = above or number == 1 or bool(lines.blank[number - 1])
        if alone and len(title) <= _LONGEST_HEADING and title[0] != "[" and title[-1] not in ".,;":
            result[number - 1] = True
            if above:
                result[number - 2] = True
    return result


# Each pair opens and closes code: of Markdown, AsciiDoc (below "[source]"; tables) and Org.
_FENCE = re.compile(r"(`{3,}|~{3,}|\|={3,}|-{4,}$|#\+(?i:begin))[^`]*$")
_CODE = re.compile(
    r"""[{};,(\[]$ | ^[\])}] | \)\s*(?:->.*)?:$ | ^(?:@\w|\#include|//|/\*|\*/?\s|</?\w)
    | ^(?:def|class|async|import|from\s\S+\simport|return|elif|else:|try:|except|finally:|with\s.*:$
      |function|const|let|var|public|private|protected|static|struct|fn|pub|package|using)\b
    | ^"[^"]*"\s*:\s | \w\([^()]*\)[;:]?$ | [\w\])]\s(?:=|\+=|==|:=|=>)\s | ^self\. | ^[\w.]+\s?=\s
    """,
    re.VERBOSE,
)
_YAML = re.compile(r"(?:-\s+)?[\"']?[\w./-]+[\"']?:(?:\s|$)|-\s|#")
_CLOSES = re.compile(r"[\])}]|</|(?:else|elif|except|finally|end|catch)\b")
_LEADS = re.compile(r"@\w|#|//|--|;|/?\*|\[+[\w.:,%= \"'-]+\]+$")  # decorators, comments, sections
# A clause of a statement in SQL.
_CLAUSE = re.compile(
    r"(?:FROM|WHERE|GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT|OFFSET|(?:[A-Z]+\s+){0,2}JOIN|ON|AND|OR|SET"
    r"|UNION|VALUES|RETURNING|SELECT)\b"
)

Fences = npt.NDArray[np.int8]
"""Parts of fenced code: 1 for the opening fence, 2 for lines inside, 3 for the closing fence; 0
elsewhere."""


def find_fences(bodies: list[str]) -> Fences:
    """Return for each line which part of fenced code it is; an open fence at the end is none."""
    result = np.zeros(len(bodies), dtype=np.int8)
    opened, mark = -1, ""
    for number, body in enumerate(bodies):
        fence = _FENCE.match(body) if body[0] in "`~|-#" else None
        if opened < 0:
            dashes = body[0] == "-" and (number == 0 or bodies[number - 1][0] != "[")
            if fence is not None and not dashes:
                opened, mark = number, fence[1]
        elif (mark[0] == "#" and body[:5].casefold() == "#+end") or (
            body.startswith(mark) and not body.strip("".join({*mark}))
        ):
            result[opened] = 1
            result[opened + 1 : number] = 2
            result[number] = 3
            opened = -1
    return result


def code_lines(lines: PlainLines, fences: Fences) -> Flags:
    """Return for each line whether it is code or markup.

    It is if it is fenced, or if most lines around it look like code.
    """
    looks = np.fromiter((b[0] != "\\" and bool(_CODE.search(b)) for b in lines.bodies), np.bool_)
    prose = lines.lengths > WIDEST_PROSE
    fenced = fences > 0
    looks &= ~prose | np.fromiter((b[-1] in "{};[](,>" for b in lines.bodies), np.bool_)
    looks &= ~fenced  # what surrounds a fence may be prose
    share = around(looks)
    near = around(np.ones(len(looks)), total=True)
    keyed = np.fromiter((bool(_YAML.match(b)) for b in lines.bodies), np.bool_)
    nested = np.array(lines.indents) > 0
    outline = (around(keyed & ~prose) >= 0.85) & (around(nested) >= 0.3) & (near >= 5)
    outline &= around(np.fromiter((b[-1] == ":" for b in lines.bodies), np.bool_)) >= 0.15
    return (share >= 0.45) & (near >= 3) & (looks | ~prose) | fenced | outline


def stays_in_code(lines: PlainLines, fences: Fences, number: int) -> bool:
    """Return whether a line of code belongs to the line before, as the body of a block does."""
    body, before = lines.bodies[number], lines.bodies[number - 1]
    if fences[number] == 3 or fences[number - 1] == 1:
        return True
    if lines.indents[number] > lines.indents[number - 1] or _CLOSES.match(body):
        return True
    return not lines.blank[number] and _LEADS.match(before) is not None


def continues_statement(lines: PlainLines, number: int) -> bool:
    """Return whether a line of code continues a statement of SQL."""
    before = lines.bodies[number - 1] if number else ";"
    return not before.endswith(";") and _CLAUSE.match(lines.bodies[number]) is not None
