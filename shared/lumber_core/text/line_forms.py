"""What the lines of a plain text look like: their widths, signs, labels and neighbours.

`layout` decides from this what each line is.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import numpy.typing as npt

# Line breaks as in `units`; a run of white space between two lines with more than one is blank.
_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_BREAK = re.compile(r"\n|\r\n?|[\v\f\x85\u2028\u2029]")
_QUOTED = re.compile(r'"[^"]*"')
_FINAL = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"'\u2019\u201d)\]\u00bb*_]*$")

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
_DATED = re.compile(r"[\[(]?(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d:\d\d)")
_TIME = r"[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?"
# The time of what follows on a line of its own: "0:15", "00:15.000 --> 00:17.500 align:start".
_STAMP = re.compile(rf"{_TIME}(?:\s*(?:-->|[-\u2013\u2014])\s*{_TIME}(?:\s+\w+:\S+)*)?$")
_NAME = re.compile(r"[A-Z][\w.'\u2019-]*(?:\s[A-Z][\w.'\u2019-]*){0,3}$")
# With a speaker: "Ann Lee  10:15 AM", "Ann Lee - Today at 10:15", "[Ann Lee] 00:15:07".
_SPEAKER_STAMP = re.compile(
    r"\[?[A-Z@][\w.'\u2019-]*(?:\s[\w.'\u2019-]+){0,3}?\]?(?:\s*[,|\u2013\u2014\u00b7-])?"
    rf"\s+(?:\w+\sat\s)?{_TIME}$"
)
_QUESTION = re.compile(r"Q(?:uestion)?\s?\d*[:.]\s")
_ANSWER = re.compile(r"A(?:nswer)?\s?\d*[:.]\s")
_MARKED_HEADING = re.compile(
    r"#{1,6}\s+\S|=.*\w.*=$|={3,}$|={6,},\d+,"
    r"|-{3,}\s?(?:Original|Forwarded)\s[Mm]essage"
    r"|\\(?:part|chapter|(?:sub)*section|(?:sub)?paragraph)\*?\{.*\}$"
)
_HASHES = re.compile(r"(#{1,6})\s+\S")
# Each pair opens and closes code: of Markdown, AsciiDoc (below "[source]"; tables) and Org.
_FENCE = re.compile(r"(`{3,}|~{3,}|\|={3,}|-{4,}$|#\+(?i:begin))[^`]*$")
_RULE = re.compile(r"([=~^*+-])\1{2,}$")
_NAMED_HEADING = re.compile(
    r"(?:chapter|section|part|appendix|annex|book|act|scene|article|stave|lesson|unit)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
_NUMBERED_HEADING = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.)\s+[A-Z]")
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
_SCREEN_NAME = re.compile(r"[A-Z][A-Z.' -]{1,30}(?:\s\([^()]{1,20}\))?$")
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})*")
_MAIL_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Message-I[Dd]|In-Reply-To|Attachments?):\s"
)
_ATTRIBUTION = re.compile(r"On\s.{0,99}\d.{0,150}\s(?:wrote|writes):$")
_QUOTE = re.compile(r"\s{0,3}(?:>{1,2}(?!>)\s?)+")  # but not Python's prompt
_ASCIIDOC = re.compile(r"=\s\w.*[^=]$")  # the title on the first line
_ASCIIDOC_HEADING = re.compile(r"={1,6}\s\S")
_ORG = re.compile(r"#\+\w+")
_ORG_HEADING = re.compile(r"\*{1,6}\s+\S")
_PAGE_NUMBER = re.compile(r"[\W\d]*(?:[Pp]age|[Pp]\.)?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[\W\d]*$")
_OPENS_ENVIRONMENT = re.compile(r"\\begin\{")  # of LaTeX
_CLOSES_ENVIRONMENT = re.compile(r"\\end\{")

_AROUND = 10  # lines of context on both sides
_WIDEST_WRAP = 180
_LONGEST_HEADING = 90
_LONGEST_LEAD_IN = 120
_LONG_LINE = 50  # long enough to be wrapped
_RUNNING = 2  # lines at the top and at the bottom of a page that may be repeated


class LineForms:
    """Measurements of the lines of a text that are not blank, one entry per line.

    Attributes:
        starts: Offset of each line.
        offsets: Offset of its first visible character.
        bodies: The line without white space at its ends.
        blank: Whether blank lines come before it.
        dated: Whether it begins with a date, or a time with seconds.
        indents: Width of its indentation.
        lengths: Number of characters up to the last visible one.
        indent_unit: Characters of one level of indentation.
        quoted: How deep it is quoted, as in an answer to an e-mail.
        pages: Whether it is the first line of a page, after a form feed.
        tops: Running titles and page numbers at the tops of pages.
        bottoms: Those at the bottoms.
        fences: Parts of fenced code: 1 for the opening fence, 2 for lines inside, 3 for the closing
            fence; 0 elsewhere.
    """

    def __init__(self, text: str) -> None:
        self.starts: list[int] = []
        self.offsets: list[int] = []
        self.bodies: list[str] = []
        self.indents: list[int] = []
        self.quoted: list[int] = []
        self.pages: list[bool] = []
        blank: list[bool] = []
        quotes = len(re.findall(r"^\s{0,3}>", text, re.MULTILINE)) > 1
        end = 0
        for match in _LINE.finditer(text):
            line = match.group()
            quote = _QUOTE.match(line) if quotes else None
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
        self.dated = np.fromiter((bool(_DATED.match(body)) for body in self.bodies), np.bool_)
        indents = np.array(self.indents, dtype=np.int64)
        self.lengths = indents + np.fromiter(map(len, self.bodies), np.int64, len(self.bodies))
        self.fences = _fences(self.bodies)
        self.tops, self.bottoms = self._running()
        self.mail = quotes or sum(_MAIL_HEADER.match(body) is not None for body in self.bodies) > 1
        self._markup: re.Pattern[str] | None = None  # of headings
        if self.bodies and _ASCIIDOC.match(self.bodies[0]):
            self._markup = _ASCIIDOC_HEADING
        elif any(_ORG.match(body) for body in self.bodies):
            self._markup = _ORG_HEADING
        deeper = indents[indents > 1]
        self.indent_unit = int(deeper.min()) if len(deeper) else 4
        if self.bodies and self.bodies[0][0] in "{[" and 1 in indents:  # as notebooks write JSON
            self.indent_unit = 1

    def code(self) -> npt.NDArray[np.bool_]:
        """Return for each line whether it is code or markup.

        It is if it is fenced, or if most lines around it look like code.
        """
        looks = np.fromiter((b[0] != "\\" and bool(_CODE.search(b)) for b in self.bodies), np.bool_)
        prose = self.lengths > _WIDEST_WRAP
        fenced = self.fences > 0
        looks &= ~prose | np.fromiter((b[-1] in "{};[](,>" for b in self.bodies), np.bool_)
        looks &= ~fenced  # what surrounds a fence may be prose
        share = _around(looks)
        near = _around(np.ones(len(looks)), total=True)
        keyed = np.fromiter((bool(_YAML.match(b)) for b in self.bodies), np.bool_)
        nested = np.array(self.indents) > 0
        outline = (_around(keyed & ~prose) >= 0.85) & (_around(nested) >= 0.3) & (near >= 5)
        outline &= _around(np.fromiter((b[-1] == ":" for b in self.bodies), np.bool_)) >= 0.15
        return (share >= 0.45) & (near >= 3) & (looks | ~prose) | fenced | outline

    def rows(self) -> npt.NDArray[np.bool_]:
        """Return for each line whether it is a row of a table or a line of a log."""
        signs: list[tuple[int, ...]] = []
        for body in self.bodies:
            plain = _QUOTED.sub("", body) if '"' in body else body
            signs.append(tuple(map(plain.count, "\t|;,")))
        same = np.zeros((len(signs), 4), dtype=np.bool_)
        counts = np.array(signs)
        even = (counts[1:] == counts[:-1]) & (counts[1:] >= [1, 2, 2, 2])
        same[1:] |= even
        same[:-1] |= even
        alike = _around(np.asarray(same.any(axis=1))) >= 0.7
        enough = _around(np.ones(len(signs)), total=True) >= 3
        alike &= enough & (same.any(axis=1) | (counts.max(axis=1) > 0))
        logged = (_around(self.dated) >= 0.6) & enough & (_around(self.lengths) < 250)
        result: npt.NDArray[np.bool_] = alike | logged
        return result

    def wrapped(self) -> npt.NDArray[np.bool_]:
        """Return for each line whether it belongs to prose that was wrapped to a width.

        Such a line ends where the next word would not have fitted, mostly without punctuation, and
        the next line often starts with a lower-case letter.
        """
        inner = ~self.blank
        running = self.tops | self.bottoms
        inner[[0, *running, *(n + 1 for n in self.tops)]] = False
        self.width = _widths(self.lengths)
        words = np.fromiter((min(20, len(b.split(None, 1)[0])) for b in self.bodies), np.int64)
        self.full = np.zeros(len(inner), dtype=np.bool_)
        self.full[1:] = self.lengths[:-1] + 1 + words[1:] >= 0.87 * self.width[1:]
        self.open = np.zeros(len(inner), dtype=np.bool_)
        self.open[1:] = [not _FINAL.search(b) for b in self.bodies[:-1]]
        self.small = np.fromiter((b[0].islower() for b in self.bodies), np.bool_)
        caseless = np.fromiter(
            (b[0].isalpha() and b[0].lower() == b[0].upper() for b in self.bodies), np.bool_
        )
        count = _around(inner, total=True)
        many = np.maximum(count, 1)

        def share(of: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
            return _around(of & inner, total=True) / many

        result: npt.NDArray[np.bool_] = (
            (count >= 2)
            & (self.width >= 25)
            & (self.width <= _WIDEST_WRAP)
            & (share(self.full) >= 0.6)
            & (share(self.open) >= 0.5)
            & (share(self.small | caseless) >= 0.25)
        )
        return result

    def joined(
        self, wrapped: npt.NDArray[np.bool_], lines: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Return for each line whether it continues the wrapped line before it.

        Args:
            wrapped: Whether a line belongs to wrapped prose.
            lines: Whether it is a row, or code.
        """
        goes_on = (self.full | self.small) & (self.open | self.full)
        labelled = np.fromiter((label_end(b) > 0 for b in self.bodies), np.bool_)
        goes_on &= ~labelled | (self.full & self.open & ~_neighbours(labelled))
        indents = np.array(self.indents)
        hanging = np.zeros(len(goes_on), dtype=np.bool_)
        hanging[1:] = (indents[1:] > indents[:-1]) & ~self.open[1:]
        # A short line without punctuation, after a sentence and before a capital, may be a heading.
        titles = np.zeros(len(goes_on), dtype=np.bool_)
        short = self.lengths[1:-1] < 0.6 * self.width[1:-1]
        titles[1:-1] = (
            short & ~self.open[1:-1] & self.open[2:] & ~self.small[1:-1] & ~self.small[2:]
        )
        goes_on &= ~titles
        # Elsewhere, as in a short letter, a long line must end where the next word did not fit.
        long = np.zeros(len(goes_on), dtype=np.bool_)
        long[1:] = (self.lengths[:-1] >= _LONG_LINE) & (self.lengths[:-1] <= _WIDEST_WRAP)
        sure = (
            self.mail
            & self.full
            & self.open
            & self.small
            & ~labelled
            & long
            & (self.width <= _WIDEST_WRAP)
        )
        joins = wrapped & goes_on | sure & ~lines
        result: npt.NDArray[np.bool_] = joins & ~self.blank & ~hanging
        result[0] = False
        return result

    def _running(self) -> tuple[set[int], set[int]]:
        """Return the running titles and page numbers at the tops and at the bottoms of pages.

        Such a line is one of the first or last two of a page, and a page number, or repeated on
        another page with other digits at most.
        """
        firsts = [0, *(n for n, page in enumerate(self.pages) if page and n)]
        if len(firsts) < 2:
            return set(), set()
        found: list[set[int]] = []
        pages = list(zip(firsts, [*firsts[1:], len(self.pages)], strict=True))
        for edge in (
            [range(a, min(b - 1, a + _RUNNING)) for a, b in pages],
            [range(b - 1, max(a, b - 1 - _RUNNING), -1) for a, b in pages],
        ):
            alike = Counter(re.sub(r"\d+", "0", self.bodies[n]) for lines in edge for n in lines)
            kept: set[int] = set()
            for lines in edge:
                for n in lines:  # from the edge inwards
                    body = self.bodies[n]
                    repeated = alike[re.sub(r"\d+", "0", body)] > 1 and len(body) <= 90
                    if not (repeated or (len(body) <= 20 and _PAGE_NUMBER.match(body))):
                        break
                    kept.add(n)
            found.append(kept)
        return found[0], found[1] - found[0]

    def entries(self) -> list[bool]:
        """Return for each line whether it continues an entry that began with a date."""
        near = _around(self.dated, total=True) > 1
        result: list[bool] = []
        inside = False
        for dated, blank, others in zip(self.dated, self.blank, near, strict=True):
            result.append(bool(inside and others and not dated and not blank))
            inside = bool(dated) or result[-1]
        return result

    def stamps(self) -> list[bool]:
        """Return for each line whether it only gives the time, or speaker, of the next.

        Such lines stand above what was said in subtitles, transcripts and copied chats. The number
        of a subtitle, or the speaker's name, may stand on a line of its own above the time.
        """
        times = [_STAMP.match(body) is not None for body in self.bodies]
        named = [_SPEAKER_STAMP.match(body) is not None for body in self.bodies]
        result = [any(of) for of in zip(times, named, strict=True)] if sum(named) > 1 else times[:]
        spoken = Counter(body for body in self.bodies if _SCREEN_NAME.match(body))
        names = [n for n, body in enumerate(self.bodies[:-1]) if spoken.get(body, 0) > 1]
        names = [
            n
            for n in names
            if not self.blank[n + 1]
            and (n == 0 or self.blank[n])
            and not self.bodies[n + 1].isupper()
        ]
        if len(names) > 3:
            for number in names:
                result[number] = True
        for number, after in enumerate(result[1:]):
            if result[number]:
                result[number] = not after
            elif times[number + 1] and not self.blank[number + 1]:
                body, told = self.bodies[number], number > 0 and times[number - 1]
                result[number] = body.isdigit() or (not told and _NAME.match(body) is not None)
        result[-1] = False
        return result

    def underlined(self) -> list[bool]:
        """Return for each line whether it is a title with a rule below it, or the rule above."""
        rules = [_RULE.match(body) is not None for body in self.bodies]
        result = [False] * len(rules)
        for number in range(1, len(rules)):
            if not rules[number] or self.blank[number] or rules[number - 1]:
                continue
            title = self.bodies[number - 1]
            above = number > 1 and rules[number - 2] and not self.blank[number - 1]
            alone = above or number == 1 or bool(self.blank[number - 1])
            if (
                alone
                and len(title) <= _LONGEST_HEADING
                and title[0] != "["
                and title[-1] not in ".,;"
            ):
                result[number - 1] = True
                if above:
                    result[number - 2] = True
        return result

    def belongs(self, number: int, *, code: bool) -> bool:
        """Return whether a line belongs to the one before, as an answer belongs to its question."""
        body, before = self.bodies[number], self.bodies[number - 1]
        if code:
            if self.fences[number] == 3 or self.fences[number - 1] == 1:
                return True
            if self.indents[number] > self.indents[number - 1] or _CLOSES.match(body):
                return True
            return not self.blank[number] and _LEADS.match(before) is not None
        if before.startswith(("{|", "|-")) or body == "|}":  # tables of MediaWiki
            return True
        if self.in_mail_header(number):
            return True
        if _OPENS_ENVIRONMENT.match(before) or _CLOSES_ENVIRONMENT.match(body):
            return True
        if _QUESTION.match(before) and _ANSWER.match(body):
            return True
        if len(before) > _LONGEST_LEAD_IN:
            return False
        asked = before.endswith("?") and not self.blank[number]
        return before.endswith(":") or (asked and (number == 1 or bool(self.blank[number - 1])))

    def in_mail_header(self, number: int) -> bool:
        """Return whether a line, as the one before, belongs to the header of an e-mail."""
        if number == 0 or self.blank[number] or not _MAIL_HEADER.match(self.bodies[number]):
            return False
        return _MAIL_HEADER.match(self.bodies[number - 1]) is not None

    def clause(self, number: int) -> bool:
        """Return whether a line of code continues a statement of SQL."""
        before = self.bodies[number - 1] if number else ";"
        return not before.endswith(";") and _CLAUSE.match(self.bodies[number]) is not None

    def open_after(self, number: int) -> bool:
        """Return whether no sentence ends with a line."""
        return _FINAL.search(self.bodies[number]) is None

    def may_head(self, number: int) -> bool:
        """Return whether what comes before a line has ended, so that the line may be a heading."""
        if number == 0 or self.blank[number] or self._marked(self.bodies[number]):
            return True
        before = self.bodies[number - 1]
        return before.isdigit() or _FINAL.search(before) is not None

    def _marked(self, body: str) -> bool:
        """Return whether a line is marked as a heading."""
        if _MARKED_HEADING.match(body):
            return True
        return self._markup is not None and self._markup.match(body) is not None

    def heads(self, number: int) -> bool:
        """Return whether a line looks like a heading and is followed by text it could belong to."""
        body = self.bodies[number]
        if number + 1 == len(self.bodies):
            return False
        following = self.bodies[number + 1]
        if _MAIL_HEADER.match(body):
            return self.in_mail_header(number) or self.in_mail_header(number + 1)
        if _ATTRIBUTION.match(body):
            return True
        if len(body) > _LONGEST_HEADING or _ATTRIBUTION.match(following):
            return False
        if self._marked(body):
            return True
        if following[0].islower() and not self.blank[number + 1]:
            return False
        letters = sum(map(str.isalpha, body))
        if 2 * letters < len(body) - body.count(" ") or letters < 3:
            return False
        if _NAMED_HEADING.match(body):
            return True
        if _FINAL.search(body) or body[-1] in ",-" or not (body[0].isupper() or body[0].isdigit()):
            return False
        if len(body.split()) > 12 or _SPEAKER.match(body):
            return False
        # It is shorter than what follows, or the next heading is.
        longer = len(following) >= max(40, 1.3 * len(body))
        if not (self.blank[number + 1] or self.blank[number]):
            longer = len(following) >= max(40, 1.7 * len(body))
        above = number == 0 or len(self.bodies[number - 1]) >= 40 or bool(self.blank[number])
        own, next_number = _NUMBER.match(body), _NUMBER.match(following)
        if own and next_number and next_number[0].startswith(own[0] + "."):
            return _NUMBERED_HEADING.match(body) is not None  # as "2.1" below "2. Scope"
        if _NUMBERED_HEADING.match(body) or (body.isupper() and letters >= 4):
            return longer or bool(self.blank[number + 1])
        return longer and above


def heading_level(body: str) -> int:
    """Return the level of a heading of Markdown, such as 2 for "## Use"; 0 for any other line."""
    hashes = _HASHES.match(body)
    return hashes.end(1) if hashes else 0


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


def _fences(bodies: list[str]) -> npt.NDArray[np.int8]:
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


def _around(values: npt.NDArray[np.generic], *, total: bool = False) -> npt.NDArray[np.float64]:
    """Return the mean, or the total, of each value and its neighbours."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    places = np.arange(len(values))
    low = np.maximum(0, places - _AROUND)
    high = np.minimum(len(values), places + _AROUND + 1)
    found: npt.NDArray[np.float64] = sums[high] - sums[low]
    return found if total else found / (high - low)


def _neighbours(values: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return for each value whether it or a neighbour is true."""
    return (_around(values, total=True) - values) > 0


def _widths(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the width of the text around each line: about one line in five is longer."""
    size = 2 * _AROUND + 1
    padded = np.pad(lengths, _AROUND, mode="reflect" if len(lengths) > _AROUND else "wrap")
    result = np.empty(len(lengths), dtype=np.float64)
    for start in range(0, len(lengths), 1 << 16):
        block = padded[start : start + (1 << 16) + size - 1]
        near = np.lib.stride_tricks.sliding_window_view(block, size)
        result[start : start + len(near)] = np.partition(near, size - 4, axis=1)[:, size - 4]
    return result
