"""The words by which a text is found."""

from __future__ import annotations

import re
import unicodedata

# Scripts without spaces between words (Thai, Lao, Myanmar, Khmer, kana, ideographs), and Hangul,
# whose words carry particles.
_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# `\w` lacks the vowel signs of Indic scripts, which are inside words.
_TERM = re.compile(rf"([{_PAIRED}]+)|[^\W_{_PAIRED}](?:[^\W_{_PAIRED}]|[\u0900-\u0dff])*")
_ASCII_TERM = re.compile(r"[a-z0-9]+")  # the same where text is ASCII, several times as fast
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]+")


def terms(text: str) -> list[str]:
    """Return the words of a text as they are compared, in order.

    Case, accents, and forms of the same letter (ligatures, fullwidth letters) do not count.
    Underscores separate words, as in identifiers. Of Chinese, Japanese, Korean, Thai and scripts
    like it, each pair of neighbouring characters is a word.
    """
    if text.isascii():
        return _ASCII_TERM.findall(text.lower())
    found = []
    for match in _TERM.finditer(_folded(text)):
        term = match[0]
        if match[1] is None or len(term) == 1:
            found.append(term)
        else:
            found += [term[n : n + 2] for n in range(len(term) - 1)]
    return found


def _folded(text: str) -> str:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).casefold()
