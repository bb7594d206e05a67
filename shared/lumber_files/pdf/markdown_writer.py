"""Writes the lines of a PDF's pages as Markdown: headings, lists, tables and paragraphs.

A PDF only draws characters at positions, in fonts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, groupby, pairwise
from unicodedata import bidirectional

from lumber_files.formats.markdown_cleanup import UNSPACED
from lumber_files.pdf.column_tables import find_column_tables
from lumber_files.pdf.heading_levels import NUMBER, Outline, TypeStyles, is_text, levels_of
from lumber_files.pdf.open_tables import align_rows, find_open_grids
from lumber_files.pdf.paragraphs import SENTENCE_END, follows, is_wrapped, line_starts, move_notes
from lumber_files.pdf.reading_order import order_lines, put_in_place
from lumber_files.pdf.ruled_tables import Rule, find_grids
from lumber_files.pdf.running_heads import strip_running_heads
from lumber_files.pdf.tagged_tables import find_tagged_tables
from lumber_files.pdf.text_lines import BULLETS, HEADING_SCALE, TextLine, join_note_marks

_LINE = "\ufdd0"  # a noncharacter; the text up to the next one becomes one line
_MIN_INDENT = 6  # points; items of one level differ by less, as "9." and "10." do
_LEVEL_INDENT = " " * 4  # the width of "10. "
_MAX_CODE_COLUMN = 200  # a file may draw a word anywhere
# Times the width of a monospaced letter; the first and last letters are narrower.
_SIDE_BEARING = 0.15
_MAX_HEADER_HEIGHT = 6  # times the font size: of the column headers of a table
_MAX_CELL_LEADING = 1.6  # times the font size, between two lines of a cell
_MIN_PICTURE_HEIGHT = 4  # times the size of a caption; a lower picture is a band of a table
_MAX_CAPTION_GAP = 2  # times the font size, from a picture to its caption
# Starts of paragraphs that Markdown would read as a heading, a quotation, a rule or code.
_MARKUP_START = re.compile(r"\A(?=(?:#{1,6}|[>+])(?:\s|$)|[-=_*]{3,}$|```|~~~|<[a-zA-Z/!?]|\|)")


@dataclass(eq=False)
class _Block:
    kind: str
    lines: Sequence[TextLine] = ()
    level: int = 0  # the stated level of a heading, or 0; that of an item, from 0
    cells: Sequence[Sequence[str]] = field(default_factory=list)
    margin: float = 0.0  # the right end of the lines that begin at the same place


def to_markdown(
    pages: Sequence[Sequence[TextLine]], rules: Sequence[Sequence[Rule]], outline: Outline
) -> tuple[list[str], str]:
    """Return the Markdown of each page, and a title, which is "" if the file has headings.

    The title is the first running head. Words are still divided by line ends; see `finish`. Each
    page has its lines, and the rules drawn on it.
    """
    body_pages, heads, notes = strip_running_heads([*map(join_note_marks, pages)])
    lines = [order_lines(page) for page in body_pages]
    styles = TypeStyles(lines, outline)
    blocks = [
        list(_blocks(number, page, drawn, styles))
        for number, (page, drawn) in enumerate(zip(lines, rules, strict=True))
    ]
    if blocks:  # heads and notes go to the end, as no section is above the first heading
        blocks[-1] += (_Block("row", [line]) for line in [*heads, *notes])
    headings = _sections(blocks)
    levels = levels_of((block.lines[0].size, block.level) for block in headings)
    texts: list[list[str]] = [[] for _ in blocks]
    before, last = None, 0  # the block before, and the number of its page
    for number, page in enumerate(blocks):
        _nest(page)
        for block in page:
            if before is not None:
                if before.kind == "code" and last < number:
                    texts[last].append("\n")  # a fence has a line of its own
                # A page begins with the first letter of a paragraph.
                end = last if block.kind == "paragraph" else number
                texts[end].append(_separator_between(before, block))
            texts[number].append(_write(block, levels))
            before, last = block, number
    return [*map("".join, texts)], heads[0].text if heads and not headings else ""


def _sections(pages: Sequence[Sequence[_Block]]) -> list[_Block]:
    """Return the headings; a heading directly above a larger heading becomes a paragraph.

    Such headings are dates, authors and addresses above a title, or the large type of a cover.
    """
    headings: list[_Block] = []
    largest = 0.0  # font size of the headings between a block and the next text
    for block in (block for page in pages[::-1] for block in page[::-1]):
        if block.kind != "heading":
            largest = 0.0
        elif block.lines[0].size >= largest or block.level or NUMBER.fullmatch(block.lines[0].text):
            largest = max(block.lines[0].size, largest)
            headings.append(block)
        else:
            block.kind = "paragraph"
    return headings


def _nest(page: Sequence[_Block]) -> None:
    """Set the levels of list items by their indentation."""
    lefts: list[float] = []
    for block in page:
        if block.kind != "item":
            lefts = []
            continue
        left = block.lines[0].left
        lefts = [other for other in lefts if other <= left + _MIN_INDENT]
        if not lefts or left > lefts[-1] + _MIN_INDENT:
            lefts.append(left)
        block.level = len(lefts) - 1


def finish(page: str) -> str:
    """Return a page, once divided words are joined, with each heading and row on one line."""
    blocks = page.split("\n\n")
    for number, block in enumerate(blocks):
        before, *rows = block.rstrip("\n").split(_LINE)
        lines = (row.strip("\n").replace("\n", " ") for row in rows)
        blocks[number] = before + "\n".join(lines) + block[len(block.rstrip("\n")) :]
    return "\n\n".join(blocks)


def _separator_between(before: _Block, block: _Block) -> str:
    """Return the separator between a block and its possible continuation, even on the next page."""
    if before.kind == block.kind == "item":
        return "\n"
    continues = before.kind in ("paragraph", "item") and block.kind == "paragraph"
    if not continues or SENTENCE_END.search(before.lines[-1].text):
        return "\n\n"
    last, first = before.lines[-1], block.lines[0]
    start = first.text[0]
    if bidirectional(start) == "L" and start.isalpha() and start.lower() == start.upper():
        # In scripts without case, a full line continues in an unindented line at the top of a page.
        full = before.lines[0] is not last and before.margin - last.right < 2 * last.size
        if full and last.base < first.base and first.left < block.lines[:2][-1].left + 1:
            return "" if re.match(f"[{UNSPACED}]{{2}}", last.text[-1] + start) else "\n"
    return "\n" if start.islower() else "\n\n"


def _write(block: _Block, levels: dict[float, int]) -> str:
    lines = [line.text for line in block.lines]
    if block.kind == "heading":
        level = block.level or levels[block.lines[0].size]
        following = zip(line_starts(block.lines, 0.0), lines[1:], strict=True)
        rest = ((" " if apart else "\n") + line for apart, line in following)
        return f"{_LINE}{'#' * level} {lines[0]}{''.join(rest)}"
    if block.kind == "table":
        escaped = ([cell.replace("|", "\\|") for cell in row] for row in block.cells)
        rows = ["".join(f" {cell} |" if cell else " |" for cell in row) for row in escaped]
        rows = [f"{_LINE}|{row}" for row in rows]
        rows.insert(1, _LINE + "| --- " * len(block.cells[0]) + "|")
        return "\n".join(rows)
    if block.kind == "row":  # a block of its own, so that no row is cut
        cells = (" ".join(word.text for word in cell) for cell in block.lines[0].cells)
        lines = ["  ".join(cells)]
    if block.kind == "code":
        code, fence = [*_code_lines(block.lines)], "```"
        while any(line.lstrip().startswith(fence) for line in code):
            fence += "`"
        lines = [fence, *code, fence]
        return "\n".join(_LINE + line for line in lines)
    if block.kind == "item":
        if lines[0][0] in BULLETS:
            lines[0] = "- " + lines[0][1:].lstrip()
        lines[0] = _LEVEL_INDENT * block.level + lines[0]
    lines = [_MARKUP_START.sub("\\\\", line, count=1) for line in lines]
    starts = [False, *line_starts(block.lines, block.margin)]
    return _LINE + "\n".join(
        _LINE * start + line for start, line in zip(starts, lines, strict=True)
    )


def _code_lines(lines: Sequence[TextLine]) -> Iterator[str]:
    """Yield monospaced lines with their indentation and spaces."""
    longest = max(lines, key=lambda line: line.right - line.left)
    width = max(1.0, (longest.right - longest.left) / (len(longest.text) - _SIDE_BEARING))
    margin = min(line.left for line in lines)
    for line in lines:
        text = ""
        for word in line.words:
            column = round(min(_MAX_CODE_COLUMN, (word.left - margin) / width))
            text = text.ljust(max(len(text) + bool(text), column)) + word.text
        yield text


def _blocks(
    number: int, page: Sequence[TextLine], rules: Sequence[Rule], styles: TypeStyles
) -> Iterator[_Block]:
    """Yield the blocks of a page: its ruled tables, and the blocks of lines between them."""
    bands = [rule for rule in rules if rule.is_band]
    rules = [rule for rule in rules if not rule.is_band]
    page, tagged = find_tagged_tables(page)
    inside = dict[TextLine, _Block]()
    for table_lines, cells in tagged:
        inside |= dict.fromkeys(table_lines, _Block("table", cells=cells))
    free = [line for line in page if line not in inside]
    for grid in chain(find_grids(bands, rules), find_open_grids(page, (), rules)):
        if filled := grid.fill(free):
            inside |= dict.fromkeys(filled[0], _Block("table", cells=filled[1]))
            free = [line for line in page if line not in inside]
    groups: dict[TextLine | _Block, list[TextLine]] = {}
    for line in page:
        groups.setdefault(inside.get(line, line), []).append(line)
    page = move_notes(put_in_place(groups.values()), rules, styles)
    for table in find_column_tables([line for line in page if line not in inside], rules):
        inside |= dict.fromkeys(table[0], _Block("table", cells=table[1]))
    for grid in find_open_grids(page, bands, rules) if bands else ():
        filled = grid.fill(page)
        if filled and filled[0].isdisjoint(inside):
            inside |= dict.fromkeys(filled[0], _Block("table", cells=filled[1]))
    written: set[_Block] = set()
    for owner, lines in groupby(page, inside.get):
        if owner is None:
            yield from _divide(number, [*lines], styles, bands)
        elif owner not in written:
            written.add(owner)
            yield owner


def _divide(
    number: int, lines: Sequence[TextLine], styles: TypeStyles, pictures: Sequence[Rule]
) -> Iterator[_Block]:
    rises = ((b.base - a.base) / a.size for a, b in pairwise(lines))
    beside = {n for n, up in enumerate(rises, start=1) if -0.5 < up < _MAX_HEADER_HEIGHT}
    # Paragraphs of a column begin at the same place.
    margin_from = cache(lambda a, b: max(o.right for o in lines if a <= o.right and o.left <= b))
    start, in_table = 0, False
    while start < len(lines):
        if (stop := _end_of_rows(lines, start)) > start:
            if cells := align_rows(lines[start:stop]):
                yield _Block("table", cells=cells)
            else:
                yield from (_Block("row", [line]) for line in lines[start:stop])
            start, in_table = stop, True
            continue
        code_ends = (n for n in range(start, len(lines)) if not styles.is_code(lines[n]))
        stop = next(code_ends, len(lines))
        if stop > start and not styles.is_heading(number, lines[start:stop]):
            yield _Block("code", lines[start:stop])
            start, in_table = stop, False
            continue
        first, row = lines[start], lines[start - 1 if start else 0]
        near = not is_text(row) and 0 < row.base - first.base < _MAX_CELL_LEADING * first.size
        margin = margin_from(first.left, first.left + first.size)
        rest = range(start + 1, len(lines))
        ends = (n for n in rest if not follows(lines[n - 1], lines[n], styles))
        end = next(ends, len(lines))  # where the paragraph ends
        others = (n for n in range(start + 1, end) if not styles.are_alike(first, lines[n]))
        stop = next(others, end)
        after = lines[stop] if stop < len(lines) else None
        if (
            styles.is_heading(number, lines[start:stop])
            and not (in_table and after and not is_text(after))
            and beside.isdisjoint((start, stop))
            and not (near and any(abs(cell[0].left - first.left) < 1 for cell in row.cells[1:]))
            and not _is_caption(lines, start, stop, styles, pictures)
            and not (after and is_wrapped(lines[stop - 1], after, styles, margin))
        ):
            level = styles.stated_level(number, lines[start:stop])
            yield _Block("heading", lines[start:stop], level)
        else:
            inside = range(start + 1, end)
            cuts = (n for n in inside if styles.is_code(lines[n]) or _end_of_rows(lines, n) > n)
            stop = next(cuts, end)
            kind = "item" if first.is_item else "paragraph"
            yield _Block(kind, lines[start:stop], margin=margin)
        start, in_table = stop, False


def _is_caption(
    lines: Sequence[TextLine], start: int, stop: int, styles: TypeStyles, pictures: Sequence[Rule]
) -> bool:
    """Return whether lines no larger than text are below a picture, or alone beside one."""
    first, size = lines[start], lines[start].size
    if size >= HEADING_SCALE * styles.body_size:
        return False
    after = lines[stop].base if stop < len(lines) else 0.0
    for picture in (p for p in pictures if p.top - p.bottom > _MIN_PICTURE_HEIGHT * size):
        gap = picture.bottom - first.base - size
        near = -size < gap < min(_MAX_CAPTION_GAP * size, lines[stop - 1].base - after - size)
        beside = after < picture.bottom < first.base < picture.top
        if near if first.left < picture.right and picture.left < first.right else beside:
            return True
    return False


def _end_of_rows(lines: Sequence[TextLine], start: int) -> int:
    """Return the end of the table rows from a line on; `start` if there are fewer than two."""
    stop = next((n for n in range(start, len(lines)) if is_text(lines[n])), len(lines))
    return stop if stop > start + 1 else start
