"""Finds the styles of a text in Markdown, and the syntax characters that apply them.

A page hides these characters and applies the styles. So its text is the document's, character by
character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from lumber_core.spans import Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

HIDDEN_STYLE = "hidden"
"""The style of syntax characters, such as "**", and of page breaks."""


class StyleRange(NamedTuple):
    """A range of a text with a style."""

    span: Span
    style: str  # `HIDDEN_STYLE`, "bullet", "strong", "em", "s", "link" or "code"


_BLOCK_SYNTAX = {
    "heading": re.compile(r"\A\s*#+[ \t]*|[ \t]+#+\s*\Z|^[ \t]*(?:=+|-+)\s*\Z", re.MULTILINE),
    "quote": re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE),
    "code": re.compile(r"\A\s*(?:`{3}|~{3}).*[\r\n]*|^[ \t]*(?:`{3,}|~{3,})\s*\Z", re.MULTILINE),
    "rule": re.compile(r"(?s).+"),
}
_BULLET = re.compile(r"\s*([-*+])(?=\s)")
_PROSE = {"heading", "paragraph", "list item", "quote"}
_SYNTAX = re.compile(r"[*_`~\[\\]")
_BAR = re.compile(r"(?<!\\)\|")
_DIVIDER = re.compile(r"[ \t]*\|?[ \t]*:?-[-:| \t]*[\r\n]*")
_STYLES = {"link_open": "link", "code_inline": "code"}


def find_styles(text: str, kind: str, block: Span) -> Iterator[StyleRange]:
    """Yield the styled ranges of a block of Markdown, or of a part of it; they may overlap."""
    within, begins = block.of(text), block.start
    for page_break in re.finditer("\f", within):
        yield StyleRange(Span(*page_break.span()).shift(block.start), HIDDEN_STYLE)
    if pattern := _BLOCK_SYNTAX.get(kind):
        for match in pattern.finditer(within):
            yield StyleRange(Span(*match.span()).shift(block.start), HIDDEN_STYLE)
            if match.start() == 0:
                begins += match.end()
    bullet = _BULLET.match(within) if kind == "list item" else None
    if bullet:
        yield StyleRange(Span(*bullet.span(1)).shift(block.start), "bullet")
        begins += bullet.end()
    if kind in _PROSE:
        yield from _inline(text, Span(begins, block.end))


def styled_rows(text: str, table: Span) -> Iterator[tuple[list[Span], list[StyleRange]]]:
    """Yield the cells of each row of a table, or of some rows, and the styled ranges in them.

    Cells tile the row, each with the bar before it. The delimiter row is one cell.
    """
    end = table.start
    for line in table.of(text).splitlines(keepends=True):
        row = Span(end, end + len(line))
        end = row.end
        if not line.strip() or _DIVIDER.fullmatch(line):
            yield [row], [StyleRange(row, HIDDEN_STYLE)]
            continue
        bars = [row.start + match.start() for match in _BAR.finditer(line)]
        edges = [
            bar for bar in bars if text[row.start : bar].strip() and text[bar + 1 : end].strip()
        ]
        cells = [Span(*ends) for ends in pairwise([row.start, *edges, end])]
        hidden = [StyleRange(Span(bar, bar + 1), HIDDEN_STYLE) for bar in bars]
        inline = [styled for cell in cells for styled in _inline(text, cell)]
        yield cells, [*hidden, *inline]


def strip_syntax(title: str) -> str:
    """Return the title of a heading without syntax characters."""
    full_span = Span(0, len(title))
    hidden = [span for span, style in _inline(title, full_span) if style == HIDDEN_STYLE]
    edges = [0, *(edge for span in hidden for edge in span), len(title)]
    return "".join(title[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


def _inline(text: str, block: Span) -> Iterator[StyleRange]:
    """Yield emphasis, links and code of a block, and their syntax characters."""
    if not _SYNTAX.search(text, *block):
        return
    (parsed,) = _parser().parseInline(block.of(text))
    styles: list[str] = []
    position, sure = block.start, True
    for token in parsed.children or ():
        if token.nesting:
            if token.nesting > 0:
                styles.append(_STYLES.get(token.type, token.tag))
            else:
                styles.pop()
            continue
        visible = "\n" if token.type == "softbreak" else token.content
        start = text.find(visible, position, block.end)
        if start < 0:  # the parser has changed this text: show it with its syntax
            sure = False
            continue
        if sure and start > position:
            yield StyleRange(Span(position, start), HIDDEN_STYLE)
        position, sure = start + len(visible), True
        token_styles = [_STYLES[token.type]] if token.type in _STYLES else []
        for style in {*styles, *token_styles}:
            yield StyleRange(Span(start, position), style)
    rest = Span(position, block.end).strip(text)
    if sure and rest.start < rest.end:
        yield StyleRange(rest, HIDDEN_STYLE)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # deferred: only pages need it

    return MarkdownIt("commonmark").enable("strikethrough").disable(["entity", "text_join"])
