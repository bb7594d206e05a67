"""The words by which a text is found."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import regex

# Alphabets without spaces between words: Thai, Lao, Myanmar, Khmer.
_TRIPLED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# Kana and ideographs, and Hangul, whose words carry particles.
_PAIRED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CHARACTER = r"[\p{L}\p{N}\p{M}]"  # not the full stops of these alphabets, which are among them
_TERM = regex.compile(
    rf"([{_TRIPLED}&&{_CHARACTER}]+)|([{_PAIRED}&&{_CHARACTER}]+)"
    rf"|[\p{{L}}\p{{N}}--[{_TRIPLED}{_PAIRED}]][{_CHARACTER}--[{_TRIPLED}{_PAIRED}]]*",
    regex.VERSION1,
)
_WORD_CHARACTER = regex.compile(_CHARACTER)
_LATIN = re.compile("[\x00-\u024f\u1e00-\u1eff]*")
_ASCII_TERM = re.compile(r"[a-z0-9]+")  # the same in ASCII, several times as fast
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
# Accents, points of Hebrew and Arabic, and what stretches Arabic words.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f]+")


def words_in(text: str) -> list[str]:
    """Return the words of a text as they are compared, in order.

    Case, accents, and forms of the same letter (ligatures, fullwidth letters) do not count.
    Underscores separate words, as in identifiers. In Chinese, Japanese and Korean each pair of
    neighbouring characters is a word; in Thai and alphabets like it each three are.
    """
    return words_of_folded(fold(text))


def words_of_folded(text: str) -> list[str]:
    """Return the words of a text that `fold` returned, in order."""
    if text.isascii() or not any(_is_in_words(sign[0]) for sign in _BEYOND_ASCII.finditer(text)):
        return _ASCII_TERM.findall(text)
    words: list[str] = []
    for match in _TERM.finditer(text):
        in_threes, in_pairs = match.groups()
        size = 3 if in_threes else 2 if in_pairs else len(match[0])
        words += _ngrams(match[0], size)
    return words


def terms(text: str) -> list[str]:
    """Return the terms by which a text is found: its words, and trigrams of words not in Latin.

    Trigrams find forms and compounds of a word, whether these differ at its end or at its
    beginning. English gains nothing from them.
    """
    words = words_in(text)
    if text.isascii():
        return words
    trigrams = [
        trigram
        for word in words
        if len(word) > 3 and not _LATIN.fullmatch(word)
        for trigram in _ngrams(word, 3)
    ]
    return words + trigrams


@lru_cache(maxsize=1 << 10)  # signs of a language, and the letters that begin a text
def _is_in_words(character: str) -> bool:
    """Return whether a character beyond ASCII may be part of a word; dashes and quotes are not."""
    return _WORD_CHARACTER.match(character) is not None


def _ngrams(word: str, size: int) -> list[str]:
    """Return the parts of a word with `size` characters each, or the word if it is shorter."""
    return [word[n : n + size] for n in range(max(1, len(word) - size + 1))]


def fold(text: str) -> str:
    """Return a text as words are compared: without case, accents, and forms of the same letter."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).casefold().replace("\u0131", "i")  # Turkish
