"""Counts the words of a text, in any script."""

from __future__ import annotations

import re

from lumber_core.text.captions import without_times

# Without spaces between words, a syllable counts as one: in Chinese and Japanese each ideograph and
# kana, in Thai, Lao, Tibetan, Burmese and Khmer what begins with a vowel (in Tibetan with the dot
# between syllables). Each place says by itself whether a word begins there, so that counts add up.
_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_VOWEL = (
    "\u0e30-\u0e39\u0e41-\u0e44\u0e47\u0eb0-\u0eb9\u0ebb\u0ec1-\u0ec4\u0f0b"
    "\u102b-\u1030\u1032\u17b6-\u17c5"
)
_WORD = re.compile(rf"[{_ALONE}]|[^\s{_ALONE}][^\s{_ALONE}{_VOWEL}]*")
_INSIDE_WORD = re.compile(rf"(?<=[^\s{_ALONE}])[^\s{_ALONE}{_VOWEL}]")
_LONGEST_MEAN = 12
"""Most characters of a word, on average over a passage. Prose has about 6 characters a word with
the space, German 8; 12 keeps file names and links from counting extra. In text without spaces, such
as JSON or Base64, this many characters count as a word."""


def count_words(text: str) -> int:
    """Return the number of words of a text, as budgets count them: without times of captions."""
    return least_words(len(_WORD.findall(without_times(text))), len(text))


def least_words(words: int, characters: int) -> int:
    """Return a number of words, or more if they are too long on average to be words of prose."""
    return max(words, characters // _LONGEST_MEAN)


def count_starts(text: str, start: int, end: int) -> int:
    """Return the number of words that begin in a range of a text."""
    if start >= end:
        return 0
    return len(_WORD.findall(text, start, end)) - is_inside_word(text, start)


def is_inside_word(text: str, place: int) -> bool:
    """Return whether a cut at a place divides a word."""
    return _INSIDE_WORD.match(text, place) is not None
