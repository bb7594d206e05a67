"""Removes running heads, such as "Annual Report 12", from a PDF's pages; they are kept once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from lumber_files.pdf.heading_levels import title_key
from lumber_files.pdf.text_lines import HEADING_SCALE, TextLine, text_size

_MAX_EDGE_LINES = 4  # heights at the top or the bottom of a page that may have running heads
_MAX_EDGE_CELLS = 16  # lines, or cells of rows, that are read at these heights
_MIN_REPEATS = 3  # pages with a line at the same height, or all pages of a shorter file
# Minimum share of the pages from the first to the last with the line. Heads of left pages are on
# half of the pages, and so may be headings of similar sections, in larger type than text.
_MIN_SHARE, _MIN_LARGE_SHARE = 0.4, 0.7
_HEIGHT_STEP = 6  # points; heights are rounded to it
_MAX_ROW_DISTANCE = 2.5  # times the font size, from a column header to the first row
_MAX_SPLIT_LINES = 2  # lines below column headers of a cell that began on the page before
_MAX_LINE_DISTANCE = 1.5  # times the font size, between two lines of a cell
_NUMBER = re.compile(r"(?<![\d.,])\d{1,5}(?![\d.,]*\d)")  # longer numbers are not page numbers
_ROMAN = re.compile(r"[ivxlc]+")
_PAGE = "#"
# Words beside a page number, in the languages of most files.
_LABEL = re.compile(
    r"(?i)\b(?:pages?|pg?|seite|página|pagina|стр)\b(?=\W*#)|(?<=#)\W*\b(?:of|von|sur|de|di|из)?\W*\d*$"
)

Key = tuple[str, int]
"""The text and the height of a line."""


def strip_running_heads(
    pages: Sequence[Sequence[TextLine]],
) -> tuple[list[list[TextLine]], list[TextLine], list[TextLine]]:
    """Return pages without the lines that most pages around them repeat at the same height.

    - Lines that differ in a number are rows of a table, unless the number counts the pages.
    - Running heads that name the chapter start or end with the page number.
    - In the font size of headings, the first of equal lines is kept, and all lines that differ in a
      number, such as "Step 1" and "Step 2".

    Returns:
        The pages; removed header lines of the first page; and removed lines of other places. Both
        have only text that is nowhere else.
    """
    largest = HEADING_SCALE * text_size(pages)
    ordered = [sorted(page, key=lambda line: -line.base) for page in pages]
    edges = [[_edge(page), _edge(page[::-1])] for page in ordered]
    keys = _keys(edges)
    places: dict[Key, list[int]] = {}
    firsts = Counter[int]()
    for number, page in enumerate(edges):
        for key in {keys[line] for edge in page for line in edge}:
            places.setdefault(key, []).append(number)
        outermost = [line for edge in page for line in edge[:1]]
        firsts.update({first for line in outermost for first in _first_page_numbers(line, number)})
    least = max(2, min(_MIN_REPEATS, len(pages)))
    [(first, counted)] = firsts.most_common(1) or [(0, 0)]
    numbered = counted > max(least, len(pages) / 2)
    dropped: dict[TextLine, tuple[int, int]] = {}
    large_heads: dict[str, int] = {}  # the first page of each large running head
    for number, page in enumerate(edges):
        for side, edge in enumerate(page):
            run = 0  # running heads so far, from the edge inwards
            for line in edge:
                text, height = keys[line]
                near = (places.get((text, height + step), ()) for step in (-1, 0, 1))
                on = sorted({page for pages in near for page in pages})
                large = line.size >= largest
                share = 0.0 if _PAGE in text else _MIN_LARGE_SHARE if large else _MIN_SHARE
                repeated = len(on) >= max(least, share * (on[-1] - on[0] + 1))
                counts = numbered and first in _first_page_numbers(line, number)
                differs = _PAGE in text or len(line.cells) > 1 or len(on) < _MIN_REPEATS
                if not (repeated or counts) or (large and differs):
                    break
                run += 1
            inward = ordered[number][::-1] if side else ordered[number]
            while 0 < run < len(inward) and _is_row_of(inward[run - 1], inward[run:], largest):
                run -= 1
            for line in edge[:run]:
                if line.size < largest or large_heads.setdefault(line.text, number) < number:
                    dropped[line] = number, side
    body_pages = [[line for line in page if line not in dropped] for page in pages]
    states = title_key(" ".join(line.text for page in body_pages for line in page))
    unique: tuple[list[TextLine], list[TextLine]] = [], []
    for line in (line for page in pages for line in page if line in dropped):
        place = dropped[line]
        page_number = f"{place[0] + first}" if numbered else ""
        for cell in line.cells:
            words = keys[line][0] if len(line.cells) == 1 else " ".join(w.text for w in cell)
            stated = _LABEL.sub(
                " ", " ".join(word for word in words.split() if word != page_number)
            )
            if (own_key := title_key(stated)) not in states:
                states += own_key
                unique[any(place)].append(TextLine(cell))
    return body_pages, *unique


def _edge(page: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines at the top of a page, or at the bottom of its reverse."""
    heights = list(dict.fromkeys(line.base for line in page))[:_MAX_EDGE_LINES]
    return [line for line in page[:_MAX_EDGE_CELLS] if line.base in heights]


def _keys(pages: Sequence[Sequence[Sequence[TextLine]]]) -> dict[TextLine, Key]:
    """Return the key of each line at an edge, with "#" for numbers that count the pages."""
    keys: dict[TextLine, Key] = {}
    alike: dict[Key, list[tuple[int, TextLine, bool]]] = {}
    for number, page in enumerate(pages):
        outermost = {edge[0] for edge in page if edge and not _is_near(edge, _MAX_ROW_DISTANCE)}
        for line in dict.fromkeys(line for edge in page for line in edge):
            height = round(line.base / _HEIGHT_STEP)
            keys[line] = (_PAGE if _ROMAN.fullmatch(line.text) else line.text, height)
            key = re.sub(r"\d+", _PAGE, line.text), height
            alike.setdefault(key, []).append((number, line, line in outermost))
    for (text, _), lines in alike.items():
        counts = Counter(
            (place, int(match[0]) - number)
            for number, line, _ in lines
            for place, match in enumerate(_NUMBER.finditer(line.text))
        )
        # Page numbers may grow by more than one a page, in parts of a file or in joined files.
        all_numbers = [[*map(int, re.findall(r"\d+", line.text))] for _, line, _ in lines]
        grows = text == _PAGE or all(after > before for before, after in pairwise(all_numbers))
        for number, line, apart in lines:
            for place, match in reversed([*enumerate(_NUMBER.finditer(line.text))]):
                at_end = match.start() == 0 or match.end() == len(line.text)
                grown = len(lines) >= _MIN_REPEATS and grows and apart and at_end
                if grown or counts[place, int(match[0]) - number] > 1:
                    text, height = keys[line]
                    keys[line] = (text[: match.start()] + _PAGE + text[match.end() :], height)
    return keys


def _first_page_numbers(line: TextLine, number: int) -> set[int]:
    """Return the possible numbers of the first page, if a line has the number of its page."""
    ends = (line.words[0].text, line.words[-1].text)
    return {int(end) - number for end in ends if end.isdecimal() and _NUMBER.fullmatch(end)}


def _is_row_of(line: TextLine, inward: Sequence[TextLine], largest: float) -> bool:
    """Return whether a line is a row or a column header, and the next lines continue it."""
    # A cell with few lines may begin on the page before. Running heads have one or two cells.
    after = inward[: _MAX_SPLIT_LINES + 1 if len(line.cells) > 2 else 1]
    row = next((n for n, line in enumerate(after) if len(line.cells) > 1), 0)
    if len(line.cells) > 1 < len(after[row].cells):
        return all(
            _is_near(pair, _MAX_ROW_DISTANCE) for pair in pairwise([line, *after[: row + 1]])
        )
    alike = line.size < max(largest, HEADING_SCALE * after[0].size)
    return alike and _is_near([line, after[0]], _MAX_LINE_DISTANCE)


def _is_near(edge: Sequence[TextLine], most: float) -> bool:
    return len(edge) > 1 and abs(edge[0].base - edge[1].base) <= most * edge[0].size
