"""Sentences, items and rows: the smallest parts of a passage.

A rule, a heading or the header of a table means nothing without the text below it, so no part ends
with it. A small table is read whole if it fits. Chunks are divided when they are indexed.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

import regex

from lumber_core.spans import Span, outside
from lumber_core.text.captions import is_captions, read_cues, speech, spoken_text
from lumber_core.text.lines.tables import rows_of
from lumber_core.text.markdown import FRONT_MATTER, HIDDEN, HIDDEN_SIGNS
from lumber_core.text.sentence_starts import starts_of_sentences
from lumber_core.text.structured import HIDDEN_LINES, MARKUPS, NESTED, markup_headings
from lumber_core.text.units import sentences
from lumber_retrieval.hits import Sentence, StoredSentences
from lumber_retrieval.words.keywords import count_words, count_written

_MAX_SMALL_TABLE_ROWS = 10
"""Maximum number of rows of a small table, which is read whole."""
_MIN_WORDS = 3
"""Minimum number of words of a passage: fewer are a label, a name or a number. Two are enough in
code, or if they end like a sentence."""

_MAX_SPOKEN_WORDS = 60  # words of a sentence of captions: longer sentences lack punctuation
_ROW_REACH = 4_000
"""Characters on either side of a chunk of a CSV file that are searched for the rest of its rows."""
_MAX_CACHED_CHARACTERS = 4_000
_CACHED_TEXTS = 2_000
"""Characters of the longest text whose sentences are cached, and how many such texts: a chunk with
the rest of its lines has about 300, which makes 3 MB."""

_THREE_WORDS = re.compile(r"(?<![^\W_])(?:[^\W_]+[\W_]+){2}[^\W_]")
_LETTERS_AND_DIGITS = re.compile(r"[^\W_]+")
_PART_OF_NAME = re.compile(r"[A-Z]?[^\W_A-Z]+|[A-Z]+")  # "startServer();" has two parts
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ROW_SIGNS = ("<t", "\t", '",', ',"')  # rows that do not begin with "|" contain one of these
_SENTENCE_END = regex.compile(r"\p{Sentence_Terminal}\W*$")
# Code in a fence that states the language.
_CODE = r"^[ \t>]*`{3,}[ \t]*[\w{.][^`\n]*\n(?s:.)*?(?:^[ \t>]*`{3}|\Z)"
_HEADING = re.compile(
    rf"{_CODE}|^(?P<heading>[ \t>]*(?:#{{1,6}}(?:[ \t\r].*)?$|<h[1-6]\b.*)"
    # A question above its answer.
    r"|(?:\*\*[^*\n]{1,120}\?\*\*|Q(?:uestion)? ?\d*: [^\n]{1,200}\?)[ \t\r]*$"
    r"|(?<!\S\n)(?<!\S\r\n) {0,3}\w[^\n|]*\n {0,3}(?:={3,}|-{3,})[ \t\r]*$)",  # underlined
    re.MULTILINE,
)
_HIDDEN = {
    kind: re.compile(rf"{_CODE}|(?P<hidden>{HIDDEN}|^{lines})", re.MULTILINE)
    for kind, lines in HIDDEN_LINES.items()
}
_HIDDEN_IN_TEXT = re.compile(rf"{_CODE}|(?P<hidden>{HIDDEN})", re.MULTILINE)
# Comments of Obsidian, also the settings and drawings of its plugins.
_PERCENT = r"^%%(?!%)(?:(?!%%)(?s:.))*%%[ \t]*$|(?<!\S)%%[^\s%][^%\n]*%%(?!\S)"
_HIDDEN["markdown"] = re.compile(rf"{_CODE}|(?P<hidden>{HIDDEN}|{_PERCENT})", re.MULTILINE)
# The line that begins a note: "!!! tip", "::: warning", "/// note | Ropes", ".. note::".
_OPENING = re.compile(
    rf"{_CODE}|^(?P<opening>[ \t>]*(?:(?:!!!|\?\?\?\+?|:{{3,}}|/{{3}})[ \t]*\{{?\w.*"
    r"|\.\.[ \t]+(?:admonition|attention|caution|danger|error|hint|important|note|seealso|tip|topic"
    r"|warning)::.*)$)",
    re.MULTILINE,
)
_VISIBLE = re.compile(r"\S")
_HEADING_SIGNS = ("#", "<h", "===", "---", "?**", "Q:", "Question")  # every heading contains one
# Two lines with "#" next to each other are comments, as in settings, because headings have text
# between them.
_COMMENTS = re.compile(r"^[ \t]*#(?:[ \t].*)?\n[ \t]*#(?:[ \t]|$)", re.MULTILINE)
_CONTENT = re.compile(r"\S|\Z")
_FENCE = re.compile(r"[ \t>]*`{3,}\s*$")  # where code begins, a part begins
_ROW = re.compile(r"^[ \t>]*\|", re.MULTILINE)
# The first line of a paragraph: "HAMLET." in plays, "Data analysis." in papers.
_TITLE_ABOVE = re.compile(r"[^\W\d_a-z][\w'-]*(?: [\w'-]+){0,2}\.\n[ \t]*")
_DIVIDER = re.compile(r"[ \t>|:]*-[ \t>|:-]*$")
_DIVIDER_AFTER = re.compile(r"[ \t]*\n[ \t>]*\|[ \t|:]*-[ \t|:-]*$", re.MULTILINE)
# The rest of the header of a table, and the line of dashes below it.
_DIVIDER_BELOW = re.compile(rf"[^\n]{{0,2000}}\|{_DIVIDER_AFTER.pattern}", re.MULTILINE)


class DividedText(NamedTuple):
    """A document whose chunks are divided into sentences."""

    text: str
    kind: str  # see `Source.kind`
    cues: list[int]  # where the cues of captions start, after 0; empty for other texts
    count: Callable[[str], int]  # counts words

    @classmethod
    def of_kind(cls, text: str, kind: str) -> DividedText:
        """Return a document of some kind."""
        if is_captions(text, kind):
            return cls(text, kind, [0, *(cue.span.start for cue in read_cues(text))], count_words)
        return cls(text, kind, [], count_written)


def divide_chunks(document: DividedText, chunks: Sequence[Span], language: str) -> list[list[int]]:
    """Return the places of the sentences of all chunks of a document, for `chunk_sentences`.

    The first two numbers are the range of the text in which they were found. Three follow for each
    sentence: its start, its end, and whether it has content. All count from the chunk's start.
    """
    divided, last = [], len(chunks) - 1
    for place, chunk in enumerate(chunks):
        limits = chunks[max(place - 1, 0)].start, chunks[min(place + 1, last)].end
        around = _range_around(chunk, limits, document)
        numbers = [*around.shift(-chunk.start)]
        for span, _, full in _sentences_around(chunk, around, document, language):
            numbers += [*span.shift(-chunk.start), int(full)]
        divided.append(numbers)
    return divided


def chunk_sentences(
    chunk: Span,
    limits: tuple[int, int],
    document: DividedText,
    language: str,
    stored: StoredSentences | None,
) -> Sequence[Sentence]:
    """Return the sentences of a chunk, with their places in its document.

    A sentence may begin before the chunk or end after it, within `limits`. Stored places are used
    if they were found in the same range.
    """
    stored = stored or StoredSentences()
    places, last = stored.places, stored.last_read  # other threads may replace `last_read`
    if last is None or last[0] != limits:
        text, start, around = document.text, chunk.start, _range_around(chunk, limits, document)
        if places and around == (start + places[0], start + places[1]):
            numbers = zip(places[2::3], places[3::3], places[4::3], strict=True)
            spans = ((Span(start + first, start + last), full) for first, last, full in numbers)
            parts = [Sentence(span, text[span[0] : span[1]], full > 0) for span, full in spans]
        else:
            parts = _sentences_around(chunk, around, document, language)
        stored.last_read = last = limits, parts
    return last[1]


def _sentences_around(
    chunk: Span, around: Span, document: DividedText, language: str
) -> list[Sentence]:
    text, kind, cues, _ = document
    parts = sentences_of(around.of(text), language, kind, spoken=bool(cues))
    shifted = (part._replace(span=part.span.shift(around.start)) for part in parts)
    return [part for part in shifted if part.span.start < chunk.end and part.span.end > chunk.start]


def _range_around(chunk: Span, limits: tuple[int, int], document: DividedText) -> Span:
    """Return a chunk with the rest of its first and last lines, which may complete its sentences.

    If the chunk ends in the header of a table, the line of dashes below it is included.
    """
    text, kind, cues, _ = document
    lowest, highest = limits
    if kind == "csv":  # a wide row has several chunks
        lowest, highest = max(0, lowest - _ROW_REACH), min(len(text), highest + _ROW_REACH)
    if kind in NESTED:
        return chunk
    if cues:  # a cue begins with its times
        return Span(cues[bisect_right(cues, lowest) - 1], highest)
    start = text.rfind("\n", lowest, chunk.start) + 1
    end = text.find("\n", chunk.end, highest)
    end = highest if end < 0 else end
    header = _DIVIDER_BELOW.match(text, end)
    return Span(max(start, lowest), header.end() if header else end)


def headings_in(text: str, kind: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Span]:
    """Yield the headings in a range of a text; see `Source.kind`. Code and data have none."""
    if kind in MARKUPS:
        yield from (Span(*heading.span()) for heading in markup_headings(text, kind, start, end))
    elif kind not in NESTED and any(map(text[start:end].__contains__, _HEADING_SIGNS)):
        # Matches include code, whose comments are not headings.
        headings = _HEADING.finditer(text, start, end)
        yield from (Span(*match.span()) for match in headings if match.lastgroup)


def begins_with_heading(text: str, kind: str) -> bool:
    """Return whether a text begins with a heading."""
    first = next(headings_in(text, kind), None)
    return first is not None and first.start == 0


def sentences_of(
    text: str, language: str, kind: str = "text", *, spoken: bool = False
) -> tuple[Sentence, ...]:
    """Return the sentences of a text of some kind; see `Source.kind`.

    White space, comments, rules, and final headings and table headers are left out. A heading, the
    line that begins a note and the number of an item belong to the sentence after them, a link in
    parentheses to the sentence before it. A row of a table is not divided, nor a line of code or
    data. Two lines that begin with "#" are comments. If `spoken`, sentences continue over cues.
    """
    find = _find_sentences if len(text) > _MAX_CACHED_CHARACTERS else _cached_sentences
    return find(text, language, kind, spoken)


def _find_sentences(text: str, language: str, kind: str, spoken: bool) -> tuple[Sentence, ...]:
    whole_lines = kind in NESTED
    commented = not whole_lines and "#" in text and _COMMENTS.search(text)
    headings = [] if commented else [*headings_in(text, kind)]
    if not whole_lines:
        openings = (Span(*at.span()) for at in _OPENING.finditer(text) if at["opening"])
        headings = sorted({*headings, *openings})
    maybe_hidden = kind in HIDDEN_LINES or any(map(text.__contains__, (*HIDDEN_SIGNS, "%%")))
    hidden = _HIDDEN.get(kind, _HIDDEN_IN_TEXT)
    shown = hidden.sub(_blank_hidden, text) if maybe_hidden and not whole_lines else text
    starts = [0]
    for before, start in pairwise(starts_of_sentences(text, language)):
        line = text.rfind("\n", 0, start) + 1
        is_link = text.startswith("([", start)  # a link to the subject of the sentence before
        inside_line = (whole_lines or is_link) and bool(text[line:start].strip())
        words = text[before:start].lstrip()
        is_number = not any(map(str.isalpha, words))  # the number of an item
        headed = words.startswith(("#", "<h"))  # a heading, or a comment, which stays with its code
        if _TITLE_ABOVE.fullmatch(words) and text[start].isalnum():
            headed |= not before or text.endswith("\n\n", 0, before)
        if not (inside_line or headed or is_number or _ROW.match(text, line, start)):
            starts.append(start)
    below = -1  # where the text below the last heading starts
    for heading in headings:
        begin = [heading.start] if heading.start > below else []
        below = next(_CONTENT.finditer(shown, heading.end)).start()
        starts[bisect_left(starts, heading.start) : bisect_right(starts, below)] = begin
    if kind == "markdown" and (matter := FRONT_MATTER.match(text)):  # front matter is one part
        starts[bisect_right(starts, 0) : bisect_right(starts, matter.end())] = [matter.end()]
    if spoken and read_cues(text):
        starts = _starts_in_speech(text, language)
    elif any(map(text.__contains__, _ROW_SIGNS)):
        rows = rows_of(text)
        row_starts = (row.start for row in rows if not _ROW.match(text, row.start))
        starts = sorted({0, *outside(starts, rows), *row_starts})
    by_end = {heading.strip(text).end: heading.start for heading in headings}
    parts = (_trim(shown, start, end, by_end) for start, end in pairwise([*starts, len(text)]))
    not_empty = (
        (part, part.of(text), part.of(shown))
        for part in parts
        if part.start < part.end and not _DIVIDER_AFTER.match(text, part.end)
    )
    headed_starts = {*by_end.values()}
    two_words = whole_lines or bool(commented)
    return tuple(
        Sentence(
            part,
            sentence,
            has_content(visible, kind)
            if part.start in headed_starts
            else _has_words(spoken_text(visible) if spoken else visible, two_words),
        )
        for part, sentence, visible in not_empty
    )


def _blank_hidden(match: re.Match[str]) -> str:
    return _VISIBLE.sub(" ", match[0]) if match["hidden"] else match[0]


def _starts_in_speech(text: str, language: str) -> list[int]:
    """Return where sentences of captions begin, and each cue in long or unfinished sentences."""
    spoken = speech(text)
    firsts = [cue.span.start for cue in read_cues(text) if cue.span.of(spoken).strip()] or [0]
    above = spoken[: firsts[0]]  # a title or a summary, whose line breaks stay
    spoken = above + spoken[firsts[0] :].replace("\r", " ").replace("\n", " ")
    starts = {firsts[0]} if above.strip() else set[int]()
    for start, end in sentences(spoken, language):
        sentence = spoken[start:end]
        cue = firsts[max(0, bisect_right(firsts, start) - 1)]
        starts.add(start if spoken[min(cue, start) : max(cue, start)].strip() else cue)
        if count_words(sentence) > _MAX_SPOKEN_WORDS or not _SENTENCE_END.search(sentence):
            starts.update(firsts[bisect_right(firsts, start) : bisect_left(firsts, end)])
    return sorted(starts)


_cached_sentences = lru_cache(maxsize=_CACHED_TEXTS)(_find_sentences)


def has_content(text: str, kind: str = "text") -> bool:
    """Return whether a text has a sentence, an item or a row: more than headings and a label."""
    edges = [0, *chain.from_iterable(headings_in(text, kind)), len(text)]
    between = (text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return _has_words("".join(between), kind in NESTED)


def _has_words(text: str, two_are_enough: bool) -> bool:
    if "<" in text and not ("`" in text or two_are_enough):  # tags in code are content
        text = _TAG.sub(" ", text)
    words = 0
    parts = _PART_OF_NAME if two_are_enough else _LETTERS_AND_DIGITS
    for line in text.splitlines():
        if _THREE_WORDS.search(line):
            return True
        words += sum(map(count_written, parts.findall(line)))
        almost = words == _MIN_WORDS - 1
        if words >= _MIN_WORDS or (almost and (two_are_enough or _SENTENCE_END.search(line))):
            return True
    return False


def small_table(text: str, part: Span) -> Span | None:
    """Return the place of the small table that has a row in a part of a text.

    None if the part has no row that begins with "|", or the table has no header or more than ten
    rows.
    """
    first_line = text.rfind("\n", 0, part.start) + 1
    row = _ROW.search(text, first_line, part.end)
    if row is None:
        return None
    start = end = row.start()
    lines = 0
    while start and lines <= _MAX_SMALL_TABLE_ROWS + 2:
        before = text.rfind("\n", 0, start - 1) + 1
        if not _ROW.match(text, before):
            break
        start, lines = before, lines + 1
    while end < len(text) and lines <= _MAX_SMALL_TABLE_ROWS + 2 and _ROW.match(text, end):
        after = text.find("\n", end)
        end, lines = (len(text) if after < 0 else after + 1), lines + 1
    table = Span(start, end).strip(text)
    rows = table.of(text).splitlines()
    if 2 < len(rows) <= _MAX_SMALL_TABLE_ROWS + 2 and _DIVIDER.match(rows[1]):
        return table
    return None


def _trim(text: str, start: int, end: int, headings: Mapping[int, int]) -> Span:
    """Return a part without blanks and rules at its ends, or final headings and table headers.

    `headings` has the start of each heading by its end.
    """
    part = text[start:end]
    below = part.lstrip()
    body = below.rstrip()
    first = end - len(below)
    is_line = "|" not in body and len(body.splitlines()) == 1
    if is_line and first + len(body) not in headings and not _is_blank_or_rule(body):
        return Span(first, first + len(body))
    lines = part.splitlines(keepends=True)
    above = 0
    while above < len(lines) and _is_blank_or_rule(lines[above]) and start not in headings.values():
        if _FENCE.match(lines[above]) and not "".join(lines[above + 1 : above + 2]).isspace():
            break
        start += len(lines[above])
        above += 1
    lines = lines[above:]
    while lines:
        line = lines[-1]
        heading = headings.get(end - len(line) + len(line.rstrip()))
        header = "|" in line and _DIVIDER.match(line.rstrip())
        ends_code = len(lines) > 1 and _FENCE.match(line) and not lines[-2].isspace()
        if heading is not None:
            while lines and end > heading:
                end -= len(lines.pop())
            continue
        if header and len(lines) > 1:  # the row of names is above the divider
            end -= len(lines.pop())
        elif not (header or _is_blank_or_rule(line)) or ends_code:
            break
        end -= len(lines.pop())
    return Span(start, end).strip(text)


def _is_blank_or_rule(line: str) -> bool:
    """Return whether a line is blank or a rule: "---", "* * *", ">", but no row of a table."""
    return "|" not in line and not any(map(str.isalnum, line))
