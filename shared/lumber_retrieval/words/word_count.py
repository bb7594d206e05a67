"""Counts the words of a text, in any script."""

from __future__ import annotations

import re

from lumber_core.text.captions import spoken_text

# In alphabets without spaces between words, a syllable counts as a word: in Chinese and Japanese
# each ideograph and kana; in Thai, Lao, Tibetan, Burmese and Khmer each vowel (in Tibetan each dot
# between syllables) begins one. Whether a word begins at a place depends on the two characters
# there alone, so counts of neighbouring ranges add up.
_SYLLABLES = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_VOWEL = (
    "\u0e30-\u0e39\u0e41-\u0e44\u0e47\u0eb0-\u0eb9\u0ebb\u0ec1-\u0ec4\u0f0b"
    "\u102b-\u1030\u1032\u17b6-\u17c5"
)
_WORD = re.compile(rf"[{_SYLLABLES}]|[^\s{_SYLLABLES}][^\s{_SYLLABLES}{_VOWEL}]*")
_BAR = "|"  # between the cells of a table: no word, but the end of one
_SYLLABIC = re.compile(f"[{_SYLLABLES}{_VOWEL}]")
_INSIDE_WORD = re.compile(rf"(?<=[^\s{_BAR}{_SYLLABLES}])[^\s{_BAR}{_SYLLABLES}{_VOWEL}]")
_MOST_CHARACTERS_PER_WORD = 12
"""Most characters of a word, on average over a passage. Prose has about 6 characters a word with
the space, German 8; 12 keeps file names and links from counting extra. In text without spaces, such
as JSON or Base64, this many characters count as a word."""


def count_words(text: str) -> int:
    """Return the number of words of a text as budgets count them; of captions, spoken words."""
    return count_written(spoken_text(text))


def count_written(text: str) -> int:
    """Return the number of words as budgets count them of a text that is no captions."""
    return floor_by_length(_count(text), len(text))


def _count(text: str) -> int:
    """Return the number of words of a text, which may begin and end inside words."""
    text = text.replace(_BAR, " ")
    if text.isascii() or not _SYLLABIC.search(text):
        return len(text.split())
    return len(_WORD.findall(text))


def floor_by_length(words: int, characters: int) -> int:
    """Return a number of words, or a higher one if they are too long on average."""
    return max(words, characters // _MOST_CHARACTERS_PER_WORD)


def count_starts(text: str, start: int, end: int) -> int:
    """Return the number of words that begin in a range of a text."""
    if start >= end:
        return 0
    return _count(text[start:end]) - is_inside_word(text, start)


def is_inside_word(text: str, place: int) -> bool:
    """Return whether a cut at a place divides a word."""
    blank = not place or text[place - 1] in " \n"
    return not blank and _INSIDE_WORD.match(text, place) is not None
