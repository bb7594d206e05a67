"""The layout of a Markdown text: its blocks.

markdown-it-py returns the lines of each block. Offsets are the starts of these lines in the
original text, so nothing is searched for or normalised.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import unescape
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from lumber_core.spans import Span, outside, spans_from_starts
from lumber_core.text.lines.code import prose_paragraphs, with_items
from lumber_core.text.lines.tables import html_header, html_rows

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockKind = Literal[
    "front matter", "heading", "paragraph", "list item", "quote", "code", "table", "html", "rule"
]

HEADING_SEPARATOR = " > "
"""Separates the titles of a heading path in a string."""
LEVELS_KEY = "heading_levels"
"""Metadata key of a chunk's heading levels."""

INSIDE_KEY, INSIDE_SEPARATOR = "headings_inside", " | "
"""Metadata key of the headings inside a chunk, which form no path; and their separator."""
CONTEXT_KEY = "context"
"""Metadata key of a chunk's context."""

# Exactly what the parser treats as a line break.
LINE_BREAK = re.compile(r"\r\n|\n|\r")
# YAML or TOML between two lines of three marks at the start of the text. A key on its first line
# distinguishes it from a thematic break.
FRONT_MATTER = re.compile(
    r"""\ufeff?(?:
        ---[ \t]*[\r\n]+ (?=[\w"'.-]+[ \t]*:|\#) .*?[\r\n] (?:---|\.\.\.)
      | \+\+\+[ \t]*[\r\n]+ (?=[\w"'.-]+[ \t]*=|\#|\[) .*?[\r\n] \+\+\+
    )[ \t]*(?:\r\n|\n|\r|\Z)""",
    re.DOTALL | re.VERBOSE,
)
_FRONT_TITLE = re.compile(r"^title[ \t]*[:=]([^\w\n]*\w.*)$", re.MULTILINE)
_NO_TEXT = (*">|&*!{[",)  # first characters of values in YAML that are not plain text
# Attributes and anchors of a heading, as in "## Use {#use}" and "## <a name="use"></a>Use".
_NO_TITLE = re.compile(
    r"\s\{\s*(?:/\*\s*)?[#.:][^{}]*\}\s*$|<(?:a|img|span)\s[^<>]*>|</(?:a|span)>"
)
_INLINE_MARKUP = re.compile(r"[*_\\&]|\]\(")
# The markup of longer headings is not read, as that takes long.
_MAX_MARKED_TITLE_CHARACTERS = 1_000
_LEAVES: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "html_block": "html",
    "hr": "rule",
}
HIDDEN = (
    r"<!--(?:(?!<!--|-->)(?s:.))*-->|<a\s+(?:id|name)\s*=[^<>]*>\s*</a>"
    r"|(?m:^[ \t>]*(?::{3,}|/{3,}|\{(?:%.*%|\{[<%].*[%>]\}|\*.*\*)\}"
    r"|import\s[^'\"\n]*['\"][^'\"\n]+['\"];?)[ \t\r]*$)"
)
"""A pattern of what a reader does not see: comments, targets of links, and lines with the end of a
block (":::"), a tag of a template ("{% tip %}", "{{< note >}}") or an import of MDX."""
# Each match of `HIDDEN` contains one of these.
HIDDEN_SIGNS = ("<", ":::", "///", "{", "import")
_NO_ROW = re.compile(r"[ \t]*(?:</|<t(?:head|body)\b|[\r\n])", re.IGNORECASE)
_TABLE = re.compile(r"<(/?)table\b", re.IGNORECASE)
# Comments, code and tables, which contain no headings; and headings, closed or not.
_HTML_PARTS = re.compile(
    r"(?si)<!--.*?(?:-->|\Z)|<(script|style|pre|textarea|table)\b.*?(?:</\1\s*>|\Z)"
    r"|<h(?P<level>[1-6])\b[^<>]*>(?P<title>(?:(?!</?h[1-6]\b).){1,2000})(?P<end></h(?P=level)\s*>)?"
)
_LINE_TAG = re.compile(r"<br\b[^<>]*>|</(?:p|div)>", re.IGNORECASE)
_NO_HTML_TITLE = re.compile(
    r"<!--.*?-->|<[^<>]*>|!\[[^\[\]]*\]\([^()]*\)|\[\s*\]\([^()]*\)", re.DOTALL
)
_WRAPPERS = re.compile(r"(?:\s|</?(?:a|center|details|div|header|p|section|summary)\b[^<>]*>)*")
_MAX_HTML_TITLE_CHARACTERS = 2_000  # tags included
_NO_HEADER = Span(0, 0)
_HEADER_LINES = 2  # in a table: the header row and the line of dashes
# The first line at which a block is divided: the header of a table stays with its first row, and
# fences with the line next to them.
_FIRST_ROW = {"table_open": _HEADER_LINES + 1, "fence": 2, "html_block": 1}
_ROWS = re.compile(r"(?:[ \t]*\|[^\n]*\|[ \t]*(?:\n|\Z))+")
_CONTAINERS: dict[str, BlockKind] = {"list_item_open": "list item", "blockquote_open": "quote"}


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a Markdown text.

    The first paragraph of a list item is the "list item", with its bullet; other blocks of the
    item, such as code, are blocks of their own. Paragraphs of a block quote are "quote".
    """

    start: int  # offset of its first line
    end: int  # offset where the next block starts, or the length of the text
    kind: BlockKind
    level: int = 0  # 1 to 6 for a heading outside lists and quotes
    # The title of such a heading, as Markdown or as the text of HTML; or the title in front matter.
    title: str = ""
    # Offsets at which a block that is too long is split: the rows of a table after the first, the
    # lines of code after the first, or the lines of HTML and the rows of its tables.
    rows: tuple[int, ...] = ()
    header: Span = _NO_HEADER  # of a table with rows; includes the line of dashes in Markdown


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks of a Markdown text, which tile it: CommonMark, and the tables of GitHub.

    Any other text is read as paragraphs. Front matter is one block. Blank lines belong to the block
    before them.
    """
    if not text:
        return []
    matter = FRONT_MATTER.match(text)
    # A byte order mark would hide a heading on the first line.
    body = matter.end() if matter else int(text.startswith("\ufeff"))
    lines = [body, *(match.end() for match in LINE_BREAK.finditer(text, body))]
    leaves = list(_leaf_blocks(text[body:], lines))
    if matter:
        leaves.insert(0, Block(0, body, "front matter", title=_front_title(matter[0])))
    elif not leaves:
        leaves.append(Block(0, len(text), "paragraph"))
    starts = [0, *(block.start for block in leaves[1:]), len(text)]
    blocks = [
        replace(block, start=start, end=end)
        for (start, end), block in zip(pairwise(starts), leaves, strict=True)
    ]
    return [*_join_html_tables(text, blocks)] if _TABLE.search(text) else blocks


def _front_title(matter: str) -> str:
    """Return the title in front matter, "" if no line has one."""
    match = _FRONT_TITLE.search(matter)
    title = match[1].strip() if match else ""
    if title[:1] in ("'", '"') and title[-1] == title[0]:
        return title[1:-1]
    return "" if title.startswith(_NO_TEXT) else title


def _join_html_tables(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks; the blocks of a table in HTML become one, which may be cut between rows."""
    number = unclosed = 0  # a table that opens before block `unclosed` is never closed
    while number < len(blocks):
        block = blocks[number]
        last, opened = number + 1, 0 if number < unclosed else _open_tables(text, block)
        while opened > 0 and last < len(blocks) and not blocks[last].level:
            opened += _open_tables(text, blocks[last])
            last += 1
        if opened > 0:
            last, unclosed = number + 1, last
        block, number = replace(block, end=blocks[last - 1].end), last
        rows = [] if block.kind in ("code", "table") else html_rows(text, block.start, block.end)
        if rows:
            spans = [row.span for row in rows]
            breaks = LINE_BREAK.finditer(text, block.start, block.end - 1)
            lines = {line.end() for line in breaks if not _NO_ROW.match(text, line.end())}
            header = html_header(text, rows)
            # Header rows, which stay with the next row.
            heads = max(1, sum(span.start < header.end for span in spans))
            places = {row.span.start for row in rows if row.number > heads}
            places.update(outside(lines.difference(span.start for span in spans), spans))
            block = replace(block, kind="html", rows=tuple(sorted(places)), header=header)
        yield block


def _open_tables(text: str, block: Block) -> int:
    """Return the number of HTML tables opened in a block, minus the number closed there."""
    if block.kind == "code":
        return 0
    closing = [tag[1] for tag in _TABLE.finditer(text, block.start, block.end)]
    return len(closing) - 2 * sum(map(bool, closing))


def markdown_units(blocks: Sequence[Block]) -> list[Span]:
    """Return the units of a Markdown text: its blocks, each heading with the first block below."""
    starts = [block.start for before, block in pairwise(blocks) if before.kind != "heading"]
    return [*spans_from_starts([blocks[0].start, *starts], blocks[-1].end)] if blocks else []


def _leaf_blocks(text: str, lines: Sequence[int]) -> Iterator[Block]:
    """Yield the blocks that contain no other blocks, without their ends.

    `text` is without its front matter, and `lines` are where its lines start in the whole text.
    """
    line: int | None = None  # where a list item or quote starts, until its first block is read
    inside: BlockKind = "paragraph"  # the kind of its first paragraph
    quotes = 0
    previous = -1
    tokens = _parser().parse(with_items(text))
    for number, token in enumerate(tokens):
        if token.type in _CONTAINERS:
            line = token.map[0] if line is None and token.map else line
            inside = _CONTAINERS[token.type]
        quotes += token.nesting * (token.tag == "blockquote")
        if token.type not in _LEAVES or token.map is None:
            continue
        first, stop = token.map
        kind = _LEAVES[token.type]
        if kind == "paragraph" and line is not None:
            kind = inside
        elif kind == "paragraph" and quotes:
            kind = "quote"
        # Rows without their header, such as a part of a table, are a table as well.
        only_rows = (
            kind == "paragraph" and stop - first > 1 and _ROWS.fullmatch(tokens[number + 1].content)
        )
        start = lines[first if line is None else line]
        line = None
        if start <= previous:
            continue
        previous = start
        if token.type == "code_block":
            yield from _indented_blocks(token.content, start, lines[first:stop])
            continue
        if kind == "html" and not token.level:
            end = lines[stop] - lines[0] if stop < len(lines) else len(text)
            for (at, level, title), (below, *_) in pairwise(
                _html_headings(text, start - lines[0], end)
            ):
                at, previous = at + lines[0], below + lines[0] - 1
                rows = lines[bisect_right(lines, at) : bisect_right(lines, previous)]
                yield Block(at, at, "heading" if level else "html", level, title, tuple(rows))
            if previous > start:
                continue
        outline = kind == "heading" and token.level == 0
        yield Block(
            start,
            start,
            "table" if only_rows else kind,
            level=int(token.tag[1:]) if outline else 0,
            title=_shown_title(tokens[number + 1].content) if outline else "",
            rows=tuple(lines[first + _FIRST_ROW[token.type] : stop - (token.type == "fence")])
            if token.type in _FIRST_ROW
            else tuple(lines[first + 1 : stop] if only_rows else ()),
            header=Span(lines[first], lines[first + _HEADER_LINES])
            if kind == "table" and stop - first > _HEADER_LINES
            else _NO_HEADER,
        )


def _shown_title(heading: str) -> str:
    """Return the title that a reader sees: without emphasis, addresses of links and escapes."""
    title = _NO_TITLE.sub("", heading)
    if _INLINE_MARKUP.search(title) and len(title) <= _MAX_MARKED_TITLE_CHARACTERS:
        tokens: list[Token] = []
        _parser().inline.parse(title, _parser(), {}, tokens)
        parts = (
            f"{token.markup}{token.content}{token.markup}"
            if token.tag == "code"
            else token.content or " "
            for token in tokens
            if token.nesting == 0
        )
        title = "".join(parts)
    return " ".join(title.split())


def _html_headings(text: str, first: int, stop: int) -> Iterator[tuple[int, int, str]]:
    """Yield the offset, level and title of each heading in HTML, and of the text between (level 0).

    The last item is the end, which is after `stop` if a heading continues there. A heading includes
    the tags around it. Headings in tables, of pictures alone, or after another one are ignored.
    """
    read_to = first
    for part in _HTML_PARTS.finditer(text, first, stop + _MAX_HTML_TITLE_CHARACTERS):
        title = unescape(_NO_HTML_TITLE.sub("", _LINE_TAG.sub(" ", part["title"] or "")))
        wrapped = _WRAPPERS.fullmatch(text, read_to, part.start())
        start = read_to if wrapped else text.rfind("\n", first, part.start()) + 1 or first
        if (
            part.start() < stop
            and part["end"]
            and start >= read_to
            and any(map(str.isalnum, title))
        ):
            if start > read_to:
                yield read_to, 0, ""
            yield start, int(part["level"]), " ".join(title.split())
            read_to = text.find("\n", part.end()) + 1 or len(text)
    if first < read_to < stop and not _WRAPPERS.fullmatch(text, read_to, stop):
        yield read_to, 0, ""
    if read_to > first:
        yield max(read_to, stop), 0, ""


def _indented_blocks(content: str, start: int, lines: Sequence[int]) -> Iterator[Block]:
    """Yield the blocks of indented text without their ends: code, and paragraphs of prose.

    `content` is without its indentation, and `lines` are where its lines start.
    """
    edges = [0, *(line.end() for line in LINE_BREAK.finditer(content))]
    starts = [start, *lines[1:]]
    code: list[int] = []  # where the lines of code start
    read_to = 0
    for paragraph in [*prose_paragraphs(content), None]:
        first = len(lines) if paragraph is None else bisect_left(edges, paragraph.start)
        code = starts[read_to:first]
        if code:
            yield Block(code[0], code[0], "code", rows=tuple(code[1:]))
        if paragraph is not None:
            yield Block(starts[first], starts[first], "paragraph")
            read_to = bisect_left(edges, paragraph.end)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # deferred: other units do not need it

    # Inline markup is not read. Reference definitions are read as paragraphs: the parser
    # takes quadratic time for a list of them.
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
