"""Puts the text of a PDF's page into words and lines, as PDFium divides it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from statistics import median_low

from lumber_core.text.unicode import SOUTHEAST_ASIAN
from lumber_files.formats.markdown_cleanup import UNSPACED, mark_script
from lumber_files.pdf.page_glyphs import PageGlyphs, unrotate
from lumber_files.pdf.page_text import LOWER_HYPHEN, read_characters
from lumber_files.pdf.right_to_left import WORD_FROM_RIGHT, order_line
from lumber_files.pdf.text_lines import MIN_RAISE, TextLine, Word, continues_line, join_words
from lumber_files.pdf.text_repair import WORD_GOES_ON

_LINE = re.compile(f"([^\r\n\ufffe{LOWER_HYPHEN}]*)(\ufffe|{LOWER_HYPHEN}|\r\n|$)")
_HYPHENS = {"\ufffe": "-", LOWER_HYPHEN: "\u2010"}
# Control codes are glyphs without a character, not spaces.
_WORD = re.compile(r"[\S\x0b\x0c\x1c-\x1f\x85]+")
# Lines of Hangul, Burmese and Khmer may end inside a word, or after a drawn space. Lines of Thai,
# Lao and Tibetan (lower code points) end inside text if no space is drawn.
_LETTER_AT_END = re.compile(f"([\uac00-\ud7a3\u0f0b{SOUTHEAST_ASIAN}])\0*( ?)\r\n")
# A fifth to a half of the lines of Hangul, Burmese and Khmer end between words.
_MIN_SPACED, _BURMESE = 0.15, "\u1000"
_STARTS_UNSPACED = re.compile(f"[{UNSPACED}]")
# Places inside a word of PDFium where another word may begin, in alphabets with spaces.
_MAY_BEGIN = re.compile("(?<=[A-Za-z\xc0-\u052f,.;:)])(?=[A-Za-z\xc0-\u052f])")
_MIN_WORD_GAP = 0.13  # times the font size, of tightly set words; pairs of letters are closer
_LAST_DIGIT = re.compile(r"\d(?!.*\d)")
_MAX_DESCENT = 0.6  # times the font size; no letter reaches farther below its line
_MAX_ADVANCE = 1.5  # times the font size, per letter of a word


class PageWords:
    """The words of a page.

    Args:
        glyphs: The glyphs of the page.
        whole_words: Words of the file that must not be divided; more are added.
    """

    def __init__(self, glyphs: PageGlyphs, whole_words: set[str]) -> None:
        self._glyphs, self._whole_words = glyphs, whole_words

    def lines(self, annotated: int | None = None) -> list[TextLine]:
        """Close the page's text and return its lines; those of annotations begin at `annotated`."""
        text = read_characters(self._glyphs)
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
        self._glyphs.close()
        most = max(self._glyphs.turns, key=self._glyphs.turns.__getitem__, default=0)
        return [TextLine(_turn(words, most), added=added) for words, added in lines]

    def _words(self, matches: list[re.Match[str]]) -> list[Word]:
        base, font = 0.0, Word("", 0.0, 0.0, 0.0, 0.0, bold=0)
        behind = int(bool(matches) and len(matches[0][0]) == 1)  # a bullet or drop cap
        sampled = {0, behind, len(matches) // 2, len(matches) - 1}  # reading a font is slow
        words: list[Word] = []
        goes_down = self._goes_down(matches)
        for number, word in enumerate(matches):
            if number in sampled:
                font = self._glyphs.font(word.start(), goes_down=goes_down)
            left, right, _, rise = ends = self._ends(word, font.turns)
            if rise > right - left:  # a word that is higher than wide may be turned
                font = self._glyphs.font(word.start(), goes_down=goes_down)
                left, right, _, rise = ends = self._ends(word, font.turns)
            text = word[0]
            is_wide = right - left > _MAX_ADVANCE * len(text) * font.size
            close = text not in self._whole_words and _MAY_BEGIN.search(text) and not font.fixed
            tag, last_tag = self._glyphs.tag(word.start()), self._glyphs.tag(word.end() - 1)
            may_part = is_wide or close or tag.cell != last_tag.cell
            for part in self._parts(word, font, is_wide=is_wide) if may_part else [word]:
                left, right, foot, rise = ends if part is word else self._ends(part, font.turns)
                turned = not words or words[-1].turns != font.turns
                if turned or foot < base - _MAX_DESCENT * font.size:
                    base = self._glyphs.origin(part.start(), font.turns)[1]
                level = rise < MIN_RAISE * font.size
                text = part[0] if part[0].isalpha() else self._text(part, font, level=level)
                if not text.isascii():  # join surrogate pairs
                    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
                if part is not word:
                    tag = self._glyphs.tag(part.start())
                if not words and self._glyphs.follows_bullet(part.start()):
                    words.append(Word("•", left - font.size, left, base, *font[4:8], *tag[:2]))
                words.append(Word(text, left, right, base, *font[4:8], *tag[:2]))
        return words

    def _goes_down(self, matches: Sequence[re.Match[str]]) -> bool:
        """Return whether a line of Chinese or Japanese is written from top to bottom."""
        if not matches or not _STARTS_UNSPACED.match(matches[0][0]):
            return False
        x, y = self._glyphs.origin(matches[0].start())
        last_x, last_y = self._glyphs.origin(matches[-1].end() - 1)
        return y - last_y > abs(last_x - x)

    def _parts(self, word: re.Match[str], font: Word, *, is_wide: bool) -> Iterator[re.Match[str]]:
        """Yield the parts of a word: PDFium joins letters of cells, and words set tightly."""
        spaces = self._glyphs.spaces(*word.span())
        usual = max(0.0, median_low(spaces[1:] or [0.0]))  # the usual space between its letters
        starts = {place.start() for place in _MAY_BEGIN.finditer(word[0]) if not font.turns}
        cuts, least = [0], _MIN_WORD_GAP * font.size
        cells = [self._glyphs.tag(index).cell for index in range(*word.span())]
        for n in range(1, len(spaces)):
            close, index = n in starts and spaces[n] - usual > least, word.start() + n
            if cells[n - 1] != cells[n]:
                cuts.append(n)
            elif is_wide or (close and not self._glyphs.is_generated(index - 1)):
                end = self._glyphs.box(index - 1, font.turns)[1]
                left = self._glyphs.box(index, font.turns)[0]
                cuts += [n] * (left - end > (least if close else font.size))
        if len(cuts) == 1:
            self._whole_words.add(word[0])
        for ends in pairwise([*cuts, len(spaces)]):
            yield word.re.match(word.string, *(word.start() + end for end in ends)) or word

    def _ends(self, word: re.Match[str], turns: int) -> tuple[float, float, float, float]:
        """Return the sides of a word, its last character's bottom, and its height at one end."""
        text, (start, stop) = word[0], word.span()
        left, right, first = self._glyphs.box(start, turns)
        if stop == start + 1:
            return left, right, first, 0.0
        other, end, foot = self._glyphs.box(stop - 1, turns)
        rare = not text.isascii() and WORD_FROM_RIGHT.search(text)
        if rare or "\0" in text:  # its first and last characters may not be at its sides
            lefts, rights, _ = zip(
                *(self._glyphs.box(n, turns) for n in range(start, stop)), strict=True
            )
            left, right, other, end = min(lefts), max(rights), left, right
        return min(left, other), max(right, end), foot, abs(foot - first)

    def _from_right(self, line: re.Match[str]) -> str:
        """Return a line with its right-to-left text in reading order."""
        self._glyphs.order[slice(*line.span())], text = order_line(line, self._places)
        return text

    def _places(self, start: int, stop: int) -> tuple[float, list[float]]:
        """Return the size of the first character, and where each character begins."""
        *_, size, _, _, turns, _, _ = self._glyphs.font(start, goes_down=False)
        return size, [self._glyphs.origin(index, turns)[0] for index in range(start, stop)]

    def _text(self, word: re.Match[str], font: Word, *, level: bool) -> str:
        """Return the text of a word, with superscript and subscript numbers separated.

        In a `level` word, the first and last characters have the same bottom.
        """
        # Each call of PDFium is slow.
        sure = level and word[0][-1].isdecimal()
        if sure or (digit := _LAST_DIGIT.search(word[0], 1)) is None:
            return word[0]
        text, least = "", MIN_RAISE * font.size
        feet = [self._glyphs.origin(index, font.turns)[1] for index in range(*word.span())]
        heights = [foot - feet[0] for foot in feet]
        if level and abs(heights[digit.start()]) < least:
            return word[0]
        for place, unit in enumerate(word[0]):  # the font may have raised digits on the line
            if unit.isdecimal():
                foot = self._glyphs.box(word.start() + place, font.turns)[2] - feet[0]
                heights[place] = max(heights[place], foot)
        kinds = ["sup" if up > least else "sub" if up < -least else "after" for up in heights]
        for kind, part in groupby(zip(kinds, word[0], strict=True), key=itemgetter(0)):
            text += mark_script(kind, text[-1:], "".join(unit for _, unit in part))
        return text


def _turn(words: list[Word], most: int) -> list[Word]:
    """Return a line as one word at its bottom if it is not turned like most of its page."""
    first, last = words[0], words[-1]
    turns = (most - first.turns) % 4
    if not turns:
        return words
    start = unrotate(first.left, first.base, turns)
    end = unrotate(last.right, first.base + first.size, turns)
    left, right = sorted((start[0], end[0]))
    text = " ".join(word.text for word in words)
    return [first._replace(text=text, left=left, right=right, base=min(start[1], end[1]))]
