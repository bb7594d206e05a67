"""Puts text from right to left, such as Arabic and Hebrew, in reading order."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, groupby
from unicodedata import combining

from lumber_files.pdf.text_lines import FROM_RIGHT, TextLine, is_from_right

WORD_FROM_RIGHT = re.compile(f"{FROM_RIGHT.pattern}{{2,}}")
_ARABIC = re.compile("[\u0600-\u06ff\u0750-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
# Parts of a line that are read from left to right: words of other alphabets with the number after
# them, and numbers. A hyphen or "%" belongs to a number in Hebrew, not in Arabic.
_OTHERS = "[A-Za-z\xc0-\u052f\ud800-\udfff]"
_RUNS = [
    re.compile(
        rf"(?:\d[\d.,:/-]{{,40}}[ -]?)?{_OTHERS}(?:[^\u0590-\u08ff\ufb1d-\ufefc]*{_OTHERS})?"
        rf"|\d{{3}}(?: \d{{3}})* \d{{1,3}}(?!\d)|{percent}\d(?:[{signs}]?\d)*(?:[-\u2212](?!\S))?"
    )
    for percent, signs in (("%?", ".,:/+-"), ("", ".,:/\u066b\u066c"))
]
# Brackets that close before a word or open after it: some PDFs have mirrored brackets, as drawn.
_TURNED = re.compile(r"(?<!\S)[)\]}\xbb](?=\S)|(?<=\S)[(\[{\xab](?![^\s.,:;!?\u060c\u061b\u061f])")
_MIRROR = str.maketrans("()[]{}\xab\xbb", ")(][}{\xbb\xab")
_MAX_DIGIT_WIDTH = 1.1  # times the font size: a digit and a space inside a number
_BEHIND_NUMBER = re.compile(r"[-+]?\d\S* ")
_MAX_PLACE_DIFFERENCE = 0.1  # points, between a number and a space that PDFium adds
_WHOLE = re.compile("\\S[^\r\n\ufffe\ufdd1]*(?<=\\S)")
_ALEFS = "\u0622\u0623\u0625\u0627\u0671"


def order_line(
    line: re.Match[str], places: Callable[[int, int], tuple[float, list[float]]]
) -> tuple[list[int], str]:
    """Return the reading order of the characters of a line, and their text.

    For a range of characters, `places` returns the size of the type and the start of each.
    """
    order, from_right = [*range(*line.span())], is_from_right(line[1])
    parts = (_WHOLE if from_right else WORD_FROM_RIGHT).finditer(line.string, *line.span(1))
    for start, stop in (part.span() for part in parts):
        numbers = _order(line.string[start:stop], *places(start, stop))
        order[start - line.start() : stop - line.start()] = [start + number for number in numbers]
    text = "".join(line.string[index] for index in order)
    return order, _TURNED.sub(lambda o: o[0].translate(_MIRROR), text) if from_right else text


def _order(text: str, size: float, lefts: list[float]) -> list[int]:
    """Return the numbers of characters in reading order, by their places.

    PDFium keeps the order in which letters are drawn, but not that of punctuation and numbers. The
    letters of a ligature are at one place, mostly in reverse: an alef after its lam, a mark last.
    """
    for number in _BEHIND_NUMBER.finditer(text):
        first, space = number.start(), number.end() - 1
        if abs(lefts[space] - lefts[first]) < _MAX_PLACE_DIFFERENCE:
            lefts[space] -= 2 * _MAX_PLACE_DIFFERENCE
    ranks = [2 if combining(o) else (o in _ALEFS) - (o == " ") for o in text]
    order = sorted(range(len(text)), key=lambda n: (-round(lefts[n], 1), ranks[n], -n))
    characters = [text[n] for n in order]
    for n, (before, after) in enumerate(zip(order, order[2:], strict=False), start=1):
        if characters[n] == " " and lefts[before] - lefts[after] > _MAX_DIGIT_WIDTH * size:
            characters[n] = "\t"  # between words or cells
    drawn = "".join(characters)
    for run in _RUNS[bool(_ARABIC.search(drawn))].finditer(drawn):
        order[slice(*run.span())] = order[slice(*run.span())][::-1]
    return order


def mirror_line(line: TextLine) -> TextLine:
    """Return a line of a page from right to left with its left and right exchanged."""
    words = [word._replace(left=-word.right, right=-word.left) for word in line.words]
    cells = sorted(TextLine(words).cells, key=lambda cell: cell[0].left)
    groups = (groupby(cell, key=lambda word: is_from_right(word.text)) for cell in cells)
    runs = [[*run] for group in groups for _, run in group]
    for run in runs:
        ends = run[0].right + run[-1].left  # other alphabets are read in their own direction
        if run[0].left > run[-1].left and any(o.text.upper().isupper() for o in run):
            run[:] = [o._replace(left=ends - o.right, right=ends - o.left) for o in run]
    return TextLine([*chain(*runs)], added=line.added)
