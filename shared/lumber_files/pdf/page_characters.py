"""Puts the characters of a PDF's page into words and lines, as PDFium reads and draws them.

PDFium returns the characters of a page in reading order, also of right-to-left scripts, divided
into lines, with the position and the font of each.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import dist, hypot
from operator import attrgetter, itemgetter
from statistics import median_low
from typing import Any

from lumber_core.text.unicode import SOUTHEAST_ASIAN
from lumber_files.formats.markdown_cleanup import UNSPACED, set_apart
from lumber_files.pdf.right_to_left import WORD_FROM_RIGHT, order_line
from lumber_files.pdf.text_lines import MIN_RAISE, TextLine, Word, continues_line, join_words
from lumber_files.pdf.text_repair import SPACE_GLYPHS, WORD_GOES_ON, decode_glyphs

# A hyphen at a line end is U+FFFE in PDFium's text; U+FDD1 stands for U+2010 there.
_LINE = re.compile("([^\r\n\ufffe\ufdd1]*)(\ufffe|\ufdd1|\r\n|$)")
_HYPHENS = {"\ufffe": "-", "\ufdd1": "\u2010"}
_DROPPED = "\3"  # not in PDFium's text, if it is the number of a glyph
_LONE_BREAK = re.compile("\r(?!\n)|(?<!\r)\n")  # the code of a glyph, mostly of a space
_DRAWN_TWICE, _MAX_SHIFT = re.compile(r"(?<!\S)(?:(\S)\1){2,}(?!\S)"), 0.18  # times the size
# Control codes are glyphs without a character, and no spaces.
_WORD = re.compile(r"[\S\x0b\x0c\x1c-\x1f\x85]+")
# Lines of Hangul, Burmese and Khmer may end inside a word, or behind a drawn space; those of Thai,
# Lao and Tibetan, which are below these, end inside text if no space is drawn.
_LETTER_AT_END = re.compile(f"([\uac00-\ud7a3\u0f0b{SOUTHEAST_ASIAN}])\0*( ?)\r\n")
_MIN_SPACED, _BURMESE = 0.15, "\u1000"  # of the former: a fifth to a half end between words
_STARTS_UNSPACED = re.compile(f"[{UNSPACED}]")
_JOINED = re.compile("[\u0900-\u109f\u1780-\u17ff]+")  # from Hindi to Khmer
_MIN_SPACES, _MOST_GLYPHS = (0.15, 0.22), 8  # times the size, behind a letter of one glyph or more
_LEADERS = re.compile(r"\.{4,}|(?: \.){3,}(?!\S)")  # before a page number
_BOLD = re.compile("(?i)bold|black|heavy|demi|CMBX|SFBX")
_MIN_BOLD_WEIGHT = 600
_MONOSPACED = re.compile(
    "(?i)mono|nimbusmon|monaco|courier|consol|menlo|typewriter|(?<!bar)code|(?:CM|EC|SF|LM|TX)S?L?TT"
)
_FIXED_PITCH_FLAG = 1  # in a font's flags; TeX does not set it
# Where a word may begin in what PDFium returns as one, in alphabets with spaces.
_MAY_BEGIN = re.compile("(?<=[A-Za-z\xc0-\u052f,.;:)])(?=[A-Za-z\xc0-\u052f])")
_MIN_WORD_GAP = 0.13  # times the size, of tightly set words; pairs of letters are closer
_LAST_DIGIT = re.compile(r"\d(?!.*\d)")
_MAX_DESCENT = 0.6  # times the size; no letter reaches farther below its line
_MAX_ADVANCE = 1.5  # times the size, of the letters of a word
_MIN_BAR = 4  # times the height, the width of a glyph that is a minus sign
_MAX_COPY_DIFFERENCE = 0.1  # points, between the boxes of two letters in bold
_MIN_SIZE, _MAX_FONT_NAME = 1.0, 200  # points; bytes of a font's name


class PageCharacters:
    """The characters of a page, which make its words and lines, and the `objects` drawn on it.

    `whole` has words of the file that are known to be one.
    """

    def __init__(self, pdfium: Any, page: Any, whole: set[str]) -> None:
        self._pdfium, self._whole = pdfium, whole
        numbers = range(pdfium.FPDFPage_CountObjects(page))
        self.objects = [pdfium.FPDFPage_GetObject(page, number) for number in numbers]
        self._page = pdfium.FPDFText_LoadPage(page)
        self.count: int = max(0, pdfium.FPDFText_CountChars(self._page))
        self._placed = {ctypes.addressof(o.contents): n for n, o in enumerate(self.objects)}
        self._order = [*range(self.count)]  # the numbers of characters as they are read
        self.turns = Counter[int]()  # words by the quarter turns to the left of their letters
        self._styles: dict[bytes, tuple[int, bool]] = {}
        self._matrix, self._area, self._flags = (
            pdfium.FS_MATRIX(),
            pdfium.FS_RECTF(),
            ctypes.c_int(),
        )
        self._name = ctypes.create_string_buffer(_MAX_FONT_NAME)
        self._numbers = [ctypes.c_double() for _ in range(4)]

    def lines(self, annotated: int | None = None) -> list[TextLine]:
        """Close the page's text; return its lines, from `annotated` on those of annotations."""
        buffer = (ctypes.c_ushort * (self.count + 1))()
        size = self._pdfium.FPDFText_GetText(self._page, 0, self.count, buffer)
        text = "".join(map(chr, buffer[: size - 1]))  # units of UTF-16, as PDFium counts
        if len(text) < self.count:
            text = self._with_missing(text)
        if any(glyph in text for glyph in SPACE_GLYPHS):
            text = self._with_decoded(text)
        text = _LONE_BREAK.sub(" ", text)
        if len(self.objects) > self.count / 2:
            text = self._with_doubled(text)
        text = re.sub("\u2010(?=\\S)", self._hyphen, _DRAWN_TWICE.sub(self._without_copies, text))
        text = self._with_joined(text)
        text = _LEADERS.sub(lambda match: " " * len(match[0]), text)
        if WORD_FROM_RIGHT.search(text):
            text = _LINE.sub(self._from_right, text)
        spaces = [space for end, space in _LETTER_AT_END.findall(text) if end >= _BURMESE]
        last = "\uffff" if spaces.count(" ") > max(1, _MIN_SPACED * len(spaces)) else _BURMESE
        lines: list[tuple[list[Word], bool]] = []
        for match in _LINE.finditer(text):
            parts = _WORD.finditer(text, *match.span(1))
            words = self._words([part for part in parts if part[0].strip("\0")])
            letter = match.start() + len(match[1].rstrip("\0")) - 1
            if words and match[2] in _HYPHENS:
                words[-1] = words[-1]._replace(text=words[-1].text + _HYPHENS[match[2]])
            elif words and (end := _LETTER_AT_END.match(text, letter)) and end[1] < last:
                words[-1] = words[-1]._replace(text=words[-1].text + WORD_GOES_ON)
            by_annotation = annotated is not None and match.start() >= annotated
            # PDFium joins rows that are close to each other.
            for _, row in groupby(words, key=attrgetter("base", "turns")):
                part = list(row)
                before, added = lines[-1] if lines else ([], False)
                if before and added == by_annotation and continues_line(before, part):
                    lines[-1] = join_words(before, part), added
                else:
                    lines.append((part, by_annotation))
        self._pdfium.FPDFText_ClosePage(self._page)
        most = max(self.turns, key=self.turns.__getitem__, default=0)
        return [TextLine(_turn(words, most), added=added) for words, added in lines]

    def _with_missing(self, text: str) -> str:
        """Return a text with a character for each glyph that PDFium leaves out of it.

        A bar is a minus sign. At the start of a line it is the mark of an item.
        """
        units, index_in_text = list(text), self._pdfium.FPDFText_GetTextIndexFromCharIndex
        for index in range(self.count):
            if index_in_text(self._page, index) < 0:
                starts = not index or units[index - 1] == "\n"
                left, right, foot = self._box(index, 0)
                is_bar = right - left > _MIN_BAR * (self._numbers[3].value - foot) > 1
                is_space = self._pdfium.FPDFText_GetUnicode(self._page, index) == ord(_DROPPED)
                other = "\u2022" if starts else _DROPPED if is_space else " "
                units.insert(index, "\u2212" if is_bar else other)
        return "".join(units)

    def _with_decoded(self, text: str) -> str:
        """Return a text with the characters of fonts without a map; see `decode_glyphs`."""
        units, fonts = list(text), defaultdict[int, list[int]](list)
        for index in range(self.count):
            if self._pdfium.FPDFText_HasUnicodeMapError(self._page, index) == 1:
                shown = self._pdfium.FPDFText_GetTextObject(self._page, index)
                font = self._pdfium.FPDFTextObj_GetFont(shown)
                fonts[ctypes.addressof(font.contents) if font else 0].append(index)
        for places in fonts.values():
            codes = (self._pdfium.FPDFText_GetUnicode(self._page, place) for place in places)
            for place, character in zip(places, decode_glyphs([*map(chr, codes)]), strict=False):
                units[place] = character
        return "".join(units).replace(_DROPPED, " ")

    def _with_doubled(self, text: str) -> str:
        """Return a text with doubled letters where PDFium has a space for the second one.

        Chrome draws each letter as an object. PDFium leaves out one like that before it if their
        boxes overlap, as in italics: bold print may draw each letter twice.
        """
        units = list(text)
        for space in re.finditer(r"(?<=[^\W\d_]) (?=[^\W\d_])", text):
            before, after = space.start() - 1, space.end()
            for x, y, end, _ in self._drawn_between(before, after):
                left, right, foot = self._box(before, 0)
                width, shift = right - left, x - left  # that of bold print is smaller
                unlike = max(abs(end - x - width), abs(y - foot))
                joined = self._box(after, 0)[0] < end + width / 16  # else a word ends
                if joined and shift > width / 3 and unlike < _MAX_COPY_DIFFERENCE:
                    units[before + 1] = text[before]
        return "".join(units)

    def _drawn_between(self, before: int, after: int) -> Iterator[list[float]]:
        """Yield the sides of the first objects drawn between two characters."""
        pdfium, ends = self._pdfium, [ctypes.c_float() for _ in range(4)]
        drawn = (pdfium.FPDFText_GetTextObject(self._page, index) for index in (before, after))
        at = [self._placed.get(ctypes.addressof(o.contents), -1) if o else -1 for o in drawn]
        for own in self.objects[at[0] + 1 : at[1]][:_MOST_GLYPHS]:
            pdfium.FPDFPageObj_GetBounds(own, *ends)
            yield [end.value for end in ends]

    def _with_joined(self, text: str) -> str:
        """Return a text with U+0000, which is left out later, for what PDFium adds to it.

        Chrome states the text of glyphs that make a letter. PDFium adds a space behind the first,
        and repeats the text if another one, such as a tone, begins behind the next letter.
        """
        pdfium, units, owners = self._pdfium, list(text), dict[int, int]()
        for start, stop in (run.span() for run in _JOINED.finditer(text)):
            for index in range(start, stop):
                drawn = pdfium.FPDFText_GetTextObject(self._page, index)
                mark = pdfium.FPDFPageObj_GetMark(drawn, pdfium.FPDFPageObj_CountMarks(drawn) - 1)
                if pdfium.FPDFPageObjMark_GetParamValueType(mark, b"ActualText"):
                    owner = ctypes.addressof(drawn.contents)
                    if owners.setdefault(ctypes.addressof(mark.contents), owner) != owner:
                        units[index] = "\0"
            if text[stop : stop + 1] == " " and self._is_added(max(start, stop - 4), stop):
                units[stop] = "\0"
        return "".join(units)

    def _is_added(self, start: int, space: int) -> bool:
        """Return whether PDFium adds a space between letters that touch each other."""
        rest = [*self._drawn_between(space - 1, space + 1)]
        is_drawn = any(foot == top for _, foot, _, top in rest)
        if is_drawn or not self._pdfium.FPDFText_IsGenerated(self._page, space):
            return False
        rights = [self._box(index, 0)[1] for index in range(start, space)]
        gap = self._box(space + 1, 0)[0] - max([*rights, *(right for *_, right, _ in rest)])
        size = self._font(space + 1, goes_down=False).size
        return -size < gap < _MIN_SPACES[bool(rest)] * size

    def _without_copies(self, word: re.Match[str]) -> str:
        """Return a word with U+0000, which is left out later, for each copy of a letter."""
        apart = max(dist(self._origin(n), self._origin(n + 1)) for n in range(*word.span(), 2))
        is_copy = apart < _MAX_SHIFT * self._font(word.start(), goes_down=False).size
        return "".join(f"{letter}\0" for letter in word[0][::2]) if is_copy else word[0]

    def _hyphen(self, match: re.Match[str]) -> str:
        """Return U+FDD1 for a hyphen if the character behind it is on a lower line."""
        below = self._origin(match.start())[1] - self._origin(match.end())[1] > 1
        return "\ufdd1" if below else match[0]

    def _words(self, matches: list[re.Match[str]]) -> list[Word]:
        base, font = 0.0, Word("", 0.0, 0.0, 0.0, 0.0, bold=0)
        behind = int(bool(matches) and len(matches[0][0]) == 1)  # a drop cap
        sampled = {0, behind, len(matches) // 2, len(matches) - 1}  # reading a font is slow
        words: list[Word] = []
        goes_down = self._goes_down(matches)
        for number, word in enumerate(matches):
            if number in sampled:
                font = self._font(word.start(), goes_down=goes_down)
            left, right, _, rise = ends = self._ends(word, font.turns)
            if rise > right - left:  # it is turned
                font = self._font(word.start(), goes_down=goes_down)
                left, right, _, rise = ends = self._ends(word, font.turns)
            is_wide = right - left > _MAX_ADVANCE * len(word[0]) * font.size
            close = word[0] not in self._whole and _MAY_BEGIN.search(word[0]) and not font.fixed
            for part in self._parts(word, font, is_wide=is_wide) if is_wide or close else [word]:
                left, right, foot, rise = ends if part is word else self._ends(part, font.turns)
                turned = not words or words[-1].turns != font.turns
                if turned or foot < base - _MAX_DESCENT * font.size:
                    base = self._origin(part.start(), font.turns)[1]
                level = rise < MIN_RAISE * font.size
                text = part[0] if part[0].isalpha() else self._text(part, font, level=level)
                if not text.isascii():  # join surrogate pairs
                    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
                words.append(Word(text, left, right, base, *font[4:]))
        return words

    def _goes_down(self, matches: Sequence[re.Match[str]]) -> bool:
        """Return whether a line of Chinese or Japanese is written from top to bottom."""
        if not matches or not _STARTS_UNSPACED.match(matches[0][0]):
            return False
        x, y = self._origin(matches[0].start())
        last_x, last_y = self._origin(matches[-1].end() - 1)
        return y - last_y > abs(last_x - x)

    def _parts(self, word: re.Match[str], font: Word, *, is_wide: bool) -> Iterator[re.Match[str]]:
        """Yield the parts of a word: PDFium joins letters of columns, and words set tightly."""
        pdfium, page, area, spaces, right = self._pdfium, self._page, self._area, [], 0.0
        for index in self._order[word.start() : word.end()]:
            pdfium.FPDFText_GetLooseCharBox(page, index, area)
            spaces.append(area.left - right)  # the advance of a letter is wider than its box
            right = area.right
        usual = max(0.0, median_low(spaces[1:] or [0.0]))  # of letters that are spaced
        starts = {place.start() for place in _MAY_BEGIN.finditer(word[0]) if not font.turns}
        cuts, least = [0], _MIN_WORD_GAP * font.size
        for n in range(1, len(spaces)):
            close, index = n in starts and spaces[n] - usual > least, word.start() + n
            if is_wide or (close and not pdfium.FPDFText_IsGenerated(page, self._order[index - 1])):
                end, left = self._box(index - 1, font.turns)[1], self._box(index, font.turns)[0]
                cuts += [n] * (left - end > (least if close else font.size))
        if len(cuts) == 1:
            self._whole.add(word[0])
        for ends in pairwise([*cuts, len(spaces)]):
            yield word.re.match(word.string, *(word.start() + end for end in ends)) or word

    def _ends(self, word: re.Match[str], turns: int) -> tuple[float, float, float, float]:
        """Return the sides of a word, its last character's foot, and how high it is at one end."""
        first = last = self._box(word.start(), turns)
        if len(word[0]) > 1:
            last = self._box(word.end() - 1, turns)
            rare = not word[0].isascii() and WORD_FROM_RIGHT.search(word[0])
            if rare or "\0" in word[0]:  # a part of it ends elsewhere
                boxes = [self._box(index, turns) for index in range(*word.span())]
                return min(boxes)[0], max(box[1] for box in boxes), last[2], abs(last[2] - first[2])
        return min(first[0], last[0]), max(first[1], last[1]), last[2], abs(last[2] - first[2])

    def _box(self, index: int, turns: int) -> tuple[float, float, float]:
        """Return the left and right sides of a character, and its foot."""
        self._pdfium.FPDFText_GetCharBox(self._page, self._order[index], *self._numbers)
        left, right, bottom, top = self._numbers
        if not turns:
            return left.value, right.value, bottom.value
        ends = turn_back(left.value, bottom.value, turns), turn_back(right.value, top.value, turns)
        (first, last), heights = zip(*ends, strict=True)
        return min(first, last), max(first, last), min(heights)

    def _origin(self, index: int, turns: int = 0) -> tuple[float, float]:
        """Return where a character begins on its baseline."""
        x, y = self._numbers[:2]
        self._pdfium.FPDFText_GetCharOrigin(self._page, self._order[index], x, y)
        return turn_back(x.value, y.value, turns)

    def _from_right(self, line: re.Match[str]) -> str:
        """Return a line with its text from right to left in the order in which it is read."""
        self._order[slice(*line.span())], text = order_line(line, self._places)
        return text

    def _places(self, start: int, stop: int) -> tuple[float, list[float]]:
        """Return the size of the first of some characters, and where each of them begins."""
        *_, size, _, _, turns = self._font(start, goes_down=False)
        return size, [self._origin(index, turns)[0] for index in range(start, stop)]

    def _text(self, word: re.Match[str], font: Word, *, level: bool) -> str:
        """Return the text of a word, with raised and lowered numbers set apart.

        In a `level` one the first and last characters reach equally far down.
        """
        # Each call of PDFium is slow.
        sure = level and word[0][-1].isdecimal()
        if sure or (digit := _LAST_DIGIT.search(word[0], 1)) is None:
            return word[0]
        text, least, first = "", MIN_RAISE * font.size, self._origin(word.start(), font.turns)[1]
        heights = [self._origin(index, font.turns)[1] - first for index in range(*word.span())]
        if level and abs(heights[digit.start()]) < least:
            return word[0]
        for place, unit in enumerate(word[0]):  # the font may have raised digits on the line
            if unit.isdecimal():
                foot = self._box(word.start() + place, font.turns)[2] - first
                heights[place] = max(heights[place], foot)
        kinds = ["sup" if up > least else "sub" if up < -least else "after" for up in heights]
        for kind, part in groupby(zip(kinds, word[0], strict=True), key=itemgetter(0)):
            text += set_apart(kind, text[-1:], "".join(unit for _, unit in part))
        return text

    def _font(self, index: int, *, goes_down: bool) -> Word:
        """Return a word without place that is drawn as a character is.

        A line that `goes_down` is read as if it were turned, so that the first is at the top.
        """
        pdfium, page, matrix = self._pdfium, self._page, self._matrix
        own = self._order[index]
        pdfium.FPDFText_GetMatrix(page, own, matrix)
        size = pdfium.FPDFText_GetFontSize(page, own) * hypot(matrix.c, matrix.d)
        if size < _MIN_SIZE:  # a font whose glyphs are drawings may have any
            left, right, _ = self._box(index, 0)
            size = max(_MIN_SIZE, right - left, self._numbers[3].value - self._numbers[2].value)
        turns = 3 if goes_down else 0
        if abs(matrix.b) > abs(matrix.a):
            turns = 1 if matrix.b > 0 else 3
        elif matrix.a < 0 and matrix.d < 0:
            turns = 2
        pdfium.FPDFText_GetFontInfo(page, own, self._name, _MAX_FONT_NAME, self._flags)
        font = self._name.value
        if font not in self._styles:
            name = font.decode("latin-1")
            weight = pdfium.FPDFText_GetFontWeight(page, own)
            bold = weight >= _MIN_BOLD_WEIGHT or _BOLD.search(name) is not None
            self._styles[font] = (
                2 if bold else int("medium" in name.lower()),
                bool(self._flags.value & _FIXED_PITCH_FLAG) or _MONOSPACED.search(name) is not None,
            )
        self.turns[turns] += 1
        return Word("", 0.0, 0.0, 0.0, round(2 * size) / 2, *self._styles[font], turns)


def turn_back(x: float, y: float, turns: int) -> tuple[float, float]:
    """Return a point of a page that is turned back by quarter turns."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turns]


def _turn(words: list[Word], most: int) -> list[Word]:
    """Return the words of a line as one at its foot if it is not turned as most of its page."""
    first, last = words[0], words[-1]
    turns = (most - first.turns) % 4
    if not turns:
        return words
    start = turn_back(first.left, first.base, turns)
    end = turn_back(last.right, first.base + first.size, turns)
    left, right = sorted((start[0], end[0]))
    text = " ".join(word.text for word in words)
    return [first._replace(text=text, left=left, right=right, base=min(start[1], end[1]))]
