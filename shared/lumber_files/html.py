"""Converts HTML to Markdown in one pass over the parser's events.

The parser is libxml2, through lxml. It closes what a page leaves open as browsers do; given events
instead of a tree, it takes linear time and has no limit of depth, whatever the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_UNSEEN = frozenset(
    ("script", "style", "template", "noscript", "head", "svg", "img", "iframe", "select")
)
_BLOCKS = frozenset(
    (
        *("html", "body", "p", "div", "section", "article", "main", "header", "footer", "aside"),
        *("address", "figure", "figcaption", "details", "summary", "form", "fieldset", "legend"),
        *("center", "caption", "dl", "dt", "dd", "tr", "thead", "tbody", "tfoot", "hgroup"),
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# These end a heading that a page leaves open; other blocks in a heading are part of it.
_NO_HEADING = frozenset(("p", "ul", "ol", "table", "pre", "blockquote", "hr"))
_MARKS = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("em", "i"), "*"),
    **dict.fromkeys(("del", "s"), "~~"),
    **dict.fromkeys(("code", "kbd", "samp"), "`"),
    "q": '"',
}
_CONTAINERS = frozenset(("ul", "ol", "li", "blockquote", "table", "td", "th"))
# Lists, quotes and tables inside as many others are read as their content: each level repeats the
# text of those inside, so without a limit a hostile page would take quadratic time.
_DEEPEST = 30
_MOST_COLUMNS = 30  # of one cell, as a page may ask for any number

_SPACE = re.compile(r"[ \t\r\n\f]+")
_SPACES = re.compile(" +")
_WORD = re.compile(r"\w+")
_TICKS = re.compile(r"`+")


@dataclass
class _Block:
    """A part of the page: a paragraph, list or table.

    Attributes:
        text: Its Markdown.
        kind: "text", "heading", "item", "list", "quote", "table" or "code".
        linked: Whether all its words are links to other pages.
    """

    text: str
    kind: str = "text"
    linked: bool = False


@dataclass
class _Container:
    """What is inside a list, an item, a quote, a table or a cell.

    Attributes:
        tag: Its tag; "" for the page.
        blocks: Its blocks so far.
        number: Of an ordered list: the number of the next item.
        rows: Of a table: the cells of its rows, each a container.
        span: Of a cell: the number of its columns.
    """

    tag: str = ""
    blocks: list[_Block] = field(default_factory=list)
    number: int | None = None
    rows: list[list[_Container]] = field(default_factory=list)
    span: int = 1


class MarkdownTarget:
    """Takes the events of an HTML parser; `close` returns the Markdown."""

    def __init__(self) -> None:
        self._open = [_Container()]
        self._ignored: list[str] = []  # tags of containers that are too deep
        self._pieces: list[str] = []  # of the block that is being read
        self._marks: list[tuple[str, int]] = []  # tags in it, and where they start in its pieces
        self._hidden = 0  # open tags, from one that is not shown on
        self._heading = 0
        self._pre = 0
        self._links = 0
        self._words = self._linked_words = 0  # characters of words in the block

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        if self._hidden or tag in _UNSEEN:
            self._hidden += 1
        elif tag == "nav" or attributes.get("role") == "navigation":
            self._flush()
            self._hidden = 1
        elif tag == "a":
            self._links += self._links > 0 or not attributes.get("href", "#").startswith("#")
        elif tag == "br":
            self._pieces.append("\n")
        elif self._pre:
            self._pre += tag == "pre"
        elif tag in _MARKS:
            if not any(_MARKS[tag] == _MARKS[other] for other, _ in self._marks):
                self._marks.append((tag, len(self._pieces)))
        elif self._heading and tag not in _NO_HEADING and tag not in _HEADINGS:
            self._pieces.append(" ")
        else:
            self._start_block(tag, attributes)

    def _start_block(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _CONTAINERS:
            self._flush()
            self._enter(tag, attributes)
        elif tag in _HEADINGS:
            self._flush()
            self._heading = _HEADINGS[tag]
        elif tag in _BLOCKS:
            self._flush()
            if tag == "tr" and self._top.tag == "table":
                self._top.rows.append([])
        elif tag == "pre":
            self._flush()
            self._pre = 1
        elif tag == "hr":
            self._flush()
            self._top.blocks.append(_Block("---"))

    def end(self, tag: str) -> None:
        """Close an element."""
        if self._hidden:
            self._hidden -= 1
        elif tag == "a":
            self._links -= self._links > 0
        elif self._pre:
            self._pre -= tag == "pre"
            if not self._pre:
                self._flush_code()
        elif tag in _MARKS:
            self._end_mark(tag)
        elif tag in _CONTAINERS:
            self._flush()
            self._leave(tag)
        elif tag in _HEADINGS or (tag in _BLOCKS and not self._heading):
            self._flush()

    def data(self, text: str) -> None:
        """Read text."""
        if self._hidden:
            return
        if self._pre:
            self._pieces.append(text)
            return
        self._pieces.append(_SPACE.sub(" ", text))
        words = sum(map(len, _WORD.findall(text)))
        self._words += words
        self._linked_words += words if self._links else 0

    def close(self) -> str:
        """Return the Markdown of the page."""
        self._flush()
        while len(self._open) > 1:
            self._leave(self._top.tag)
        blocks = self._top.blocks
        first = next((n for n, block in enumerate(blocks) if block.kind == "heading"), 0)
        shown = [block for block in blocks[:first] if not block.linked] + blocks[first:]
        return "\n\n".join(block.text for block in shown)

    @property
    def _top(self) -> _Container:
        return self._open[-1]

    def _end_mark(self, tag: str) -> None:
        if not self._marks or self._marks[-1][0] != tag:
            return
        _, start = self._marks.pop()
        inner = "".join(self._pieces[start:])
        words = inner.strip(" \n")
        if words:
            mark = _MARKS[tag]
            before, _, after = inner.partition(words)
            if mark == "`" and "`" in words:
                mark, words = "``", f" {words} "
            self._pieces[start:] = [before, mark, words, mark, after]

    def _flush(self) -> None:
        """End the block that is being read."""
        lines = _SPACES.sub(" ", "".join(self._pieces)).split("\n")
        shown = [line.strip(" ") for line in lines]
        heading, linked = self._heading, 0 < self._words == self._linked_words
        self._pieces, self._marks = [], []
        self._heading = self._words = self._linked_words = 0
        if heading:
            text = " ".join(filter(None, shown))
            if text:
                self._top.blocks.append(_Block(f"{'#' * heading} {text}", "heading"))
            return
        text = "  \n".join(shown).strip(" \n")
        if text:
            self._top.blocks.append(_Block(text, linked=linked))

    def _flush_code(self) -> None:
        text = "".join(self._pieces).strip("\n").rstrip()
        self._pieces, self._marks = [], []
        if text:
            fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
            self._top.blocks.append(_Block(f"{fence}\n{text}\n{fence}", "code"))

    def _enter(self, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self._open) > _DEEPEST:
            self._ignored.append(tag)
            return
        made = _Container(tag)
        if tag == "ol":
            made.number = _number(attributes.get("start"), 1)
        elif tag in ("td", "th"):
            made.span = min(max(_number(attributes.get("colspan"), 1), 1), _MOST_COLUMNS)
        self._open.append(made)

    def _leave(self, tag: str) -> None:
        if self._ignored:
            self._ignored.pop()
            return
        if self._top.tag != tag or len(self._open) == 1:
            return
        left = self._open.pop()
        blocks = self._top.blocks
        if tag in ("td", "th") and self._top.tag == "table":
            if not self._top.rows:
                self._top.rows.append([])
            self._top.rows[-1].append(left)
        elif tag == "table":
            blocks += _table(left)
        elif not left.blocks:
            return
        elif tag == "li":
            blocks.append(self._item(left.blocks))
        elif tag in ("ul", "ol"):
            text = "\n".join(block.text for block in left.blocks)
            blocks.append(_Block(text, "list", all(block.linked for block in left.blocks)))
        elif tag == "blockquote":
            text = "\n\n".join(block.text for block in left.blocks)
            quoted = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
            blocks.append(_Block(quoted, "quote"))
        else:  # a cell outside a table
            blocks += left.blocks

    def _item(self, blocks: list[_Block]) -> _Block:
        above = self._top
        marker = "- "
        if above.number is not None:
            marker = f"{above.number}. "
            above.number += 1
        text = blocks[0].text + "".join(
            f"\n{block.text}" if block.kind == "list" else f"\n\n{block.text}"
            for block in blocks[1:]
        )
        indent = " " * len(marker)
        lines = [f"{indent}{line}" if line else "" for line in text.split("\n")]
        shown = "\n".join(lines)
        return _Block(marker + shown[len(marker) :], "item", all(each.linked for each in blocks))


def _number(text: str | None, otherwise: int) -> int:
    """Return the value of an attribute; a page may give anything."""
    return int(text) if text and re.fullmatch(r"[0-9]{1,9}", text) else otherwise


def _table(table: _Container) -> list[_Block]:
    """Return a table, or the content of one that only arranges a page."""
    rows = [row for row in table.rows if any(cell.blocks for cell in row)]
    columns = max((sum(cell.span for cell in row) for row in rows), default=0)
    inside = [block for row in rows for cell in row for block in cell.blocks]
    if columns < 2 or any(block.kind != "text" for block in inside):
        return [*table.blocks, *inside]
    shown = [[text for cell in row for text in _columns(cell)] for row in rows]
    head = shown.pop(0) if all(cell.tag == "th" for cell in rows[0]) else [""] * columns
    lines = [head, ["---"] * len(head), *shown]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    linked = all(block.linked for block in inside)
    return [*table.blocks, _Block(text, "table", linked)]


def _columns(cell: _Container) -> list[str]:
    text = " ".join(block.text for block in cell.blocks).replace("  \n", " ").replace("|", r"\|")
    return [text, *[""] * (cell.span - 1)]


def read_html(html: str) -> str:
    """Return the Markdown of a page, without a line break at its end."""
    from lxml.etree import HTMLParser

    target: Any = MarkdownTarget()
    parser = HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    parser.feed(html.encode("utf-8", "replace"))
    text: str = parser.close()
    return text
