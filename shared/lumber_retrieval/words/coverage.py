"""Coverage: how much of a question a text contains, in weighted words and in word pairs.

BM25 adds up the weights of all occurrences, so a chunk that repeats one word may have more than
one that contains them all. Coverage is higher for the latter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from lumber_retrieval.words.keywords import IDEOGRAPH, words_in

_STEM_LENGTH = 5
"""Letters of a word that are compared. Recall on the development corpora is the same within 0.003
from 4 to 6; with whole words it is lower."""
_LONGEST_CACHED, _CACHED_TEXTS = 4_000, 4_000
"""Characters of the longest text whose stems are cached, and how many such texts: chunks and
sentences have 100 to 300, which makes 2 MB."""


class QuestionWords:
    """The stems of a question, weighted by rarity.

    Args:
        text: The question.
        frequencies: How many chunks contain each word; words that are missing are in none.
        count: The number of all chunks.
    """

    def __init__(self, text: str, frequencies: Mapping[str, int], count: int) -> None:
        words = content_words(words_in(text))
        weights: dict[str, float] = {}
        for word in words:
            chunks = frequencies.get(word, 0)
            rarity = math.log(1 + (count - chunks + 0.5) / (chunks + 0.5))
            weights[stem(word)] = max(rarity, weights.get(stem(word), 0.0))
        total = sum(weights.values())
        self._weights = [weight / total for weight in weights.values()]
        pairs = dict.fromkeys(pairwise(map(stem, words)))
        bits = {word: 1 << place for place, word in enumerate(weights)}
        self._words = [(f" {word} ", bit) for word, bit in bits.items()]  # as in `stems_in`
        self._pairs = [  # as in `stems_in`, the bits of its words, its own bit
            (f" {a}  {b} ", bits[a] | bits[b], 1 << place)
            for place, (a, b) in enumerate(pairs, start=len(bits))
        ]
        self.stems = (1 << len(weights)) - 1
        """All stems, as `matches` returns them."""
        self.share = cache(self._share)  # few of all subsets occur

    def matches(self, texts: Iterable[str]) -> list[int]:
        """Return for each text the stems of the question that it contains, and the pairs.

        Each is a bit, so that `|` joins the matches of several texts.
        """
        matches = []
        for stems in map(stems_in, texts):
            words = sum([bit for word, bit in self._words if word in stems])
            possible = [(pair, bit) for pair, both, bit in self._pairs if words & both == both]
            matches.append(words + sum([bit for pair, bit in possible if pair in stems]))
        return matches

    def coverages(self, texts: Iterable[str]) -> list[float]:
        """Return for each text the weight of the stems that it contains, 0 to 1."""
        return [
            self.share(sum([bit for word, bit in self._words if word in stems]))
            for stems in map(stems_in, texts)
        ]

    def _share(self, matches: int) -> float:
        """Return the weight of the stems among matches, from 0 to 1 for all of them."""
        return math.fsum(
            weight for place, weight in enumerate(self._weights) if matches >> place & 1
        )

    def share_of_pairs(self, matches: int) -> float:
        """Return the share of the question's pairs that are among matches, 0 to 1."""
        pairs = (matches >> len(self._weights)).bit_count()
        return pairs / len(self._pairs) if pairs else 0.0


def stem(word: str) -> str:
    """Return the first letters of a word, which its forms have in common."""
    return word[:_STEM_LENGTH]


def stems_in(text: str) -> str:
    """Return the stems of the words of a text, in order, each with a space on either side."""
    return _cached_stems(text) if len(text) <= _LONGEST_CACHED else _find_stems(text)


def _find_stems(text: str) -> str:
    return f" {'  '.join(words_in(text, _STEM_LENGTH))} "


_cached_stems = lru_cache(maxsize=_CACHED_TEXTS)(_find_stems)


def content_words(words: Sequence[str]) -> list[str]:
    """Return words without stop words of the language that has the most stop words among them.

    If all are stop words, all are returned.
    """
    languages = _stop_words()
    most_common = Counter(
        language for word in {*words} for language in languages.get(word, ())
    ).most_common(1)
    if not most_common:
        return [*words]
    [(language, _)] = most_common
    return [word for word in words if language not in languages.get(word, ())] or [*words]


@cache
def _stop_words() -> dict[str, tuple[str, ...]]:
    """Return the languages in which each word is a stop word."""
    import stopwordsiso  # deferred: reads 200 KB

    languages: dict[str, list[str]] = {}
    # English first: of two languages with equally many stop words in a question, the first counts.
    for language in sorted(stopwordsiso.langs(), key=lambda name: (name != "en", name)):
        own = {*stopwordsiso.stopwords(language)}
        words = {*words_in("\n".join(sorted(own)))}
        for word in words - {*filter(IDEOGRAPH.fullmatch, words - own)}:
            languages.setdefault(word, []).append(language)
    return {word: tuple(names) for word, names in languages.items()}
