"""Places where a chunk may start, each with its kind: sentences, lines, paragraphs, headings.

`find_places` finds the places that a reader would accept. If these are too far apart,
`finer_places` yields clauses and words. In Markdown, places are the blocks, and sentences inside
its prose: there is no place between a heading and the first block below it, before a thematic
break, or inside a table, code or HTML that is not too long.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, repeat

from lumber_core.spans import outside
from lumber_core.text.full_stops import sentence_continues
from lumber_core.text.lines.code import is_edge_of_block
from lumber_core.text.lines.columns import Lines, broken_cells, label_end
from lumber_core.text.lines.line_starts import Layout, read_layout
from lumber_core.text.lines.tables import html_rows
from lumber_core.text.markdown import LINE_BREAK, Block, BlockKind
from lumber_core.text.place import Kind, Place, Places
from lumber_core.text.sentence_starts import starts_of_sentences
from lumber_core.text.unicode import breaks, space_cuts
from lumber_core.text.units import starts_of_marked_lines

# A blank line of a quote, or the end of a block, as in ":::".
_NO_SENTENCE = re.compile(r"(?:[> \t]+|:{3,}[ \t]*|/{3,}[ \t]*)(?:[\r\n]|\Z)")
_OBJECT = re.compile(r"\}(?:[,;]\s*|\s+)(?=\{)|>\s*(?=<t[dhr]\b)")  # in JSON; or a cell in HTML
_RECORD = re.compile(r"[}\])][,;]\s*(?=[\[{(])")
_WIDE = "\u3001\uff0c\uff1b\uff1a"  # CJK punctuation, which no space follows
_KINDS: dict[BlockKind, Kind] = {"heading": Kind.HEADING, "list item": Kind.LINE}
_PROSE: tuple[BlockKind, ...] = ("paragraph", "list item", "quote")

_DEPTH_INSIDE_BLOCK = 3  # depth of a line inside a block: it scores less than any sentence
_DEPTH_AFTER_COLON = 3  # depth of a block below a paragraph that ends with a colon
_COLON = re.compile(r"(?<!:):[\s*_]*\Z")
# A title or question in bold, or a question before its answer.
_TITLE = re.compile(r"[ \t]*(?:\*\*[^*\n]{1,120}\*\*:?|Q(?:uestion)? ?\d*: [^\n]{1,200}\?)\s*")
_DEFINITION = re.compile(r"[ \t>]*:[ \t]")  # below the defined term
_INDENT = re.compile(r"[\s>]*")
_MAX_LABEL_CHARACTERS = 100  # at the start of a block, which are searched for a label
_CLAUSE = re.compile(rf"([,;:\u2013\u2014)\]{_WIDE}]+)(\s*)(?=\S)")


def find_places(
    text: str,
    language: str = "en",
    begin: int = 0,
    edges: Sequence[int] = (),
    whole: bool = False,
    layout: Layout | None = None,
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
        layout: The layout of the text, if the caller has read it.
    """
    sentence_offsets = [
        start + at
        for start, end in pairwise([0, *edges, len(text)])
        for at in sentence_starts(text[start:end], language)
    ]
    layout = layout or read_layout(text, whole)
    # A line that begins inside a grapheme is not a place.
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
    words = [at if n < 0 else layout.first_words[n] for at, n in zip(offsets, lines, strict=True)]
    first_words = [begin + at for at in words]
    by_line = (layout.depths, layout.levels)
    depths, levels = ([*map(values.get, lines, repeat(0))] for values in by_line)
    return Places([begin + at for at in offsets], kinds, first_words, depths, levels)


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
        yield Places.of_kind([start + at for at in inner], Kind.LINE)


def sentence_starts(text: str, language: str = "en") -> list[int]:
    """Return where sentences start inside a text, except after an abbreviation such as "No."."""
    starts = {*starts_of_sentences(text, language)}
    lines = starts_of_marked_lines(text)
    starts |= {
        at for at in lines if at not in starts and not sentence_continues(text, at, language)
    }
    return [
        at
        for at in sorted(starts - {0})
        if not (text[at] in ">:/" and _NO_SENTENCE.match(text, at))
    ]


def finer_places(text: str, start: int, stop: int) -> Iterator[Places]:
    """Yield places inside a range, level by level: objects, sentences, records, clauses, words."""
    body = text[start:stop]
    levels: tuple[tuple[Kind, Callable[[str], list[int]]], ...] = (
        (Kind.SENTENCE, partial(_cuts_after, _OBJECT)),
        (Kind.CLAUSE, starts_of_sentences),
        (Kind.CLAUSE, partial(_cuts_after, _RECORD)),
        (Kind.CLAUSE, _clause_cuts),
        (Kind.WORD, space_cuts),
    )
    for kind, cuts in levels:
        offsets = cuts(body)
        inside = offsets[bisect_right(offsets, 0) : bisect_left(offsets, len(body))]
        if "{" in body or "*/" in body:
            inside = [cut for cut in inside if not is_edge_of_block(body, cut)]
        yield Places.of_kind([start + cut for cut in inside] if start else inside, kind)


def _clause_cuts(text: str) -> list[int]:
    """Return where clauses start inside `text`: after a run of punctuation and white space."""
    # The pattern reads each run once. Trying each character of a run would take quadratic time.
    runs = _CLAUSE.finditer(text)
    return breaks(text, (run.end() for run in runs if run[2] or run[1][-1] in _WIDE))


def _cuts_after(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return the offset just past each match of a pattern."""
    return breaks(text, map(re.Match.end, pattern.finditer(text)))


def find_markdown_places(text: str, blocks: Sequence[Block], language: str = "en") -> Places:
    """Return headings, list items, other blocks and sentences strictly inside consecutive blocks.

    A list item is a line, and any other block is a paragraph. A block after a thematic break is a
    heading without a level. A block below a paragraph that ends with a colon is deeper.
    """
    if not blocks:
        return Places.of(())
    begin, end = blocks[0].start, blocks[-1].end
    starts = [begin + at for at in sentence_starts(text[begin:end], language)]
    places: list[Place] = []
    headed = False  # whether only thematic breaks are between a heading and this block
    last = 0
    for before, block in zip(
        [blocks[0], *blocks], blocks, strict=False
    ):  # the first is not a place
        place = _place_of_block(text, before, block)
        headed = before.kind == "heading" or (headed and before.kind == "rule")
        if before.kind == "paragraph" and block.kind not in ("heading", "rule"):
            headed |= _TITLE.fullmatch(text, before.start, before.end) is not None
        if not headed and block.kind != "rule" and block is not blocks[0]:
            places.append(place)
        first = bisect_right(starts, place.first_word, last)
        last = bisect_left(starts, block.end, last)
        if block.kind in _PROSE:
            places += (Place(at, Kind.SENTENCE, at) for at in starts[first:last])
    return Places.of(places)


def _place_of_block(text: str, before: Block, block: Block) -> Place:
    """Return the place at the start of a block, with its first word past bullets and labels."""
    indent = _INDENT.match(text, block.start, block.end)
    body = indent.end() if indent else block.start
    line = text[body : min(body + _MAX_LABEL_CHARACTERS, block.end)].split("\n", 1)[0].rstrip()
    first_word = body + label_end(line)
    kind = Kind.HEADING if before.kind == "rule" else _KINDS.get(block.kind, Kind.PARAGRAPH)
    begin = max(before.start, before.end - 40)
    led_in = not block.level and (
        _COLON.search(text, begin, before.end) or _DEFINITION.match(text, block.start)
    )
    return Place(block.start, kind, first_word, _DEPTH_AFTER_COLON if led_in else 0, block.level)


def finer_markdown_places(text: str, blocks: Sequence[Block]) -> Iterator[Places]:
    """Yield places in a range that is too long: rows and lines, then the places of prose.

    The header of a table stays with its first row, and a heading with the text below it, unless
    that is too long as well. The first and the last block may be parts of blocks.
    """
    if not blocks:
        return
    start, stop = blocks[0].start, blocks[-1].end
    coded = any(block.kind == "code" for block in blocks)
    body = find_places(text[start:stop], begin=start) if coded else ()
    in_code = {place.offset: place for place in body}
    rows = []
    for block in blocks:
        for row in block.rows:
            place = Place(row, Kind.LINE, row)
            if block.kind == "code":  # a line inside a statement scores less
                if row not in in_code and is_edge_of_block(text, row):
                    continue
                place = in_code.get(row, place._replace(depth=_DEPTH_INSIDE_BLOCK))
            rows.append(place)
    yield Places.of(rows)
    lines = {block.start for block in blocks[1:]}
    for block in blocks:
        if block.kind not in _PROSE:
            ends = LINE_BREAK.finditer(text, block.start, block.end)
            cuts = (match.end() for match in ends if match.end() < block.end)
            lines.update(cut for cut in cuts if not is_edge_of_block(text, cut))
    yield Places.of_kind(sorted(lines), Kind.LINE, _DEPTH_INSIDE_BLOCK)
    yield from finer_places(text, start, stop)
