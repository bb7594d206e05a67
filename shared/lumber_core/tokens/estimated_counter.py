"""An estimate of how many tokens a text has, for any script, without a vocabulary.

Byte-pair tokenizers such as cl100k_base are regular: about one token for the start of a word,
little for the letters after it, one for three digits, one for a run of blanks, and one to three for
each character of a script that is rare in their training data. So each character has a cost that
depends on its class, on the class of the character before it, and on whether it is deep inside a
long word. The estimate is the sum of the costs.

The costs are in hundredths of a token, so sums are exact and do not depend on how a text is cut
for counting. They are the least-squares fit to the larger of the counts of cl100k_base and
o200k_base, over prose in 80 languages and about 80 kinds of code, data, logs and symbols, each
kind with the same weight and English prose with more. The repository has the costs, not the texts
or the program of the fit.
"""

# numpy is imported inside functions: making a splitter should not wait for it.
from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from lumber_core.tokens.counter import SlicedText

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Classes whose cost depends on the character before. The first four are blank; a later space is a
# space after a blank, and a repeated mark repeats the character before it, as in a ruled line.
_SPACE, _LATER_SPACE, _LINE, _TAB, _MARK, _REPEATED, _DIGIT, _VOWEL, _CONSONANT, _RARE, _CAPITAL = (
    range(11)
)
_ASCII = {
    _SPACE: " ",
    _LINE: "\n\r",
    _TAB: "\t",
    _MARK: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    _DIGIT: "0123456789",
    _VOWEL: "aeiou",
    _CONSONANT: "bcdfghlmnprst",
    _RARE: "jkqvwxyz",
    _CAPITAL: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
}
# The cost of a character of these classes (columns) after a character of some kind (rows). The
# start of a word, a number or a mark costs at least 0.8 tokens after a blank, even if less would
# fit better.
_COLUMNS = (_LATER_SPACE, _LINE, _TAB, _MARK, _DIGIT, _VOWEL, _CONSONANT, _RARE, _CAPITAL)
_START = (0, 89, 68, 87, 100, 85, 85, 85, 85)
_AFTER_SPACE = (129, 89, 68, 87, 174, 85, 85, 85, 85)
_AFTER_LINE = (129, 2, 68, 87, 80, 85, 85, 85, 153)
_AFTER_MARK = (0, 0, 73, 40, 80, 30, 57, 119, 67)
_AFTER_DIGIT = (0, 105, 73, 87, 32, 92, 79, 149, 79)
_AFTER_VOWEL = (0, 105, 73, 80, 107, 4, 0, 60, 0)
_AFTER_CONSONANT = (0, 105, 73, 80, 107, 0, 0, 0, 7)
_AFTER_RARE = (0, 105, 73, 80, 107, 120, 28, 264, 190)
_AFTER_CAPITAL = (0, 105, 73, 80, 107, 0, 0, 257, 29)
_AFTER_SCRIPT = (0, 7, 73, 162, 107, 73, 40, 31, 31)
_ROWS = {
    _SPACE: _AFTER_SPACE,
    _LATER_SPACE: (1, *_AFTER_SPACE[1:]),
    _LINE: _AFTER_LINE,
    _TAB: (129, 89, *_AFTER_LINE[2:]),
    _MARK: _AFTER_MARK,
    _REPEATED: _AFTER_MARK,
    _DIGIT: _AFTER_DIGIT,
    _VOWEL: _AFTER_VOWEL,
    _CONSONANT: _AFTER_CONSONANT,
    _RARE: _AFTER_RARE,
    _CAPITAL: _AFTER_CAPITAL,
}
_REPEATED_COST = 4
# Tokens: 1.79 and 1.29 (the largest differences of two costs), 7 * 0.22 for letters, and rounding.
_MAX_ADDED_PER_PART = 6
_LONG_WORD_COST = 22  # additional cost of each letter of a Latin word from the eighth on


class _Script(NamedTuple):
    """Code points that all cost the same, whatever comes before."""

    first: int
    last: int
    cost: int
    latin: bool = False  # its characters are letters of Latin words
    signs: bool = False  # its characters are cheap when repeated


# Later entries override earlier entries.
_SCRIPTS = (
    _Script(0x0000, 0x10FFFF, 237),  # all code points not listed below
    _Script(0x0000, 0x009F, 100),  # control characters
    _Script(0x00A0, 0x00BF, 54),  # signs of Latin-1
    _Script(0x00C0, 0x024F, 159, latin=True),  # Latin letters with a mark
    _Script(0x0300, 0x036F, 210),  # combining marks
    _Script(0x0370, 0x03FF, 103),  # Greek
    _Script(0x0400, 0x052F, 285),  # Cyrillic
    _Script(0x0410, 0x044F, 56),  # the letters of Russian
    _Script(0x0590, 0x05FF, 120),  # Hebrew
    _Script(0x0600, 0x06FF, 167),  # Arabic
    _Script(0x0620, 0x064A, 82),  # the letters of Arabic
    _Script(0x0900, 0x097F, 122),  # Devanagari
    _Script(0x0980, 0x09FF, 146),  # Bengali
    _Script(0x0A00, 0x0DFF, 192),  # Gurmukhi to Sinhala
    _Script(0x0B80, 0x0BFF, 153),  # Tamil
    _Script(0x0E00, 0x0E7F, 97),  # Thai
    _Script(0x1E00, 0x1EFF, 59, latin=True),  # Latin letters with several marks
    _Script(0x2000, 0x206F, 82),  # punctuation
    _Script(0x200B, 0x200F, 172),  # zero-width characters and directions
    _Script(0x2028, 0x202F, 172),  # separators and directions
    _Script(0x205F, 0x206F, 172),  # invisible operators
    _Script(0x2070, 0x2BFF, 283, signs=True),  # symbols
    _Script(0x2500, 0x259F, 111, signs=True),  # boxes and blocks
    _Script(0x3000, 0x303F, 86),  # CJK punctuation
    _Script(0x3040, 0x309F, 98),  # Hiragana
    _Script(0x30A0, 0x30FF, 109),  # Katakana
    _Script(0x3400, 0x9FFF, 213),  # Han
    _Script(0xAC00, 0xD7AF, 127),  # Hangul
    _Script(0xFF00, 0xFFEF, 176),  # full-width forms
    _Script(0x10000, 0x10FFFF, 320),  # beyond the basic plane
    _Script(0x1F000, 0x1FAFF, 276),  # emoji
)
# Han characters by their rows in GB 2312: frequent and less frequent characters.
_HAN = ((16, 55, 118), (56, 87, 190))

_BLOCK_LENGTH = 1 << 15  # characters counted together: their arrays fit into a processor's cache
_CONTEXT_LENGTH = 8  # characters before a character that its cost depends on
_SEPARATOR = "\0"  # joins texts; the costs after it are those at the start of a text
# Letters of the alphabets from Greek on. Kana, ideographs and Hangul are not among them, because
# each of these characters carries more than a letter does.
_ALPHABETS = re.compile(
    "[\u0370-\u1dff\u1f00-\u1fff\u2c00-\u2dff\ua000-\uabff\ufb00-\ufdff\U00010000-\U0001f000]"
)


class EstimatedCounter:
    """Estimates how many tokens cl100k_base or o200k_base counts, whichever is more.

    Needs no vocabulary and no network. English prose has about 1.3 tokens a word, as with
    either encoding. For Arabic, Thai and the scripts of India, cl100k_base makes two to five times
    as many tokens as o200k_base, and the estimate is near cl100k_base.

    A text that is not empty has at least 1 token. Removing characters at the end, or blanks at the
    start, never raises the count. The counts of two texts add up to the count of both joined,
    except for a token or two at the joint.
    """

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, in order."""
        import numpy as np

        counts: list[int] = []
        before = [*accumulate(map(len, texts), initial=0)]
        first = 0
        while first < len(texts):
            last = bisect_left(before, before[first] + _BLOCK_LENGTH, first + 1)
            joined = _SEPARATOR.join([*texts[first:last], ""])
            costs = [_block_costs(joined, start) for start in range(0, len(joined), _BLOCK_LENGTH)]
            lengths = np.diff(before[first : last + 1]) + 1
            sums = np.add.reduceat(
                np.concatenate(costs), np.cumsum(lengths) - lengths, dtype=np.int64
            )
            sums -= _tables().separator
            # Rounded half up; a text that is not empty counts at least 1.
            counts += np.maximum((sums + 50) // 100, lengths > 1).tolist()
            first = last
        return counts

    def of(self, text: str) -> EstimatedText:
        """Return an estimator of ranges of a text."""
        return EstimatedText(text, EstimatedCounter())

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class EstimatedText(SlicedText):
    """Estimates the tokens of ranges of a text."""

    def most_added(self, _start: int, _end: int, parts: int, /) -> int:
        """Return how many tokens a range may count beyond the sum of the counts of its parts.

        The text before a part changes only the costs of its first two characters and its first
        seven letters, and counts are rounded. Removing white space adds nothing. So only the number
        of parts matters.
        """
        return _MAX_ADDED_PER_PART * parts


class EvenCounter(EstimatedCounter):
    """Estimates the tokens that a text would have if its alphabet cost as much as English.

    Tokenizers make several times more tokens of Greek or Thai than of English. Chunks with the same
    number of tokens then have several times less content, and retrieval finds them less often.
    """

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, in order."""
        return super().count([*map(_replace_alphabets, texts)])

    def of(self, text: str) -> EstimatedText:
        """Return an estimator of ranges of a text."""
        return EstimatedText(_replace_alphabets(text), EstimatedCounter())


def _replace_alphabets(text: str) -> str:
    """Return a text of the same length with an English letter for each letter of `_ALPHABETS`."""
    return text if text.isascii() else _ALPHABETS.sub("e", text)


class _Tables(NamedTuple):
    """Lookup tables for costs."""

    classes: npt.NDArray[np.uint8]  # the class of each code point, shape (0x110000,)
    latin: bytes  # the classes of the first 256 code points, for `bytes.translate`
    costs: npt.NDArray[np.int16]  # by 256 times the class of the character before, plus its own
    repeated: npt.NDArray[np.uint8]  # by class: the class of a repeated character
    letters: npt.NDArray[np.uint8]  # 1 for the classes of letters of Latin words
    separator: int  # the cost of a separator


@cache
def _tables() -> _Tables:
    import numpy as np

    classes = np.zeros(0x110000, np.uint8)
    costs = np.zeros((256, 256), np.int16)
    repeated = np.arange(256, dtype=np.uint8)
    letters = np.zeros(256, np.uint8)
    number = len(_ROWS)
    for script in _SCRIPTS:
        classes[script.first : script.last + 1] = number
        costs[:, number] = script.cost
        letters[number] = script.latin
        repeated[number] = _REPEATED if script.signs else number
        number += 1
    for first, last, cost in _HAN:
        classes[_gb2312(first, last)] = number
        costs[:, number] = cost
        number += 1
    for name, characters in _ASCII.items():
        classes[[ord(character) for character in characters]] = name
    # The separator has its own class.
    separator = int(costs[0, classes[0]])
    classes[ord(_SEPARATOR)] = number
    costs[:, number] = separator

    costs[:, _REPEATED] = _REPEATED_COST
    costs[:, _COLUMNS] = _AFTER_SCRIPT
    costs[number, _COLUMNS] = _START
    for before, row in _ROWS.items():
        costs[before, _COLUMNS] = row
    repeated[_MARK] = _REPEATED
    letters[[_VOWEL, _CONSONANT, _RARE, _CAPITAL]] = 1
    return _Tables(classes, classes[:256].tobytes(), costs.ravel(), repeated, letters, separator)


def _gb2312(first: int, last: int) -> list[int]:
    """Return the code points in some rows of GB 2312."""
    pairs = bytes(
        byte
        for row in range(0xA0 + first, 0xA0 + last + 1)
        for cell in range(0xA1, 0xFF)
        for byte in (row, cell)
    )
    return [ord(character) for character in pairs.decode("gb2312", "ignore")]


def _block_costs(text: str, start: int) -> npt.NDArray[np.int16]:
    """Return the costs of a block of characters from `start` on, in hundredths of a token."""
    import numpy as np

    tables = _tables()
    context = _SEPARATOR * (_CONTEXT_LENGTH - start) + text[max(0, start - _CONTEXT_LENGTH) : start]
    block = context + text[start : start + _BLOCK_LENGTH]
    if block.isascii():
        encoded = block.encode("ascii")
        codes: npt.NDArray[np.integer] = np.frombuffer(encoded, np.uint8)
        kinds = np.frombuffer(encoded.translate(tables.latin), np.uint8).copy()
    else:
        codes = np.array([block]).view(np.uint32)
        kinds = tables.classes[codes]
    repeats = codes[1:] == codes[:-1]
    after_blank = kinds[:-1] <= _TAB
    kinds[1:][after_blank & (kinds[1:] == _SPACE)] = _LATER_SPACE
    kinds[1:][repeats] = tables.repeated[kinds[1:][repeats]]
    pairs = kinds[:-1].astype(np.uint16) << 8 | kinds[1:]
    costs: npt.NDArray[np.int16] = tables.costs[pairs[_CONTEXT_LENGTH - 1 :]]
    # Whether the last two, then four, then eight characters are all letters.
    letters = tables.letters[kinds]
    for distance in (1, 2, 4):
        letters = letters[distance:] & letters[:-distance]
    costs += letters[1:] * np.int16(_LONG_WORD_COST)
    return costs
