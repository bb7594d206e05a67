"""How much of a question a text has: its words, by what they weigh, and pairs of neighbouring ones.

BM25 adds what each word says, so that a chunk that repeats one word may come before one that has
them all. The share of the question that is covered tells them apart.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from lumber_retrieval.words.keywords import words_in

_STEM = 5
"""Letters of a word that are compared: from 4 to 6 recall on the development corpora is the same
within 0.003, and whole words find less."""

_ASCII_STEM = re.compile(rf"([a-z0-9]{{1,{_STEM}}})[a-z0-9]*")  # faster than words of any alphabet


class WordsOf(NamedTuple):
    """The stems of a question that a text has, and the pairs that follow each other."""

    stems: frozenset[str]
    pairs: frozenset[tuple[str, str]]


class AskedWords:
    """The words of a question, and what each weighs by how many of `count` chunks have it."""

    def __init__(
        self, text: str, frequencies: Callable[[Collection[str]], Mapping[str, int]], count: int
    ) -> None:
        words = content_words(words_in(text))
        known = frequencies({*words})
        weights: dict[str, float] = {}
        for word in words:
            chunks = known.get(word, 0)
            rarity = math.log(1 + (count - chunks + 0.5) / (chunks + 0.5))
            weights[stem(word)] = max(rarity, weights.get(stem(word), 0.0))
        total = sum(weights.values())
        self._weights = {word: weight / total for word, weight in weights.items()}
        self._pairs = frozenset(pairwise(map(stem, words)))

    def words_of(self, text: str) -> WordsOf:
        """Return which of its stems a text has."""
        if text.isascii():
            stems = _ASCII_STEM.findall(text.lower())
        else:
            stems = [*map(stem, words_in(text))]
        found = frozenset(self._weights.keys() & stems)
        paired = self._pairs.intersection(pairwise(stems)) if found else frozenset()
        return WordsOf(found, paired)

    def share(self, found: Iterable[str]) -> float:
        """Return the share of the question that some of its stems are, by rarity: 0 to 1."""
        return math.fsum(self._weights[word] for word in found)  # in any order the same

    def share_of_pairs(self, found: Collection[tuple[str, str]]) -> float:
        """Return the share of its pairs of neighbouring words: 0 to 1."""
        return len(found) / len(self._pairs) if self._pairs else 0.0


def stem(word: str) -> str:
    """Return the start of a word, by which its forms are the same."""
    return word[:_STEM]


def content_words(words: Sequence[str]) -> list[str]:
    """Return the words that are not stop words of the language that has most of them.

    All words, if nothing else is there.
    """
    asked = {*words}
    lists = _stop_words()
    by_language = Counter(
        language for word in asked for language in lists.get(word, ())
    ).most_common(1)
    if not by_language:
        return [*words]
    [(language, _)] = by_language
    return [word for word in words if language not in lists.get(word, ())] or [*words]


@cache
def _stop_words() -> dict[str, tuple[str, ...]]:
    """Return the languages in which each word is a stop word."""
    import stopwordsiso  # deferred: reads 200 KB

    languages: dict[str, list[str]] = {}
    # English first, as of languages with as many stop words in a question the first counts.
    for language in sorted(stopwordsiso.langs(), key=lambda name: (name != "en", name)):
        for word in {*words_in("\n".join(sorted(stopwordsiso.stopwords(language))))}:
            languages.setdefault(word, []).append(language)
    return {word: tuple(known) for word, known in languages.items()}
