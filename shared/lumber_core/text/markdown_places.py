"""Places where a chunk of Markdown may start: its units, and sentences inside its prose.

The counterpart of `places` for Markdown: there is no place between a heading and the first block
below it, none before a thematic break, and none inside a table, code or HTML unless it is too long.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from lumber_core.text.lines.code import is_edge_of_block
from lumber_core.text.lines.columns import label_end
from lumber_core.text.markdown import LINE_BREAK, Block, BlockKind
from lumber_core.text.place import Kind, Place, Places
from lumber_core.text.places import find_places, finer_places, sentence_starts

_KINDS: dict[BlockKind, Kind] = {"heading": Kind.HEADING, "list item": Kind.LINE}
_PROSE: tuple[BlockKind, ...] = ("paragraph", "list item", "quote")

_DEPTH_INSIDE_BLOCK = 3  # depth of a line inside a block: it scores less than any sentence
_DEPTH_AFTER_COLON = 3  # depth of a block below a paragraph that ends with a colon
_COLON = re.compile(r":[\s*_]*\Z")
_DEFINITION = re.compile(r"[ \t>]*:[ \t]")  # below the defined term
_INDENT = re.compile(r"[\s>]*")
_MAX_LABEL_CHARACTERS = 100


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
    for before, block in zip([blocks[0], *blocks], blocks, strict=False):  # the first is no place
        place = _place_of_block(text, before, block)
        headed = before.kind == "heading" or (headed and before.kind == "rule")
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
    """Yield places in a range that is too long: rows and lines first, then as in prose.

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
    yield Places.alike(sorted(lines), Kind.LINE, _DEPTH_INSIDE_BLOCK)
    yield from finer_places(text, start, stop)
