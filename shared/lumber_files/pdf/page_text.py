"""The text of a PDF's page, corrected where PDFium omits, adds or cannot decode characters.

It has a character for each glyph. U+0000 marks a character that is left out later.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from math import dist

from lumber_files.pdf.page_glyphs import PageGlyphs
from lumber_files.pdf.text_repair import UNDECODABLE

LOWER_HYPHEN = "\ufdd1"
"""Replaces U+2010 at the end of a line, as U+FFFE replaces a hyphen in PDFium's text."""
_DROPPED = "\3"  # PDFium's text omits glyphs with this number
_LONE_BREAK = re.compile("\r(?!\n)|(?<!\r)\n")  # no line break, but a glyph, mostly a space
_DRAWN_TWICE = re.compile(r"(?<!\S)(?:(\S)\1){2,}(?!\S)")
_MAX_COPY_SHIFT = 0.18  # times the font size, between a letter and its copy, drawn to look bold
_JOINED = re.compile("[\u0900-\u109f\u1780-\u17ff]+")  # scripts from Hindi to Burmese, and Khmer
_MIN_SPACE_WIDTHS = 0.15, 0.22  # times the font size, after a letter of one glyph, and of several
_LEADERS = re.compile(r"\.{4,}|(?: \.){3,}(?!\S)")  # dots before a page number in a contents list
_MIN_MINUS_WIDTH = 4  # times the height: the minimum width of a minus sign
_MAX_COPY_DIFFERENCE = 0.1  # points, between the boxes of two letters in bold

# Accents that are drawn apart from their letters, as combining characters. The last eight are
# codes of old TeX.
_ACCENTS = dict(
    zip(
        "`\xb4\u02c6\u02dc\xaf\u02d8\u02d9\xa8\u02da\u02dd\u02c7\xb8\u02db"
        "\x12\x13\x14\x15\x16\x17\x18\x7f",
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328"
        "\u0300\u0301\u030c\u0306\u0304\u030a\u0327\u0308",
        strict=True,
    )
)
_ACCENT = re.compile(f"[{''.join(_ACCENTS)}]")
_MARKS_BELOW = "\u0327\u0328"
_DOTLESS = {0x10: "i", 0x131: "i"}
_MAX_ACCENTS = 500  # accents of a page that are compared with letters of their lines
_MAX_LINE_LETTERS = 150  # letters before an accent that are compared with it
_MAX_LETTER_GAP = 0.25  # times the height of a letter, to the next one

# Most TrueType fonts begin with the characters of ASCII and accented letters, in this order. For a
# font without a map to characters, PDFium returns the numbers of glyphs: "7KH" for "The".
_FIRST_GLYPHS = bytes([*range(32, 127), *range(128, 160)]).decode("mac_roman")
# These marks begin so many glyphs after the space, in most fonts.
_MARKS, _MARKS_AFTER = "\u2013\u2014\u201c\u201d\u2018\u2019", 174
_FIRST_ACCENTED_GLYPH = 160  # in other fonts, accented letters begin here and replace these marks
_SPACE_GLYPHS = "\1\2\3\4"  # the numbers that the space may have in such a font
_SPACE_SHARES = 0.08, 0.4  # minimum and maximum share of spaces in a text
_MIN_TEXT_SHARE = 0.88  # share of letters, digits and spaces; lower if glyphs have another order


def read_characters(glyphs: PageGlyphs) -> str:
    """Return the text of a page, in units of UTF-16 as PDFium counts."""
    buffer = (ctypes.c_ushort * (glyphs.count + 1))()
    size = glyphs.pdfium.FPDFText_GetText(glyphs.page, 0, glyphs.count, buffer)
    text = "".join(map(chr, buffer[: size - 1]))
    if len(text) < glyphs.count:
        text = _with_missing(text, glyphs)
    if any(glyph in text for glyph in _SPACE_GLYPHS):
        text = _with_decoded(text, glyphs)
    text = _LONE_BREAK.sub(" ", text)
    if len(glyphs.objects) > glyphs.count / 2:
        text = _with_doubled(text, glyphs)
    text = _DRAWN_TWICE.sub(lambda word: _without_copies(word, glyphs), text)
    text = re.sub("\u2010(?=\\S)", lambda hyphen: _hyphen(hyphen, glyphs), text)
    text = _LEADERS.sub(lambda match: " " * len(match[0]), _with_joined(text, glyphs))
    return _with_accents(text, glyphs)


def _with_missing(text: str, glyphs: PageGlyphs) -> str:
    """Return a text with the characters of glyphs that PDFium omits.

    A bar is a minus sign, or at the start of a line the mark of an item.
    """
    units, index_in_text = list(text), glyphs.pdfium.FPDFText_GetTextIndexFromCharIndex
    for index in range(glyphs.count):
        if index_in_text(glyphs.page, index) < 0:
            starts = not index or units[index - 1] == "\n"
            left, right, _ = glyphs.box(index, 0)
            is_bar = right - left > _MIN_MINUS_WIDTH * glyphs.height(index) > 1
            is_space = glyphs.pdfium.FPDFText_GetUnicode(glyphs.page, index) == ord(_DROPPED)
            other = "\u2022" if starts else _DROPPED if is_space else " "
            units.insert(index, "\u2212" if is_bar else other)
    return "".join(units)


def _with_decoded(text: str, glyphs: PageGlyphs) -> str:
    """Return a text with the characters of fonts without a map; see `decode_glyphs`."""
    units, fonts = list(text), defaultdict[int, list[int]](list)
    for index in range(glyphs.count):
        if glyphs.pdfium.FPDFText_HasUnicodeMapError(glyphs.page, index) == 1:
            text_object = glyphs.pdfium.FPDFText_GetTextObject(glyphs.page, index)
            font = glyphs.pdfium.FPDFTextObj_GetFont(text_object)
            fonts[ctypes.addressof(font.contents) if font else 0].append(index)
    for places in fonts.values():
        codes = (glyphs.pdfium.FPDFText_GetUnicode(glyphs.page, place) for place in places)
        for place, character in zip(places, decode_glyphs([*map(chr, codes)]), strict=False):
            units[place] = character
    return "".join(units).replace(_DROPPED, " ")


def decode_glyphs(glyphs: Sequence[str]) -> str:
    """Return the characters of a font's glyph numbers; "" if they are not text."""
    space = ord(max(_SPACE_GLYPHS, key=glyphs.count))
    characters = {
        chr(glyph): character for glyph, character in enumerate(_FIRST_GLYPHS, start=space)
    }
    marks = {chr(glyph): mark for glyph, mark in enumerate(_MARKS, start=space + _MARKS_AFTER)}
    if {glyph for glyph in glyphs if glyph >= chr(_FIRST_ACCENTED_GLYPH)} <= marks.keys():
        characters |= marks
    text = "".join(characters.get(glyph, UNDECODABLE) for glyph in glyphs)
    least, most = (share * len(text) for share in _SPACE_SHARES)
    letters, spaces = sum(map(str.isalnum, text)), text.count(" ")
    is_text = least <= spaces <= most and letters + spaces >= _MIN_TEXT_SHARE * len(text)
    return text if is_text else ""


def _with_doubled(text: str, glyphs: PageGlyphs) -> str:
    """Return a text with doubled letters where PDFium has a space instead of the second letter.

    Chrome draws each letter as an object. PDFium omits a letter equal to the one before if their
    boxes overlap, as in italics, because bold print may draw each letter twice.
    """
    units = list(text)
    for space in re.finditer(r"(?<=[^\W\d_]) (?=[^\W\d_])", text):
        before, after = space.start() - 1, space.end()
        for x, y, end, _ in glyphs.sides_between(before, after):
            left, right, foot = glyphs.box(before, 0)
            width = right - left
            unlike = max(abs(end - x - width), abs(y - foot))
            # In bold print the letters are nearer.
            if unlike < _MAX_COPY_DIFFERENCE and x - left > width / 3:
                joined = glyphs.box(after, 0)[0] < end + width / 16  # otherwise a word ends
                units[before + 1] = text[before] if joined else units[before + 1]
    return "".join(units)


def _with_joined(text: str, glyphs: PageGlyphs) -> str:
    """Return a text with U+0000, which is left out later, for characters that PDFium adds.

    Chrome states the text of several glyphs that form a letter. PDFium adds a space after the first
    glyph, and repeats the text if another glyph, such as a tone, begins after the next letter.
    """
    pdfium, units, owners = glyphs.pdfium, list(text), dict[int, int]()
    for start, stop in (run.span() for run in _JOINED.finditer(text)):
        for index in range(start, stop):
            drawn = pdfium.FPDFText_GetTextObject(glyphs.page, index)
            mark = pdfium.FPDFPageObj_GetMark(drawn, pdfium.FPDFPageObj_CountMarks(drawn) - 1)
            if pdfium.FPDFPageObjMark_GetParamValueType(mark, b"ActualText"):
                owner = ctypes.addressof(drawn.contents)
                if owners.setdefault(ctypes.addressof(mark.contents), owner) != owner:
                    units[index] = "\0"
        if text[stop : stop + 1] == " " and _is_added(max(start, stop - 4), stop, glyphs):
            units[stop] = "\0"
    return "".join(units)


def _is_added(start: int, space: int, glyphs: PageGlyphs) -> bool:
    """Return whether PDFium adds a space between letters that touch each other."""
    rest = [*glyphs.sides_between(space - 1, space + 1)]
    is_drawn = any(foot == top for _, foot, _, top in rest)
    if is_drawn or not glyphs.is_generated(space):
        return False
    rights = [glyphs.box(index, 0)[1] for index in range(start, space)]
    gap = glyphs.box(space + 1, 0)[0] - max([*rights, *(right for *_, right, _ in rest)])
    size = glyphs.font(space + 1, goes_down=False).size
    return -size < gap < _MIN_SPACE_WIDTHS[bool(rest)] * size


def _with_accents(text: str, glyphs: PageGlyphs) -> str:
    """Return a text with accents on the letters that they are drawn at; U+0000 follows a letter.

    Old TeX draws accents separately. PDFium puts accents of capitals, which are higher, at the end
    of the line.
    """
    units = list(text)
    for index in [match.start() for match in _ACCENT.finditer(text)][:_MAX_ACCENTS]:
        for place in (index + 1, *range(index - 1, max(-1, index - _MAX_LINE_LETTERS), -1)):
            letter = "".join(units[place : place + 1]).translate(_DOTLESS)
            accented = unicodedata.normalize("NFC", letter + _ACCENTS[units[index]])
            if letter.isalpha() and len(accented) == 1 and _is_at(index, place, units, glyphs):
                units[place], units[index] = accented, "\0"
                place -= place > index
                for order in (units, glyphs.order):
                    order.insert(place + 1, order.pop(index))
                _close_gap(place - 2, place - 1, units, glyphs)
                _close_gap(place, place + 2, units, glyphs)
                break
    return "".join(units)


def _is_at(accent: int, letter: int, units: Sequence[str], glyphs: PageGlyphs) -> bool:
    """Return whether an accent is drawn above or below the middle of a letter."""
    left, right, foot = glyphs.box(accent, 0)
    first, last, base = glyphs.box(letter, 0)
    height = glyphs.height(letter)
    low, high = (-1.0, 0.2) if _ACCENTS[units[accent]] in _MARKS_BELOW else (0.5, 2.0)
    distance = abs(left + right - first - last) / 2
    return distance < (last - first) / 2 and low * height < foot - base < high * height


def _close_gap(before: int, space: int, units: list[str], glyphs: PageGlyphs) -> None:
    """Replace a space that PDFium adds beside an accent, if no space is between the letters."""
    inside = before >= 0 and space + 1 < len(units) and units[space] == " "
    if inside and glyphs.is_generated(space):
        gap = glyphs.box(space + 1, 0)[0] - glyphs.box(before, 0)[1]
        height = max(glyphs.height(before), glyphs.height(space + 1))  # an apostrophe is low
        units[space] = "\0" if gap < _MAX_LETTER_GAP * height else " "


def _without_copies(word: re.Match[str], glyphs: PageGlyphs) -> str:
    """Return a word with U+0000, which is left out later, for each copy of a letter."""
    distance = max(dist(glyphs.origin(n), glyphs.origin(n + 1)) for n in range(*word.span(), 2))
    is_copy = distance < _MAX_COPY_SHIFT * glyphs.font(word.start(), goes_down=False).size
    return "".join(f"{letter}\0" for letter in word[0][::2]) if is_copy else word[0]


def _hyphen(match: re.Match[str], glyphs: PageGlyphs) -> str:
    """Return U+FDD1 for a hyphen if the character after it is on a lower line."""
    below = glyphs.origin(match.start())[1] - glyphs.origin(match.end())[1] > 1
    return LOWER_HYPHEN if below else match[0]
