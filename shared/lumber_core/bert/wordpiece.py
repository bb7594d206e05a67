"""WordPiece: a word becomes the longest pieces that the vocabulary contains, from left to right.

A text is read in parts that do not depend on each other. Most parts occur many times in a text, so
the pieces of the last tens of thousands are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lumber_core.bert.normalizer import Normalizer
from lumber_core.bert.vocabulary import Vocabulary

_KNOWN = 1 << 15  # parts whose pieces are kept
_LONGEST_KNOWN = 64  # characters


class PartPieces(dict[str, tuple[int, ...]]):
    """The pieces of parts of texts, found when they are looked up.

    A value is flat: token id, start and end of the first piece, then those of the next. Starts and
    ends are counted in characters from the start of the part. Threads may share it.

    Args:
        vocabulary: Words and rules.

    Attributes:
        parts: Matches the parts of a text, which tile it.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._special = vocabulary.special
        self._unknown = vocabulary.unknown
        self._longest_word = vocabulary.longest_word
        self._normalizer = normalizer = Normalizer(vocabulary.normalization)
        self._first = vocabulary.words
        mark = vocabulary.continues
        self._inner = {
            word[len(mark) :]: number
            for word, number in vocabulary.words.items()
            if word.startswith(mark)
        }
        self._reach_of_first, self._reach_of_inner = map(_reach, (self._first, self._inner))
        special = map(re.escape, sorted(self._special, key=len, reverse=True))
        kinds = (
            *special,
            "[0-9A-Za-z]+ ",  # a fast way to take most words of English
            f"[^{normalizer.white}{normalizer.alone}]+",
            f"[{normalizer.alone}]",
            f"[{normalizer.white}]+",
        )
        self.parts = re.compile("|".join(kinds))

    def __missing__(self, part: str) -> tuple[int, ...]:
        found = tuple(self._found(part))
        if len(part) <= _LONGEST_KNOWN:
            if len(self) >= _KNOWN:
                self.clear()
            self[part] = found
        return found

    def _found(self, part: str) -> list[int]:
        """Return id, start and end of the pieces of a part, one after the other."""
        if part in self._special:
            return [self._special[part], 0, len(part)]
        normalized, origins = self._normalizer(part.rstrip(" "))
        found: list[int] = []
        begin = 0
        for word in normalized.split(" "):
            ids, cuts = self._divided(word)
            for number, start, end in zip(ids, cuts, cuts[1:], strict=False):
                found += (number, origins[begin + start], origins[begin + end - 1] + 1)
            begin += len(word) + 1
        return found

    def _divided(self, word: str) -> tuple[list[int], list[int]]:
        """Return the token ids of the pieces of a word, and where the pieces start and end."""
        length = len(word)
        if length > self._longest_word:
            return [self._unknown], [0, length]
        ids: list[int] = []
        cuts = [0]
        words, reach = self._first, self._reach_of_first
        start = 0
        while start < length:
            end = min(start + reach.get(word[start], 0), length)
            while end > start and word[start:end] not in words:
                end -= 1
            if end == start:
                return [self._unknown], [0, length]
            ids.append(words[word[start:end]])
            cuts.append(end)
            start = end
            words, reach = self._inner, self._reach_of_inner
        return ids, cuts


def _reach(words: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest word that begins with each character."""
    found: dict[str, int] = {}
    for word in words:
        if len(word) > found.get(word[:1], 0):
            found[word[:1]] = len(word)
    return found
