"""Writes the lines of a PDF's pages as Markdown: headings, lists, tables and paragraphs.

A page says nothing of these: it draws characters at places, in fonts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from lumber_files.pdf.heading_levels import Outline, Types, is_text, levels_of, size_of
from lumber_files.pdf.ruled_tables import Rule, grids
from lumber_files.pdf.text_lines import BULLETS, TextLine, with_marks, without_running_heads

_ROW = "\ufdd0"  # no character; what follows, up to the next one, becomes one line
_LEADING = 1.3  # times the leading; a paragraph's lines are not farther apart
_INDENT = 5  # times the size; the last line of a paragraph is shorter by more
_ENDS = ".!?:"
_HYPHENS = "-\u2010\xad"
_SPACE = 0.5  # times the size; two spaces, as lines of ragged text differ
_INDENTED = 6  # points; items of one level may be as far apart, as "9." and "10." are
_DEEPER = " " * 4  # as deep as the text of "10. "
_FENCE = "```"
_COLUMNS = 200  # a file may put a word anywhere
_BESIDE_LETTERS = 0.15  # times the width of a fixed letter; the first and last are drawn narrower
_LABELS = 2  # lines between two rows that belong to the table, such as "Revenues"
_HEAD = 6  # times the size; the heads of a table's columns are as high
_LONGEST_LABEL = 15  # words
# What would begin a heading, a quotation, a rule or code at the start of a paragraph.
_SPECIAL = re.compile(r"\A(?=(?:#{1,6}|[>+])(?:\s|$)|[-=_*]{3,}$|```|~~~|<[a-zA-Z/!?]|\|)")


@dataclass(eq=False)
class _Block:
    kind: str
    lines: Sequence[TextLine] = ()
    level: int = 0  # of a heading, as bookmarks say, or of an item, from 0
    cells: list[list[str]] = field(default_factory=list)


def to_markdown(
    pages: Sequence[Sequence[TextLine]], rules: Sequence[Sequence[Rule]], outline: Outline
) -> list[str]:
    """Return a text of each page. Line ends still divide its words, and `finish` is to come.

    Args:
        pages: The lines of each page.
        rules: What is drawn on each page.
        outline: The file's bookmarks.
    """
    read = [with_marks(page) for page in without_running_heads(pages)]
    types = Types(read, outline)
    written = [
        list(_blocks(number, page, drawn, types))
        for number, (page, drawn) in enumerate(zip(read, rules, strict=True))
    ]
    headings = [block for page in written for block in page if block.kind == "heading"]
    levels = levels_of((size_of(block.lines), block.level) for block in headings)
    texts: list[str] = []
    before, last = None, 0  # the block before, and the number of its page
    for page in written:
        _nest(page)
        text = ""
        for number, block in enumerate(page):
            if before is not None:
                between = "\n" if _goes_on(before, block) else "\n\n"
                if not number and before.kind == "code":
                    texts[last] += "\n"  # a fence has a line of its own
                if number or block.kind != "paragraph":
                    text += between
                else:  # a page begins with the first letter of a paragraph
                    texts[last] += between
            text += _write(block, levels)
            before, last = block, len(texts)
        texts.append(text)
    return texts


def _nest(page: Sequence[_Block]) -> None:
    """Set the levels of items in lists by how far they are indented."""
    lefts: list[float] = []
    for block in page:
        if block.kind != "item":
            lefts = []
            continue
        left = block.lines[0].left
        while lefts and left < lefts[-1] - _INDENTED:
            lefts.pop()
        if not lefts or left > lefts[-1] + _INDENTED:
            lefts.append(left)
        block.level = len(lefts) - 1


def finish(page: str) -> str:
    """Return a page whose divided words are whole with each heading and row on one line."""
    return "\n\n".join(_on_lines(block) if _ROW in block else block for block in page.split("\n\n"))


def _on_lines(block: str) -> str:
    before, *rows = block.split(_ROW)
    lines = (row.strip("\n").replace("\n", " ") for row in rows)
    return before + "\n".join(lines) + block[len(block.rstrip("\n")) :]


def _goes_on(before: _Block, block: _Block) -> bool:
    """Return whether a block goes on with what the one before began, on another page or not."""
    if before.kind == block.kind == "item":
        return True
    ends, begins = before.lines[-1:], block.lines[:1]
    return (
        before.kind in ("paragraph", "item")
        and block.kind == "paragraph"
        and bool(ends and begins)
        and ends[0].text[-1] not in _ENDS
        and begins[0].text[0].islower()
    )


def _write(block: _Block, levels: dict[float, int]) -> str:
    lines = [line.text for line in block.lines]
    if block.kind == "heading":
        level = block.level or levels[size_of(block.lines)]
        return f"{_ROW}{'#' * level} " + "\n".join(lines)
    if block.kind == "table":
        # Where budgets count words, a bar alone would be one.
        rows = [f"{_ROW}|{' |'.join(row)}|" for row in block.cells]
        rows.insert(1, _ROW + "|---" * len(block.cells[0]) + "|")
        return "\n".join(rows)
    if block.kind == "row":  # a block of its own: rows are not cut
        cells = (
            (" ".join(word.text for word in cell) for cell in line.cells) for line in block.lines
        )
        lines = ["  ".join(row) for row in cells]
    if block.kind == "code":
        code, fence = [*_as_set(block.lines)], _FENCE
        while any(line.lstrip().startswith(fence) for line in code):
            fence += "`"
        lines = [fence, *code, fence]
        return "\n".join(_ROW + line for line in lines)
    if block.kind == "item":
        if lines[0][0] in BULLETS:
            lines[0] = "- " + lines[0][1:].lstrip()
        lines[0] = _DEEPER * block.level + lines[0]
    lines = [_SPECIAL.sub("\\\\", line, count=1) for line in lines]
    starts = [
        False,
        *(not _is_full(one, after, block.lines) for one, after in pairwise(block.lines)),
    ]
    return _ROW + "\n".join(_ROW * start + line for start, line in zip(starts, lines, strict=True))


def _as_set(lines: Sequence[TextLine]) -> Iterator[str]:
    """Yield lines in which all letters are as wide, with the spaces that they are set with."""
    longest = max(lines, key=lambda line: line.right - line.left)
    width = max(1.0, (longest.right - longest.left) / (len(longest.text) - _BESIDE_LETTERS))
    margin = min(line.left for line in lines)
    for line in lines:
        text = ""
        for word in line.words:
            column = round(min(_COLUMNS, (word.left - margin) / width))
            text = text.ljust(max(len(text) + bool(text), column))
            text += word.text
        yield text


def _is_full(line: TextLine, after: TextLine, block: Sequence[TextLine]) -> bool:
    """Return whether a line of a paragraph ends where the next word would not have fitted."""
    first = after.words[0]
    if line.text[-1] in _HYPHENS:
        return True
    return line.right + first.right - first.left + _SPACE * line.size > max(o.right for o in block)


def _blocks(
    number: int, page: Sequence[TextLine], rules: Sequence[Rule], types: Types
) -> Iterator[_Block]:
    """Yield the blocks of a page, those between ruled tables by their lines."""
    inside: dict[TextLine, _Block] = {}
    for grid in grids(rules):
        free = [line for line in page if line not in inside]
        if found := grid.fill([line.words for line in free]):
            table = _Block("table", cells=found[1])
            inside.update((free[number], table) for number in found[0])
    written: set[_Block] = set()
    for owner, lines in groupby(page, inside.get):
        if owner is None:
            yield from _of_lines(number, [*lines], types)
        elif owner not in written:
            written.add(owner)
            yield owner


def _of_lines(number: int, lines: Sequence[TextLine], types: Types) -> Iterator[_Block]:
    beside = {n for n, pair in enumerate(pairwise(lines), start=1) if _are_beside(*pair)}
    start, in_table = 0, False
    while start < len(lines):
        stop = _end_of_rows(lines, start, types)
        if stop > start:
            yield from (_Block("row", [line]) for line in lines[start:stop])
            start, in_table = stop, True
            continue
        stop = start
        while stop < len(lines) and types.is_code(lines[stop]):
            stop += 1
        if stop > start and not types.is_heading(number, lines[start:stop]):
            yield _Block("code", lines[start:stop])
            start, in_table = stop, False
            continue
        stop = start + 1
        while (
            stop < len(lines)
            and _same_type(lines[start], lines[stop])
            and _follows(lines[stop - 1], lines[stop], types)
        ):
            stop += 1
        in_table = in_table and _end_of_rows(lines, stop, types) > stop
        in_table = in_table or not beside.isdisjoint((start, stop))
        if types.is_heading(number, lines[start:stop]) and not in_table:
            level = types.bookmark(number, lines[start:stop])
            yield _Block("heading", lines[start:stop], level)
        else:
            stop = start + 1
            while (
                stop < len(lines)
                and _follows(lines[stop - 1], lines[stop], types)
                and not types.is_code(lines[stop])
                and _end_of_rows(lines, stop, types) == stop
            ):
                stop += 1
            yield _Block("item" if lines[start].is_item else "paragraph", lines[start:stop])
        start, in_table = stop, False


def _end_of_rows(lines: Sequence[TextLine], start: int, types: Types) -> int:
    """Return where the rows end that begin at a line; the same place if there are not two."""
    rows, stop = 0, start
    for number in range(start, len(lines)):
        line = lines[number]
        if not is_text(line):
            rows, stop = rows + 1, number + 1
            continue
        largest = max(lines[start].size, types.text)
        label = len(line.words) <= _LONGEST_LABEL and line.size <= largest
        if not rows or number - stop == _LABELS or not label:
            break
    return stop if rows > 1 else start


def _same_type(line: TextLine, after: TextLine) -> bool:
    return line.size == after.size and line.bold == after.bold


def _are_beside(line: TextLine, after: TextLine) -> bool:
    """Return whether a line stands beside the one before, as in the heads of columns."""
    return -line.size / 2 < after.base - line.base < _HEAD * line.size


def _follows(line: TextLine, after: TextLine, types: Types) -> bool:
    """Return whether a line goes on with the paragraph of the one before."""
    if after.is_item:
        return False
    down = line.base - after.base
    if down <= 0:  # the next column
        return line.text[-1] not in _ENDS and after.text[0].islower()
    short = line.right < after.right - _INDENT * line.size
    return down < _LEADING * types.leading(line) and not (short and line.text[-1] in _ENDS)
