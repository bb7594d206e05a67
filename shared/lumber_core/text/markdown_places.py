"""Places where a chunk of Markdown may start: its units, and sentences inside its prose.

The counterpart of `places` for Markdown: there is no place between a heading and the first block
below it, and none inside a table, code or HTML unless it is too long.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from lumber_core.text.markdown import LINE_BREAK, BlockKind, markdown_blocks
from lumber_core.text.places import Kind, Place, find_places, finer_places
from lumber_core.text.units import markdown

_KINDS: dict[BlockKind, Kind] = {"heading": Kind.HEADING, "list item": Kind.LINE}
_PROSE: tuple[BlockKind, ...] = ("paragraph", "list item", "quote")

_INSIDE = 3  # depth of a line inside a block: worth less than any sentence
_LED_IN = 3  # depth of a block below a paragraph that ends with a colon
_COLON = re.compile(r":[\s*_]*\Z")


def find_markdown_places(text: str, language: str = "en") -> list[Place]:
    """Find the headings, list items, other blocks and sentences of a Markdown text.

    Args:
        text: The text.
        language: ISO 639 code for finding sentences.

    Returns:
        Places in order, strictly inside the text. A list item is a line, any other block a
        paragraph. A block below a paragraph that ends with a colon is deeper.
    """
    blocks = markdown_blocks(text)
    starts = [block.start for block in blocks]
    units = {unit.start for unit in markdown(text)}
    known = {place.offset: place for place in find_places(text, language)}
    found = []
    for before, block in pairwise(blocks):
        if block.start in units:
            kind = _KINDS.get(block.kind, Kind.PARAGRAPH)
            like = known.get(block.start, Place(block.start, kind, block.start))
            led_in = not block.level and _COLON.search(
                text, max(before.start, before.end - 40), before.end
            )
            found.append(
                like._replace(kind=kind, depth=_LED_IN if led_in else 0, level=block.level)
            )
    for place in known.values():
        block = blocks[bisect_right(starts, place.offset) - 1]
        if place.kind is Kind.SENTENCE and block.kind in _PROSE and place.offset > block.start:
            found.append(place)
    return sorted(found)


def finer_markdown_places(text: str, start: int, stop: int) -> Iterator[list[Place]]:
    """Yield places inside a stretch that is too long: rows and lines first, then as in prose.

    The header of a table stays with its first row, and a heading with the text below it, unless
    that is too long as well.

    Args:
        text: The text.
        start: Where the stretch begins.
        stop: Where it ends.
    """
    body = text[start:stop]
    blocks = markdown_blocks(body)
    coded = any(block.kind == "code" for block in blocks)
    known = {place.offset: place for place in find_places(body)} if coded else {}
    rows = []
    for block in blocks:
        for row in block.rows:
            place = Place(row, Kind.LINE, row)
            if block.kind == "code":  # a line inside a statement is worth less
                place = known.get(row, place._replace(depth=_INSIDE))
            rows.append(place)
    yield [place._replace(offset=start + place.offset, words=start + place.words) for place in rows]
    lines = {block.start for block in blocks}
    for block in blocks:
        if block.kind not in _PROSE:
            ends = LINE_BREAK.finditer(body, block.start, block.end)
            lines.update(match.end() for match in ends if match.end() < block.end)
    at = sorted(start + line for line in lines if line)
    yield [Place(line, Kind.LINE, line, _INSIDE) for line in at]
    yield from finer_places(text, start, stop)
