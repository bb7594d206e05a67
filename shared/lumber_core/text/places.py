"""Places where a chunk may start, each with its kind: sentences, lines, paragraphs, headings.

`find_places` finds the places that a reader would accept. If these are too far apart,
`finer_places` yields clauses and words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, repeat

from lumber_core.text.abbreviations import sentence_continues
from lumber_core.text.lines.code import is_edge_of_block
from lumber_core.text.lines.columns import Lines
from lumber_core.text.lines.line_starts import read_layout
from lumber_core.text.lines.tables import broken_cells, html_rows, outside
from lumber_core.text.place import Kind, Places
from lumber_core.text.unicode import breaks, space_cuts
from lumber_core.text.units import sentences, starts_of_sentences_and_lines

_QUOTED_BLANK = re.compile(r"[> \t]+(?:[\r\n]|\Z)")
_OBJECT = re.compile(r"\}(?:[,;]\s*|\s+)(?=\{)|>\s*(?=<t[dhr]\b)")  # in JSON; or a cell in HTML
_RECORD = re.compile(r"[}\])][,;]\s*(?=[\[{(])")
_WIDE = "\u3001\uff0c\uff1b\uff1a"  # CJK punctuation, which no space follows
_CLAUSE = re.compile(rf"([,;:\u2013\u2014)\]{_WIDE}]+)(\s*)(?=\S)")


def find_places(
    text: str, language: str = "en", begin: int = 0, edges: Sequence[int] = (), whole: bool = False
) -> Places:
    """Return the sentences, lines, paragraphs and headings strictly inside a text.

    There is no place at a line break in wrapped prose, between a heading and the text below it,
    after an abbreviation such as "No.", between a label and its item, inside a line of code, or
    inside a row of a table (also in HTML).

    Args:
        text: The text.
        language: ISO 639 code for finding sentences.
        begin: Offset of the text in the document; it is added to all returned offsets.
        edges: Offsets that divide the text for finding sentences, ascending.
        whole: Whether no place is inside a line, as in source code.
    """
    sentence_offsets = [
        start + at
        for start, end in pairwise([0, *edges, len(text)])
        for at in sentence_starts(text[start:end], language)
    ]
    layout = read_layout(text)
    # A line that begins inside a grapheme is no place.
    numbers = {layout.starts[number]: number for number in layout.kinds}
    begins = breaks(text, numbers)
    rows = html_rows(text)
    if rows:
        spans = [row.span for row in rows]
        sentence_offsets = outside(sentence_offsets, spans)
        firsts = {row.span.start for row in rows if row.number < 2}
        begins = [at for at in outside(begins, spans) if at not in firsts]
    if len(begins) < len(numbers):
        numbers = {at: numbers[at] for at in begins}
    in_line = {row.span.start for row in rows if row.number > 1}.difference(layout.starts)
    inside: list[int] = []  # where sentences start inside lines
    last = -1
    for at in sentence_offsets:
        number = bisect_right(layout.starts, at) - 1
        if number < 0:  # among the ">" of a quotation
            continue
        # The layout decides whether the start of a line is a place, unless the line was wrapped.
        # Then either its start or its first visible character is a place, not both.
        first_word = layout.first_words[number]
        wrapped = number in layout.wrapped and at <= first_word and last < layout.starts[number]
        if (wrapped or (at > first_word and not whole)) and number not in layout.whole:
            inside.append(at)
        last = at
    offsets = sorted({*numbers, *in_line, *inside})
    lines = [*map(numbers.get, offsets, repeat(-1))]
    kinds = [*map(layout.kinds.get, lines, repeat(Kind.LINE if whole else Kind.SENTENCE))]
    for at in in_line:
        kinds[bisect_left(offsets, at)] = Kind.LINE
    return Places(
        [begin + at for at in offsets],
        kinds,
        [
            begin + (at if n < 0 else layout.first_words[n])
            for at, n in zip(offsets, lines, strict=True)
        ],
        [*map(layout.depths.get, lines, repeat(0))],
        [*map(layout.levels.get, lines, repeat(0))],
    )


def places_in_rows(text: str, start: int, stop: int, language: str = "en") -> Iterator[Places]:
    """Yield places inside the rows of tables in a range, if any row has several lines."""
    body = text[start:stop]
    cells = broken_cells(body)
    if cells:
        places = (find_places(cell.of(body), language, start + cell.start) for cell in cells)
        yield Places.join(places)
    spans = [row.span for row in html_rows(body)]
    if spans:
        starts = Lines(body).starts
        inner = sorted({*breaks(body, starts)}.difference(outside(starts, spans)))
        yield Places.alike([start + at for at in inner], Kind.LINE)


def sentence_starts(text: str, language: str = "en") -> list[int]:
    """Return where sentences start inside a text, except after an abbreviation such as "No."."""
    return [
        at
        for at in starts_of_sentences_and_lines(text, language)
        if at
        and not (text[at] == ">" and _QUOTED_BLANK.match(text, at))
        and not sentence_continues(text, at, language)
    ]


def finer_places(text: str, start: int, stop: int) -> Iterator[Places]:
    """Yield places inside a range, level by level: objects, sentences, records, clauses, words."""
    body = text[start:stop]
    levels: tuple[tuple[Kind, Callable[[str], list[int]]], ...] = (
        (Kind.SENTENCE, partial(_cuts_after, _OBJECT)),
        (Kind.CLAUSE, lambda body: [sentence.start for sentence in sentences(body)]),
        (Kind.CLAUSE, partial(_cuts_after, _RECORD)),
        (Kind.CLAUSE, _clause_cuts),
        (Kind.WORD, space_cuts),
    )
    for kind, cuts in levels:
        offsets = cuts(body)
        inside = offsets[bisect_right(offsets, 0) : bisect_left(offsets, len(body))]
        if "{" in body or "*/" in body:
            inside = [cut for cut in inside if not is_edge_of_block(body, cut)]
        yield Places.alike([start + cut for cut in inside] if start else inside, kind)


def _clause_cuts(text: str) -> list[int]:
    """Return where clauses start inside `text`: after a run of punctuation and white space."""
    # The pattern reads each run once. Trying each character of a run would take quadratic time.
    runs = _CLAUSE.finditer(text)
    return breaks(text, (run.end() for run in runs if run[2] or run[1][-1] in _WIDE))


def _cuts_after(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return the offset just past each match of a pattern."""
    return breaks(text, map(re.Match.end, pattern.finditer(text)))
