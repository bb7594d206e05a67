"""What the lines of a plain text are: what begins at each, or that it goes on from the one before.

The meaning of a line break depends on the text. In wrapped prose it means nothing; in a list, a
chat or a table it ends an item, a message or a row. `read_lines` asks in this order which lines are
code or rows, which were wrapped, which belong to the line below (headings, and the times and
speakers above what was said), and last what begins at each line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from lumber_core.spans import Span
from lumber_core.text.directives import fences
from lumber_core.text.labels import label_end, speaker_end, speech_heads
from lumber_core.text.place import Kind
from lumber_core.text.tables import broken_cells, html_rows, outside

_PART = 10  # lines; what is around them is told for so many at once, with as many on both sides
_QUOTE = re.compile(r"[ \t]{0,3}(?:>{1,2}(?!>)\s?)+")  # but not Python's prompt
# Punctuation that ends a sentence or leads to what follows, and what may close after it.
_FINAL = frozenset(".!?:;\u2026\u3002\uff01\uff1f")
_CLOSING = "\"'\u2019\u201d)]\u00bb*_"
_WIDEST = 180  # characters; longer lines are neither wrapped nor, mostly, code
_HEADINGS_KEPT = 4  # in a row with their text, such as a part's, a chapter's and a section's
_INSIDE_AN_ENTRY = 2  # levels of depth


class Line(NamedTuple):
    """A line that is not blank.

    Attributes:
        start: Offset of its first character, indentation included.
        first_word: Offset just past its indentation and a label such as "[5]", "3.", "-" or
            "ANNA:". Of a line that gives only the time or the speaker of the text below, that of
            this text.
        kind: What begins there; None if it goes on from the line before.
        whole: Whether no sentence ends inside it: a row, a line of code or of a log.
        wrapped: Whether it continues the line before it, which was wrapped, or its page.
        depth: Levels of indentation in code; 2 for the rest of an entry that begins with a date,
            such as the trace below an error; 0 elsewhere.
        level: Level of a heading, such as 2 for "## Use"; 0 for any other line.
    """

    start: int
    first_word: int
    kind: Kind | None
    whole: bool
    wrapped: bool
    depth: int
    level: int


def read_lines(text: str) -> list[Line]:
    """Return the lines of a text that are not blank, and what begins at each."""
    lines = _Lines(text)
    bodies, blank = lines.bodies, lines.blank
    edges, in_pages = _page_edges(lines)
    labels = [*map(label_end, bodies)]
    code, inside = _code_lines(lines, labels)
    rows, entries = _rows(lines)
    whole = rows.union(code, edges)
    wrapped = _wrapped_lines(lines, labels, whole)
    stamps = speech_heads(bodies, blank)
    headings, rules = _headings(lines, wrapped, whole | stamps)
    leads = headings | rules
    joined = inside | rules | {number + 1 for number in stamps}
    found: list[Line] = []
    kept = 0  # headings in a row that go on from the one before
    for number, body in enumerate(bodies):
        start, offset = lines.starts[number], lines.offsets[number]
        if wrapped[number] or number in in_pages:
            found.append(Line(start, offset, None, number in edges, True, 0, 0))
            continue
        headed = number - 1 in leads
        goes_on = (
            number == 0
            or number in joined
            or (headed and kept < _HEADINGS_KEPT)
            or (number not in code and _led_in(lines, number))
        )
        if number not in rules:
            kept = kept + 1 if headed and number in headings else 0
        kind: Kind | None = Kind.PARAGRAPH if blank[number] else Kind.LINE
        level = 0
        if goes_on:
            kind = None
        elif number in headings:
            kind, level = Kind.HEADING, len(body) - len(body.lstrip("#"))
        depth = code.get(number, 0)
        if number in entries and number not in stamps:
            depth = max(depth, _INSIDE_AN_ENTRY)
        word = offset + labels[number]
        found.append(Line(start, word, kind, number in whole, False, depth, level))
    for number in sorted(stamps, reverse=True):
        below = number + 1
        word = found[below].first_word if below in stamps else lines.offsets[below]
        found[number] = found[number]._replace(first_word=word)
    return found


class _Lines:
    """The lines of a text that are not blank, as columns; records with line breaks are one each.

    Attributes:
        starts: Offset of each.
        bodies: Each without white space at its ends, and without the marks of a quotation.
        offsets: Offset of each body.
        indents: Width of its indentation.
        blank: Whether blank lines come before it, or another depth of quotation.
        ended: Whether a sentence ends with it.
        pages: The numbers of those that are the first of a page; none if no page ends.
    """

    def __init__(self, text: str) -> None:
        for separator in "\x1c\x1d\x1e":  # white space that ends no line here
            text = text.replace(separator, "\x1f")
        lines = text.splitlines(keepends=True)
        cells = broken_cells(text)
        if cells:  # a record is one line
            edges = outside(accumulate(map(len, lines), initial=0), cells)
            lines = [text[start:end] for start, end in pairwise(edges)]
        bodies = [*map(str.strip, lines)]
        marks = [0] * len(lines)  # where those of a quotation end
        quoted = text.count(">") > 1
        if quoted:
            marks = [quote.end() if quote else 0 for quote in map(_QUOTE.match, lines)]
            bodies = [line[end:].strip() for line, end in zip(lines, marks, strict=True)]
        kept = [number for number, body in enumerate(bodies) if body]
        starts = [*accumulate(map(len, lines), initial=0)]
        self.bodies = [bodies[n] for n in kept]
        self.starts = [starts[n] for n in kept]
        insets = [lines[n].find(bodies[n], marks[n]) for n in kept]
        self.offsets = [*map(int.__add__, self.starts, insets)]
        self.indents = [inset - marks[n] for n, inset in zip(kept, insets, strict=True)]
        if "\t" in text:  # one is as wide as four blanks
            for number, (n, inset) in enumerate(zip(kept, insets, strict=True)):
                self.indents[number] += 3 * lines[n].count("\t", 0, inset)
        self.blank = [False, *(after - before > 1 for before, after in pairwise(kept))]
        if quoted:
            depths = [lines[n].count(">", 0, marks[n]) for n in kept]
            for number, (before, after) in enumerate(pairwise(depths), start=1):
                self.blank[number] |= before != after
        self.pages: list[int] = []
        if "\f" in text:
            feeds = [*accumulate((line[-1] == "\f" for line in lines), initial=0)]
            for number, (before, after) in enumerate(pairwise([0, *kept])):
                if not number or feeds[after] > feeds[before]:
                    self.pages.append(number)
                    self.blank[number] = after - before > 2
        self.ended = [
            body[-1] in _FINAL or (body[-1] in _CLOSING and body.rstrip(_CLOSING)[-1:] in _FINAL)
            for body in self.bodies
        ]


_PAGE_NUMBER = re.compile(r"[\W\d]*(?:[Pp]age|[Pp]\.)?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[\W\d]*$")
_RUNNING = 2  # lines at the top and at the bottom of a page that may be repeated
_LONGEST_RUNNING, _LONGEST_NUMBER = 90, 20  # characters


def _page_edges(lines: _Lines) -> tuple[set[int], set[int]]:
    """Return running titles and page numbers, and which lines go on from those before in a page.

    A line is a running title or a page number if it is one of the first or last two of a page, and
    a number, or repeated on another page with other digits at most. Those at the bottom go on from
    the text of their page, and the text from those at the top. If a sentence goes on from one page
    to the next, so does all that is between.
    """
    bodies = lines.bodies
    pages = [*pairwise([*lines.pages, len(bodies)])]
    edges: set[int] = set()
    for sides in (
        [range(a, min(b - 1, a + _RUNNING)) for a, b in pages],
        [range(b - 1, max(a, b - 1 - _RUNNING), -1) for a, b in pages],
    ):
        alike = Counter(re.sub(r"\d+", "0", bodies[n]) for side in sides for n in side)
        for side in sides:
            for n in side:  # from the edge inwards
                body = bodies[n]
                repeated = alike[re.sub(r"\d+", "0", body)] > 1 and len(body) <= _LONGEST_RUNNING
                if not repeated and (len(body) > _LONGEST_NUMBER or not _PAGE_NUMBER.match(body)):
                    break
                edges.add(n)
    for number in edges:  # no sentence is read across them
        lines.blank[number : number + 2] = [True] * len(lines.blank[number : number + 2])
    joined: set[int] = set()
    before = -1  # the last line of text
    for first, end in pages:
        text = [number for number in range(first, end) if number not in edges]
        if not text:
            joined.update(range(first, end))
            continue
        goes_on = before >= 0 and not lines.ended[before] and bodies[text[0]][0].islower()
        joined.update(range(first if goes_on else first + 1, text[0] + 1))
        joined.update(range(text[-1] + 1, end))
        before = text[-1]
    return edges, joined


def _shares(flags: Iterable[bool]) -> list[float]:
    """Return for each part of the lines the share of those around it that are flagged."""
    values = [*flags]
    around = (values[max(0, at - _PART) : at + 2 * _PART] for at in range(0, len(values), _PART))
    return [sum(some) / len(some) for some in around]


_INLINE = re.compile(r"`[^`]*`|\S+://\S+")  # code and addresses in a sentence
_PROSE_ENDS = frozenset(".!?:\u2026\u3002\uff01\uff1f")
_SHARE_OF_LETTERS = 0.85  # of the characters of prose
_FEWEST_BLANKS = 4
_MARK = re.compile(r"`{3}|~{3}|:{3}|:[\w-]+:(?:\s|$)")  # of a directive, or one of its options
_OPENING = "\"'([*_\u2018\u201c\u00ab"


def prose_paragraphs(text: str) -> list[Span]:
    """Return the lines of each paragraph of a text that reads as prose, and not as code."""
    lines = _Lines(text)
    starts = [*lines.starts, len(text)]
    labels = [*map(label_end, lines.bodies)]
    paragraphs = _prose_around(range(len(labels)), lines, labels)
    return [Span(starts[one.start], starts[one.stop]) for one in paragraphs]


def rows_of(text: str) -> list[Span]:
    """Return the rows of tables in a text, ascending: lines, records, and rows of HTML."""
    lines = _Lines(text)
    starts = [*lines.starts, len(text)]
    inside = [row.span for row in html_rows(text)]
    rows = [Span(starts[number], starts[number + 1]) for number in _rows(lines)[0]]
    edges = {*outside((row.start for row in sorted(rows)), inside)}
    return sorted([*inside, *(row for row in rows if row.start in edges)])


def _prose_around(numbers: Iterable[int], lines: _Lines, labels: list[int]) -> Iterator[range]:
    """Yield the paragraphs that have some lines, ascending, if they read as prose.

    The lines of a paragraph have the same indentation, but for what hangs below a label.
    """
    bodies, indents, blank = lines.bodies, lines.indents, lines.blank

    def begins(number: int) -> bool:
        before = number - 1
        return (
            not number
            or blank[number]
            or labels[number] > 0
            or _MARK.match(bodies[number]) is not None
            or _MARK.match(bodies[before]) is not None
            or (
                indents[number] < indents[before]
                if labels[before]
                else indents[number] != indents[before]
            )
        )

    done = 0
    for number in numbers:
        if number < done:
            continue
        first, done = number, number + 1
        while not begins(first):
            first -= 1
        while done < len(bodies) and not begins(done):
            done += 1
        if _reads_as_prose(bodies[first:done], labels[first]):
            yield range(first, done)


def _reads_as_prose(bodies: Sequence[str], label: int) -> bool:
    """Return whether lines in a row read as a paragraph of sentences."""
    if bodies[-1].rstrip(_CLOSING)[-1:] not in _PROSE_ENDS:
        return False
    first = bodies[0][label:].lstrip(_OPENING)[:1]
    caseless = _is_caseless(first)
    if not (first.isupper() or caseless):
        return False
    text = _INLINE.sub("x", " ".join(bodies)[label:])
    blanks = text.count(" ")
    letters = sum(map(str.isalpha, text))
    enough = letters >= _SHARE_OF_LETTERS * (len(text) - blanks)
    return enough and (caseless or blanks >= _FEWEST_BLANKS)


_CODE_ENDS = frozenset("{};,([")
_CODE_FIRSTS = frozenset('])}@#/*<"acdefilprstuvw')  # of the next pattern
_CODE = re.compile(
    r"[\])}]|@\w|#include|//|/\*|\*/?\s|</?\w|\"[^\"]*\"\s*:\s|self\.|from\s\S+\simport|with\s.*:$"
    r"|(?:async|class|const|def|elif|else:|except|finally:|fn|function|import|let|package|private"
    r"|public|return|static|struct|try:|using|var)\b"
)
_CODE_INSIDE = re.compile(r"[\w\])]\s?(?:[-+:]|=)?=>?\s|\w\([^()]*\)(?:\s*->.*)?:?$")
_KEY = re.compile(r"(?:-\s+)?[\"']?[\w./-]+[\"']?:(?:\s|$)")  # of YAML
_GOES_ON = re.compile(r"[\])}]|</|(?:else|elif|except|finally|end|catch)\b")
_LEADS = re.compile(r"@\w|#|//|--|;|/?\*|\[+[\w.:,%= \"'-]+\]+$")  # decorators, comments, sections
_SHARE_OF_CODE = 0.45
_DEEPEST = 4


def _code_lines(lines: _Lines, labels: list[int]) -> tuple[dict[int, int], set[int]]:
    """Return the depth of each line of code, and which of them go on from the line before.

    A line is code if it is fenced, or if about half of the lines around it look like code and it is
    no prose.
    """
    bodies, indents = lines.bodies, lines.indents
    code: set[int] = set()
    joined: set[int] = set()
    marks = [number for number, body in enumerate(bodies) if body[0] in "`~"]
    for first, last, directive in fences(bodies[number] for number in marks):
        if not directive:
            code.update(range(marks[first], marks[last] + 1))
            joined |= {marks[first] + 1, marks[last]}
    fenced = {*code}
    looks = [
        number not in fenced and _looks_like_code(body, indents[number])
        for number, body in enumerate(bodies)
    ]
    for part, share in enumerate(_shares(looks) if len(bodies) >= _FEWEST_ALIKE else ()):
        if share >= _SHARE_OF_CODE:
            numbers = range(part * _PART, min(len(bodies), (part + 1) * _PART))
            code |= {n for n in numbers if looks[n] or len(bodies[n]) <= _WIDEST}
    if len(code) > len(fenced):
        code -= {*chain.from_iterable(_prose_around(sorted(code - fenced), lines, labels))}
    unit = min((indents[number] for number in code if indents[number] > 1), default=1)
    for number in code:
        before = max(0, number - 1)
        led = before in code and not lines.blank[number] and _LEADS.match(bodies[before])
        if led or indents[number] > indents[before] or _GOES_ON.match(bodies[number]):
            joined.add(number)
    depths = {number: min(_DEEPEST, indents[number] // unit) for number in code}
    return depths | {number: max(1, depths[number]) for number in fenced}, joined


def _looks_like_code(body: str, indent: int) -> bool:
    last = body[-1]
    if body[0] == "\\":  # of LaTeX
        return False
    if len(body) > _WIDEST:
        return last in "{};[>"
    if last in _CODE_ENDS or (body[0] in _CODE_FIRSTS and _CODE.match(body)):
        return True
    if ("=" in body or last in "):") and _CODE_INSIDE.search(body):
        return True
    return indent > 0 and ":" in body and _KEY.match(body) is not None


_QUOTED = re.compile(r'"[^"]*"')  # where signs do not separate fields
_DATED = re.compile(r"[\[(]?(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d:\d\d)")
_DATED_FIRSTS = frozenset("[(0123456789")
_FEWEST_ALIKE = 3  # lines
_SHARE_OF_ROWS, _SHARE_OF_LOG = 0.7, 0.6
_LONGEST_ENTRY = 250  # characters


def _rows(lines: _Lines) -> tuple[set[int], set[int]]:
    """Return the rows of tables and logs, and the lines that continue a dated entry."""
    bodies, blank = lines.bodies, lines.blank
    runs: list[list[int]] = []  # of lines that may have several fields
    for number, body in enumerate(bodies):
        if body.count(",") > body.count(", ") + 1 or "\t" in body or "|" in body or ";" in body:
            if runs and runs[-1][-1] == number - 1 and not blank[number]:
                runs[-1].append(number)
            else:
                runs.append([number])
    rows: set[int] = set()
    for run in runs:
        if len(run) >= _FEWEST_ALIKE:
            ((fields, alike),) = Counter(_fields(bodies[number]) for number in run).most_common(1)
            rows.update(run if fields > 1 and alike >= _SHARE_OF_ROWS * len(run) else ())
    dated = [body[0] in _DATED_FIRSTS and _DATED.match(body) is not None for body in bodies]
    if sum(dated) < 2:
        return rows, set()
    entries: set[int] = set()  # their further lines
    for number in range(1, len(bodies)):
        inside = dated[number - 1] or number - 1 in entries
        if inside and not dated[number] and not blank[number]:
            entries.add(number)
    in_log = _shares(begins or number in entries for number, begins in enumerate(dated))
    for number, begins in enumerate(dated):
        if begins and len(bodies[number]) <= _LONGEST_ENTRY:
            # Not in a diary, whose entries are wrapped.
            wrapped = number + 1 in entries and bodies[number + 1][0].islower()
            if in_log[number // _PART] >= _SHARE_OF_LOG and not wrapped:
                rows.add(number)
    return rows, entries


def _fields(body: str) -> int:
    """Return how many signs separate fields in a line, which commas of sentences do not."""
    bare = _QUOTED.sub("", body)
    commas = bare.count(",") - bare.count(", ")
    return commas + 2 * bare.count("\t") + bare.count("|") + bare.count(";")


_NARROWEST_PROSE = 25  # characters of a line that was wrapped
_LONG_LINE = 50  # characters; before a small letter it was wrapped, whatever is around it
_FULL = 0.87  # of the width, with the first word of the next line


def _wrapped_lines(lines: _Lines, labels: list[int], whole: set[int]) -> list[bool]:
    """Return for each line whether it continues the line before it, which was wrapped.

    Lines of prose that was wrapped to a width mostly end without punctuation, where the next word
    would not have fitted, and the next line often starts with a lower-case letter.
    """
    bodies, ended, count = lines.bodies, lines.ended, len(lines.bodies)
    wrapped = [False] * count
    inner = [number for number in range(1, count) if not lines.blank[number]]
    if not inner:
        return wrapped
    firsts = [body[0] for body in bodies]
    letters = {first: first.islower() or _is_caseless(first) for first in {*firsts}}
    small = [*map(letters.__getitem__, firsts)]
    lengths = [*map(int.__add__, lines.indents, map(len, bodies))]
    widths = []  # of the text around each part: about one line in five is longer
    for at in range(0, count, _PART):
        around = sorted(lengths[max(0, at - _PART) : at + 2 * _PART])
        widths.append(around[-(len(around) // 5 + 1)])
    full = [False] * count
    goes_on = [False] * count
    for number in inner:
        word = bodies[number].find(" ", 0, 20)
        needed = lengths[number - 1] + 1 + (word if word > 0 else min(20, len(bodies[number])))
        full[number] = needed >= _FULL * widths[number // _PART]
        goes_on[number] = small[number] and not ended[number - 1]
    near = [not blank for blank in lines.blank]
    shares = zip(widths, *map(_shares, (goes_on, full, near)), strict=True)
    prose = [
        _NARROWEST_PROSE <= width <= _WIDEST
        and of_small >= 0.25 * of_inner
        and of_full >= 0.6 * of_inner
        for width, of_small, of_full, of_inner in shares
    ]
    for number in inner:
        before = number - 1
        if number in whole or before in whole:
            continue
        if labels[number]:
            others = labels[max(0, number - _PART) : number], labels[number + 1 : number + _PART]
            if not full[number] or ended[before] or any(map(any, others)):
                continue
        if not prose[number // _PART]:
            long = _LONG_LINE <= lengths[before] <= _WIDEST
            wrapped[number] = goes_on[number] and full[number] and long
        elif not ended[before]:
            wrapped[number] = full[number] or small[number]
        elif full[number] and lines.indents[number] <= lines.indents[before]:
            # A short line without punctuation, after a sentence and before a capital, is a title.
            wrapped[number] = (
                number + 1 == count
                or lengths[number] >= 0.6 * widths[number // _PART]
                or ended[number]
                or small[number]
                or small[number + 1]
            )
    unsure = [
        number
        for number in inner
        if not (wrapped[number] or prose[number // _PART] or ended[number - 1] or labels[number])
        and number not in whole
        and number - 1 not in whole
    ]
    for paragraph in _prose_around(unsure, lines, labels):
        inner = [number for number in paragraph[1:] if not ended[number - 1]]
        # Lines of verse, which begin with capitals, are shorter.
        fewest = _LINE_OF_TEXT if any(small[number] for number in inner) else _LONG_LINE
        least = max(fewest, _FULL * max(lengths[paragraph.start : paragraph.stop]))
        for number in inner:
            needed = lengths[number - 1] + 1 + len(bodies[number].split(None, 1)[0])
            wrapped[number] = wrapped[number] or small[number] or needed >= least
    return wrapped


def _is_caseless(first: str) -> bool:
    """Return whether a character is a letter of a script without lower case."""
    return not first.isascii() and first.isalpha() and first.lower() == first.upper()


_MARKED = re.compile(r"#{1,6}\s+\S|={2,}[!+]*\s*[\w,\"']|={3,}$|(?:!{3}|\?{3}\+?)\s?\w")
_RULE = re.compile(r"([=~^*+-])\1{2,}$")
_NAMED = re.compile(
    r"(?:chapter|section|part|appendix|annex|book|act|scene|article|stave|lesson|unit)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}(?=\.))\.?\s+[A-Z]")
_LONGEST_HEADING = 90  # characters
_MOST_WORDS = 12
_FEWEST_LETTERS = 3
_LINE_OF_TEXT = 40  # characters; a shorter line may be an item or another heading


def _headings(lines: _Lines, wrapped: list[bool], never: set[int]) -> tuple[set[int], set[int]]:
    """Return the headings, and the rules below titles."""
    bodies, blank = lines.bodies, lines.blank
    headings: set[int] = set()
    rules: set[int] = set()
    for number, body in enumerate(bodies):
        if body[0] in "=~^*+-" and number and not blank[number] and _RULE.match(body):
            title = number - 1
            boxed = title and not blank[title] and _RULE.match(bodies[title - 1])
            titled = bodies[title][-1] not in ".,;" and bodies[title][0] not in "[=~^*+-"
            if titled and (boxed or title == 0 or blank[title]):
                headings.add(title - 1 if boxed else title)
                rules |= {title, number} if boxed else {number}
    for number, body in enumerate(bodies[:-1]):
        if len(body) > _LONGEST_HEADING or wrapped[number] or number in never or number in rules:
            continue
        before = number - 1
        free = number == 0 or blank[number] or lines.ended[before]
        free = free or before in headings or bodies[before].isdigit()
        if _MARKED.match(body) or (free and _is_title(lines, number)):
            headings.add(number)
    return headings, rules


def _is_title(lines: _Lines, number: int) -> bool:
    """Return whether a line reads as a title, with text below it that it could belong to."""
    body, following = lines.bodies[number : number + 2]
    named = _NAMED.match(body) is not None
    if not named and (
        lines.ended[number]
        or body[-1] in ",-"
        or not (body[0].isupper() or body[0].isdigit())
        or len(body.split()) > _MOST_WORDS
        or speaker_end(body)
    ):
        return False
    letters = sum(map(str.isalpha, body))
    apart = lines.blank[number + 1]
    if letters < max(_FEWEST_LETTERS, (len(body) - body.count(" ")) / 2):
        return False
    if following[0].islower() and not apart:
        return False
    longer = len(following) >= max(_LINE_OF_TEXT, 1.5 * len(body))
    begins = number == 0 or lines.blank[number]
    if numbered := _NUMBERED.match(body):
        return longer or apart or following.startswith(f"{numbered[1]}.")  # "2.1" below "2."
    if body.partition("(")[0].isupper():  # or who speaks, in a play
        return longer or apart or (begins and not following.isupper())
    return named or (longer and (begins or len(lines.bodies[number - 1]) >= _LINE_OF_TEXT))


_QUESTION, _ANSWER = (
    re.compile(r"Q(?:uestion)?\s?\d*[:.]\s"),
    re.compile(r"A(?:nswer)?\s?\d*[:.]\s"),
)
_LONGEST_LEAD_IN, _LONGEST_LABEL = 120, 8  # characters


def _led_in(lines: _Lines, number: int) -> bool:
    """Return whether the line before leads to this one, as "as follows:" or a question does."""
    body, before, close = lines.bodies[number], lines.bodies[number - 1], not lines.blank[number]
    if before[0] == "Q" and _QUESTION.match(before) and _ANSWER.match(body):
        return True
    if before[-1] in ":?" and len(before) <= _LONGEST_LEAD_IN:
        return before[-1] == ":" or (close and (number == 1 or lines.blank[number - 1]))
    # A label on a line of its own.
    return len(before) <= _LONGEST_LABEL and label_end(f"{before} ") > len(before)
