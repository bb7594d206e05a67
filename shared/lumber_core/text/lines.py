"""The lines of a plain text, and what a line is by its own look and that of its neighbours.

`PlainLines` holds the lines that are not blank. The functions below it find the headers of e-mails,
labels such as bullets and names of speakers, headings, and code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, repeat
from operator import contains
from string import ascii_uppercase

import numpy as np
import numpy.typing as npt

# Punctuation that ends a sentence, or leads to what follows, and what may close after it.
_FINAL = frozenset(".!?:;\u2026\u3002\uff01\uff1f")
_CLOSING = "\"'\u2019\u201d)]\u00bb*_"
_QUOTES = re.compile(r"^\s{0,3}>", re.MULTILINE)
_QUOTE = re.compile(r"\s{0,3}(?:>{1,2}(?!>)\s?)+")  # but not Python's prompt
_SEPARATORS = "\x1c\x1d\x1e"  # white space that ends a line for `str.splitlines`, but not here
AROUND = 10
"""Lines of context on both sides."""

_FEW = 128  # lines, as of a message: many texts have as many

WIDEST_PROSE = 180
"""Characters of the widest line that prose is wrapped to."""

Flags = npt.NDArray[np.bool_]
"""An answer of yes or no for each line."""


class Characters:
    """A character of each line: a test is asked once for each that occurs.

    Args:
        characters: One per line.
    """

    def __init__(self, characters: Sequence[str]) -> None:
        codes = "".join(characters).encode("utf-32-le", "surrogatepass")
        kinds, self._numbers = np.unique(np.frombuffer(codes, np.uint32), return_inverse=True)
        self._kinds = [*map(chr, kinds.tolist())]

    def are(self, test: Callable[[str], bool]) -> Flags:
        """Return for each line what a test says of its character."""
        return flags_of(map(test, self._kinds))[self._numbers]

    def among(self, characters: str) -> Flags:
        """Return for each line whether its character is one of these."""
        return self.are(characters.__contains__)


class PlainLines:
    """The lines of a text that are not blank, one entry per line.

    Attributes:
        starts: Offset of each line.
        offsets: Offset of its first visible character.
        bodies: The line without white space at its ends.
        firsts: The first character of each body.
        lasts: The last character of each body.
        sizes: Number of characters of each body.
        colons: Whether there is a colon in it.
        blank: Whether blank lines come before it.
        indents: Width of its indentation.
        indent_unit: Characters of one level of indentation.
        lengths: Number of characters up to the last visible one.
        open_ended: Whether no sentence ends with it.
        quotes: Whether any line is quoted.
        pages: Numbers of the lines that are the first of a page, after a form feed.
        headers: Numbers of the lines that look as those of an e-mail's header, such as "Subject:
            Re: lunch".
    """

    def __init__(self, text: str) -> None:
        for separator in _SEPARATORS:
            text = text.replace(separator, "\x1f")  # white space as well
        whole = text.splitlines(keepends=True)
        self.quotes = ">" in text and len(_QUOTES.findall(text)) > 1
        bodies = list(map(str.strip, whole))
        prefixes: Iterable[int] = repeat(0)
        if self.quotes:
            ends = _quote_ends(whole)
            bodies = [line[at:].strip() for line, at in zip(whole, ends, strict=True)]
            prefixes = [end for end, body in zip(ends, bodies, strict=True) if body]
        kept = np.flatnonzero(flags_of(map(bool, bodies)))
        lines = [line for line, body in zip(whole, bodies, strict=True) if body]
        self.bodies: list[str] = list(filter(None, bodies))
        self.starts = np.array([*accumulate(map(len, whole), initial=0)], np.int64)[kept]
        insets = np.fromiter(map(str.find, lines, self.bodies, prefixes), np.int64, len(lines))
        self.offsets = self.starts + insets
        self.indents = insets.copy()
        depths = np.zeros(len(lines), np.int64)
        if self.quotes:
            quoted = zip(lines, prefixes, strict=True)
            depths[:] = [line.count(">", 0, end) if end else 0 for line, end in quoted]
            self.indents -= np.array(prefixes, np.int64)
        if "\t" in text:
            for number in np.flatnonzero(insets).tolist():
                self.indents[number] += 3 * lines[number].count("\t", 0, insets[number])
        self.pages = _begin_pages(whole, kept) if "\f" in text else []
        breaks = np.diff(kept, prepend=0)  # line breaks since the line before
        breaks[self.pages] -= 1
        self.blank: Flags = (breaks > 1) | (np.diff(depths, prepend=depths[:1]) != 0)
        self.sizes = np.fromiter(map(len, self.bodies), np.int64, len(self.bodies))
        self.lengths = self.indents + self.sizes
        self.firsts = Characters([body[0] for body in self.bodies])
        self.lasts = Characters([body[-1] for body in self.bodies])
        self.open_ended = ~self.lasts.are(_FINAL.__contains__)
        for number in np.flatnonzero(self.lasts.among(_CLOSING)).tolist():
            self.open_ended[number] = self.bodies[number].rstrip(_CLOSING)[-1:] not in _FINAL
        self.colons = self.having(":")
        self.headers = {*self.matching(_HEADER, self.colons & self.firsts.among("FTCBDSRMIA"))}
        deeper = self.indents[self.indents > 1]
        self.indent_unit = int(deeper.min()) if len(deeper) else 4
        if self.bodies and self.bodies[0][0] in "{[" and (self.indents == 1).any():
            self.indent_unit = 1  # as notebooks write JSON

    def matching(self, pattern: re.Pattern[str], among: Flags) -> list[int]:
        """Return the numbers of the lines that a pattern matches, among some that may."""
        match, bodies = pattern.match, self.bodies
        return [number for number in among.nonzero()[0].tolist() if match(bodies[number])]

    def having(self, sign: str) -> Flags:
        """Return for each line whether a sign is in it."""
        return flags_of(map(contains, self.bodies, repeat(sign)))

    def flagged(self, numbers: Iterable[int]) -> Flags:
        """Return for each line whether its number is among some."""
        flags = np.zeros(len(self.bodies), dtype=np.bool_)
        if flagged := [*numbers]:
            flags[flagged] = True
        return flags


def after(flags: Flags) -> Flags:
    """Return for each line what is said of the one before; no for the first."""
    return np.concatenate([[False], flags[:-1]])


def _quote_ends(lines: list[str]) -> list[int]:
    """Return for each line where the marks of a quotation end; 0 without any."""
    found = map(_QUOTE.match, lines)
    return [quote.end() if quote else 0 for quote in found]


def _begin_pages(lines: list[str], kept: npt.NDArray[np.intp]) -> list[int]:
    """Return the numbers of the kept lines with a form feed between them and the one before."""
    feeds = [number for number, line in enumerate(lines) if line[-1] == "\f"]
    before = np.searchsorted(feeds, kept)
    return np.flatnonzero(np.diff(before, prepend=0)).tolist()


def flags_of(answers: Iterable[bool]) -> Flags:
    """Return an array of answers."""
    return np.fromiter(answers, np.bool_)


def around(values: npt.NDArray[np.generic], *, total: bool = False) -> npt.NDArray[np.float64]:
    """Return the mean, or the total, of each value and its neighbours."""
    sums = np.zeros(len(values) + 1)
    values.cumsum(dtype=np.float64, out=sums[1:])
    low, high = (_ranges_of_few if len(values) <= _FEW else _ranges)(len(values))
    found: npt.NDArray[np.float64] = sums[high] - sums[low]
    return found if total else found / (high - low)


def _ranges(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return where the neighbours of each of some values begin and end."""
    places = np.arange(count)
    return np.maximum(0, places - AROUND), np.minimum(count, places + AROUND + 1)


_ranges_of_few = lru_cache(maxsize=_FEW)(_ranges)


def neighbours(values: Flags) -> Flags:
    """Return for each value whether it or a neighbour is true."""
    return (around(values, total=True) - values) > 0


_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Message-I[Dd]|In-Reply-To|Attachments?):\s"
)
_ATTRIBUTION = re.compile(r"On\s.{0,99}\d.{0,150}\s(?:wrote|writes):$")


def is_mail(lines: PlainLines) -> bool:
    """Return whether the text has quotations or headers as e-mails have."""
    return lines.quotes or len(lines.headers) > 1


def _attributes(body: str) -> bool:
    """Return whether a line says who wrote the quotation below it."""
    return body[-1] == ":" and _ATTRIBUTION.match(body) is not None


def in_header(lines: PlainLines, number: int) -> bool:
    """Return whether a line, as the one before, belongs to the header of an e-mail."""
    both = number in lines.headers and number - 1 in lines.headers
    return both and not bool(lines.blank[number])


QUOTED = re.compile(r'"[^"]*"')
"""What is quoted in a line, where signs do not separate fields."""

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
        result[number] = _label_end(lines.bodies[number], labelled=bool(labelled[number]))
    return result


def _label_end(body: str, *, labelled: bool) -> int:
    """Return where a label at the start of a line ends; 0 without one."""
    match = _LABEL.match(body) if labelled else None
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
_NUMBERED_HEADING = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.)\s+[A-Z]")
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})*")
_ASCIIDOC = re.compile(r"=\s\w.*[^=]$")  # the title on the first line
_ASCIIDOC_HEADING = re.compile(r"={1,6}\s\S")
_ORG = re.compile(r"#\+\w+")
_ORG_HEADING = re.compile(r"\*{1,6}\s+\S")
LONGEST_HEADING = 90
_FEWEST_LETTERS = 3  # of a heading
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
        following = lines.bodies[number + 1]
        if number in lines.headers:
            return in_header(lines, number) or in_header(lines, number + 1)
        if _attributes(body):
            return True
        if len(body) > LONGEST_HEADING or _attributes(following):
            return False
        if self._marked[number]:
            return True
        if following[0].islower() and not lines.blank[number + 1]:
            return False
        named = NAMED_HEADING.match(body) is not None
        if not (named or self._is_title(number)):
            return False
        letters = sum(map(str.isalpha, body))
        if 2 * letters < len(body) - body.count(" ") or letters < _FEWEST_LETTERS:
            return False
        if named:
            return True
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

    def _is_title(self, number: int) -> bool:
        """Return whether a line begins and ends as a title does, and has few words."""
        body = self._lines.bodies[number]
        if not self._lines.open_ended[number] or body[-1] in ",-":
            return False
        if not _may_begin_title(body[0]):
            return False
        return len(body.split()) <= 12 and not speaker_end(body)


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


# Each pair opens and closes code: of Markdown, AsciiDoc (below "[source]"; tables) and Org.
_FENCE = re.compile(r"(`{3,}|~{3,}|\|={3,}|-{4,}$|#\+(?i:begin))[^`]*$")
# What a line of code ends with, begins with or has in it. A pattern for an end is searched for only
# in lines with that last character: a search at every character takes longer than all other rules.
_CODE_ENDS = "{};,(["
_CODE_FIRSTS = '])}@#/*<"cdaifretwlvpsu'  # those of the pattern below, where no "=" follows
_CODE_STARTS = re.compile(
    r"""[\])}] | @\w | \#include | // | /\* | \*/?\s | </?\w
    | (?:def|class|async|import|from\s\S+\simport|return|elif|else:|try:|except|finally:|with\s.*:$
      |function|const|let|var|public|private|protected|static|struct|fn|pub|package|using)\b
    | "[^"]*"\s*:\s | self\. | [\w.]+\s?=\s
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r"\)\s*(?:->.*)?:$")
_CALL = re.compile(r"\w\([^()]*\):?$")
_ASSIGNMENT = re.compile(r"[\w\])]\s(?:=|\+=|==|:=|=>)\s")
_CODE_OR_PROSE_ENDS = "{};[](,>"  # of long lines, which are prose with any other end
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


def find_fences(lines: PlainLines) -> Fences:
    """Return for each line which part of fenced code it is; an open fence at the end is none."""
    bodies = lines.bodies
    result = np.zeros(len(bodies), dtype=np.int8)
    opened, mark = -1, ""
    for number in np.flatnonzero(lines.firsts.among("`~|-#")).tolist():
        body = bodies[number]
        fence = _FENCE.match(body)
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
    prose = lines.lengths > WIDEST_PROSE
    fenced = fences > 0
    ends = lines.lasts.among(_CODE_ENDS)
    may = ends | lines.firsts.among(_CODE_FIRSTS) | lines.lasts.among("):")
    equated = lines.having("=")
    may |= equated
    may &= ~prose | lines.lasts.among(_CODE_OR_PROSE_ENDS)
    may &= ~fenced & ~lines.firsts.among("\\")  # what surrounds a fence may be prose; no LaTeX
    looks = (may & ends) | lines.flagged(lines.matching(_CODE_STARTS, may & ~ends))
    for number in np.flatnonzero(may & ~looks & (equated | lines.lasts.among("):"))).tolist():
        looks[number] = _goes_on_like_code(lines.bodies[number])
    share = around(looks)
    near = around(np.ones(len(looks)), total=True)
    code: Flags = (share >= 0.45) & (near >= 3) & (looks | ~prose) | fenced
    nested = around(lines.indents > 0) >= 0.3
    if not nested.any():
        return code
    keyed = lines.matching(_YAML, (lines.colons | lines.firsts.among("-#")) & ~prose)
    outline = (around(lines.flagged(keyed)) >= 0.85) & nested & (near >= 5)
    outline &= around(lines.lasts.among(":")) >= 0.15
    return code | outline


def _goes_on_like_code(body: str) -> bool:
    """Return whether a line that neither starts nor ends as code does looks like code by itself."""
    last = body[-1]
    if last == ":" and _BLOCK.search(body):
        return True
    if last in "):" and _CALL.search(body):
        return True
    return "=" in body and _ASSIGNMENT.search(body) is not None


def stays_in_code(lines: PlainLines, fences: Fences) -> Flags:
    """Return for each line whether, in code, it belongs to the line before, as a block's body."""
    result: Flags = (fences == 3) | after(fences == 1)
    result[1:] |= lines.indents[1:] > lines.indents[:-1]
    result[lines.matching(_CLOSES, lines.firsts.among("])}<efc"))] = True
    leads = lines.flagged(lines.matching(_LEADS, lines.firsts.among("@#/-;*[")))
    result |= after(leads) & ~lines.blank
    return result


def continued_statements(lines: PlainLines) -> Flags:
    """Return for each line whether, in code, it continues a statement of SQL."""
    clauses = lines.flagged(lines.matching(_CLAUSE, lines.firsts.among(ascii_uppercase)))
    clauses[:1] = False
    return clauses & ~after(lines.lasts.among(";"))
