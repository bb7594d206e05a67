"""Finds headings, lists, tables and paragraphs among the lines of a PDF's pages.

A page says nothing of these: it draws characters at places, in fonts. Headings are set in a larger
or bolder type than the text, rows have gaps at the same places, and what stands at the same height
of many pages is no part of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple


class Word(NamedTuple):
    """A word where it is drawn; lengths in points, from the lower left of the page."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool


Style = tuple[float, bool]


class Line:
    """Words on a line.

    Attributes:
        words: From left to right as they are read.
        added: Whether an annotation draws it, such as the field of a form.
    """

    def __init__(self, words: list[Word], added: bool = False) -> None:
        self.words = words
        self.added = added
        self.measure()

    def measure(self) -> None:
        words = self.words
        self.text = " ".join(word.text for word in words)
        self.left = min(word.left for word in words)
        self.right = max(word.right for word in words)
        self.base = words[0].base
        sizes = Counter[Style]()
        for word in words:
            sizes[word.size, word.bold] += len(word.text)
        (self.size, _), _ = sizes.most_common(1)[0]
        self.bold = all(word.bold for word in words if any(map(str.isalnum, word.text)))
        self.style: Style = self.size, self.bold
        self.cells = list(_cells(words, self.size))


_GAP = 1.5  # times the size of the type: more than spaces between justified words


def _cells(words: Sequence[Word], size: float) -> Iterator[list[Word]]:
    cell = [words[0]]
    for before, word in pairwise(words):
        if max(word.left - before.right, before.left - word.right) > _GAP * size:
            yield cell
            cell = []
        cell.append(word)
    yield cell


# Running heads ---------------------------------------------------------------------------------

_EDGE = 4  # lines at the top or the bottom of a page that may be running heads
_PAGES = 3  # on which these are
_ROMAN = re.compile(r"\b[ivxlc]+\b", re.IGNORECASE)


def _without_running_heads(pages: Sequence[list[Line]]) -> list[list[Line]]:
    edges = [list(_edges(page)) for page in pages]
    counts = Counter(key for edge in edges for key in {key for keys in edge for key, _ in keys})
    needed = min(_PAGES, max(2, len(pages)))
    kept = []
    for page, edge in zip(pages, edges, strict=True):
        gone: set[int] = set()
        for keys in edge:
            for key, line in keys:
                if counts[key] < needed:
                    break
                gone.add(id(line))
        kept.append([line for line in page if id(line) not in gone])
    return kept


def _edges(page: Sequence[Line]) -> Iterator[list[tuple[tuple[str, int], Line]]]:
    """Yield what stands at the top and the bottom of a page, outermost first."""
    lines = sorted(page, key=lambda line: -line.base)
    for edge in (lines[:_EDGE], lines[: -_EDGE - 1 : -1]):
        yield [(_key(line), line) for line in edge]


def _key(line: Line) -> tuple[str, int]:
    text = re.sub(r"\d+", "#", line.text)
    if len(line.words) == 1:
        text = _ROMAN.sub("#", text)
    return text, round(line.base / 6)


# Marks of items, and fields ----------------------------------------------------------------------

_BULLET = "•◦▪■□○●‣⁃∙·➢➤✓✔\uf0b7\uf0a7"
_MARK = re.compile(rf"[{_BULLET}–*o-]|\(?(?:\d{{1,3}}|[a-zA-Z]|[ivxIVX]+)[.)]")
_NEAR = 4  # times the size of the type


def _with_marks(page: Sequence[Line]) -> list[Line]:
    """Return lines, each with its mark or field: some programs draw these later."""
    marks = [line for line in page if line.added or _MARK.fullmatch(line.text)]
    if not marks:
        return list(page)
    others = [line for line in page if not (line.added or _MARK.fullmatch(line.text))]
    rows: dict[int, list[Line]] = {}
    for line in others:
        for row in (round(line.base / 4) - 1, round(line.base / 4), round(line.base / 4) + 1):
            rows.setdefault(row, []).append(line)
    left = []
    for mark in marks:
        near = [
            line
            for line in rows.get(round(mark.base / 4), [])
            if abs(line.base - mark.base) < line.size / 2
            and (mark.added or -1 < line.left - mark.right < _NEAR * line.size)
            and (line.left >= mark.right - 1 or line.right <= mark.left + 1)
        ]
        if near:
            line = min(near, key=lambda line: min(abs(line.left - mark.right), abs(mark.left - line.right)))
            if line.left >= mark.right - 1:
                line.words = mark.words + line.words
            else:
                line.words = line.words + mark.words
            base = line.base
            line.measure()
            line.base = base
        else:
            left.append(mark)
    gone = {id(mark) for mark in marks} - {id(mark) for mark in left}
    return [line for line in page if id(line) not in gone]


# Blocks ------------------------------------------------------------------------------------------


@dataclass
class Block:
    kind: str
    lines: list[Line]


_LARGER = 1.15
_LONGEST = 15  # words of a heading
_HEADING_LINES = 3
_LEVELS = 4
_LEADING = 1.3


class _Document:
    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        sizes = Counter[float]()
        bolds = Counter[bool]()
        for page in pages:
            for line in page:
                if len(line.cells) == 1:
                    sizes[line.size] += len(line.text)
                    bolds[line.bold] += len(line.text)
        self.body = sizes.most_common(1)[0][0] if sizes else 0.0
        self.mostly_bold = bolds[True] > bolds[False]
        leadings: dict[float, Counter[float]] = {}
        for page in pages:
            for line, after in pairwise(page):
                if line.size == after.size and 0 < line.base - after.base < 3 * line.size:
                    leading = round((line.base - after.base) / line.size, 1)
                    leadings.setdefault(line.size, Counter())[leading] += 1
        self._leading = {size: found.most_common(1)[0][0] for size, found in leadings.items()}

    def leading(self, line: Line) -> float:
        return max(1.0, self._leading.get(line.size, 1.2)) * line.size

    def is_heading(self, lines: Sequence[Line]) -> bool:
        first = lines[0]
        text = " ".join(line.text for line in lines)
        if not (first.size >= _LARGER * self.body or (first.bold and not self.mostly_bold)):
            return False
        if first.size < self.body * 0.9:
            return False
        words = text.split()
        if len(words) > _LONGEST or len(lines) > _HEADING_LINES:
            return False
        if sum(map(str.isalpha, text)) < 3 or sum(map(str.isdigit, text)) > sum(map(str.isalpha, text)):
            return False
        if text[-1] in ",;" or (text[-1] == "." and len(words) > 6):
            return False
        if text[0] in _BULLET or text[0].islower():
            return False
        return all(_single(line) for line in lines)

    def blocks(self, page: Sequence[Line]) -> list[Block]:
        blocks: list[Block] = []
        number = 0
        while number < len(page):
            stop = self._table_end(page, number)
            if stop > number:
                blocks.append(Block("table", list(page[number:stop])))
                number = stop
                continue
            stop = number + 1
            while stop < len(page) and self._goes_on(page[stop - 1], page[stop]) and page[stop].style == page[number].style:
                stop += 1
            if self.is_heading(page[number:stop]):
                blocks.append(Block("heading", list(page[number:stop])))
                number = stop
                continue
            stop = number + 1
            while stop < len(page) and self._goes_on(page[stop - 1], page[stop]) and self._table_end(page, stop) == stop:
                stop += 1
            blocks.append(Block("paragraph", list(page[number:stop])))
            number = stop
        return blocks

    def _table_end(self, page: Sequence[Line], number: int) -> int:
        """Return where rows end that begin with a line, or its number if there are not two."""
        if _single(page[number]):
            return number
        stop, rows = number + 1, 1
        while stop < len(page):
            line = page[stop]
            if not _single(line):
                rows += 1
                stop += 1
                continue
            ahead = next((n for n in range(stop, min(stop + 3, len(page))) if not _single(page[n])), None)
            if ahead is None or line.size > page[number].size or len(line.words) > _LONGEST:
                break
            stop = ahead
        return stop if rows > 1 else number

    def _goes_on(self, line: Line, after: Line) -> bool:
        """Return whether a line goes on with what the one before began."""
        if _is_item(after):
            return False
        down = line.base - after.base
        if not 0 < down < self.leading(line) * _LEADING:
            return down <= 0 and line.text[-1] not in ".!?:" and after.text[0].islower()
        if line.bold != after.bold and line.size != after.size:
            return False
        short = line.right < after.right - 5 * line.size
        return not (short and line.text[-1] in ".!?:")


def _single(line: Line) -> bool:
    """Return whether a line is no row: it has a number and a title at most."""
    if len(line.cells) == 1:
        return True
    first = " ".join(word.text for word in line.cells[0])
    return len(line.cells) == 2 and _NUMBERED.fullmatch(first) is not None


_NUMBERED = re.compile(r"(?i)(?:(?:item|note|part|chapter|section|§)\s*)?(?:\d[\d.]*|[a-z]|[ivx]+|\d+[a-z])[.):]?|" + f"[{_BULLET}–-]")
_ITEM = re.compile(rf"[{_BULLET}]|[–*-](?=\s)|\(?(?:\d{{1,3}}|[a-z]|[ivx]+)[.)](?=\s)")


def _is_item(line: Line) -> bool:
    return _ITEM.match(line.text) is not None


def to_markdown(
    pages: Sequence[list[Line]], outline: Sequence[tuple[int, int, str]]
) -> list[str]:
    pages = [_with_marks(page) for page in _without_running_heads(pages)]
    document = _Document(pages)
    blocks = [document.blocks(page) for page in pages]
    for page in blocks:
        _no_headings_in_tables(page)
    levels = _levels(block.lines[0].style for page in blocks for block in page if block.kind == "heading")
    texts = []
    for page in blocks:
        written = [_written(block, levels) for block in page]
        texts.append((written, page))
    made = []
    before: Block | None = None
    for number, (written, page) in enumerate(texts):
        text = "\n\n".join(written)
        if page:
            if made:
                if page[0].kind == "paragraph" and not _is_item(page[0].lines[0]):
                    goes_on = before is not None and before.kind == "paragraph" and before.lines[-1].text[-1] not in ".!?:" and written[0][0].islower()
                    made[last] += "\n" if goes_on else "\n\n"
                else:
                    text = "\n\n" + text
            before = page[-1]
            last = number
        made.append(text)
    return made


def _no_headings_in_tables(page: list[Block]) -> None:
    for number in range(1, len(page) - 1):
        if page[number].kind == "heading" and page[number - 1].kind == page[number + 1].kind == "table":
            if page[number].lines[0].size <= page[number + 1].lines[0].size:
                page[number].kind = "paragraph"


def _levels(styles: Iterable[Style]) -> dict[Style, int]:
    counts = Counter(styles)
    kept = sorted(counts, reverse=True)
    while len(kept) > _LEVELS:
        rarest = min(kept, key=lambda style: (counts[style], style))
        kept.remove(rarest)
    return {style: max(1, sum(other >= style for other in kept)) for style in counts}


_SPECIAL = re.compile(r"#{1,6}(?=\s|$)|[>+](?=\s)|[-=_*]{3,}$|```|~~~|<(?=[a-zA-Z/!?])")


def _written(block: Block, levels: dict[Style, int]) -> str:
    if block.kind == "heading":
        text = " ".join(line.text for line in block.lines)
        return f"{'#' * levels[block.lines[0].style]} {text}"
    if block.kind == "table":
        return "\n".join("  ".join(" ".join(word.text for word in cell) for cell in line.cells) for line in block.lines)
    lines = [_SPECIAL.sub(lambda match: "\\" + match[0], line.text) if _SPECIAL.match(line.text) else line.text for line in block.lines]
    if lines[0][0] in _BULLET:
        lines[0] = "- " + lines[0].lstrip(_BULLET + " ")
    return "\n".join(lines)
