"""Coverage: how much of a question a text or a title contains, in weighted words and in word pairs.

BM25 adds up the weights of all occurrences, so a chunk that repeats one word may score higher than
a chunk with all words. Coverage is higher for the second chunk. Chunks of a document that the
question names, such as the report of one company among many, are preferred.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any

from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.origin import TITLE_KEY, given_title
from lumber_core.text.source import Source
from lumber_core.text.titles import document_title
from lumber_retrieval.words.keywords import IDEOGRAPH, spaced_words, words_in

_STEM_LENGTH = 5
"""Number of letters of a word that are compared. Measured: recall on the development corpora is the
same within 0.003 from 4 to 6, and lower with whole words."""
_MAX_PARTS = 8  # of a name in code; longer names are rare
_TITLE_WEIGHT = 0.4
"""Added to scores from 0 to 1 of chunks in the document that the question names. Measured: from 0.3
to 0.8, recall on FinanceBench changes by at most one question."""
_MIN_TITLE_LETTERS = 3  # of a question's word that begins a title's word: "MGM", "mgmresorts"
_MAX_CACHED_CHARACTERS, _CACHED_TEXTS = 4_000, 4_000
"""Characters of the longest text whose words are cached, and how many such texts: chunks and
sentences have 100 to 300, which makes 2 MB."""


class QuestionWords:
    """The stems of a question, weighted by rarity.

    Args:
        text: The question.
        frequencies: How many chunks contain each word; words that are missing are in none.
        count: The number of all chunks.
    """

    def __init__(self, text: str, frequencies: Mapping[str, int], count: int) -> None:
        words = words_in(text)
        # The parts of a name in code follow it; of name and parts, only words in some chunk count.
        following = [[*accumulate(words[n : n + _MAX_PARTS])] for n in range(1, len(words) + 1)]
        parts = {
            part
            for n, (word, joined) in enumerate(zip(words, following, strict=True), 1)
            if word in joined
            for part in (word, *words[n : n + joined.index(word) + 1])
        }
        words = [word for word in words if frequencies.get(word) or word not in parts]
        # A stop word alone may be of another language, or a noun: "hat size", "refund date".
        words = content if len(content := content_words(words)) < len(words) - 1 else words
        weights: dict[str, float] = {}
        for word in words:
            chunks = frequencies.get(word, 0)
            rarity = math.log(1 + (count - chunks + 0.5) / (chunks + 0.5))
            weights[stem(word)] = max(rarity, weights.get(stem(word), 0.0))
        total = sum(weights.values())
        self._weights = [weight / total for weight in weights.values()]
        pairs = dict.fromkeys(pairwise(map(stem, words)))
        bits = {word: 1 << place for place, word in enumerate(weights)}
        self._words = [(_as_written(word), bit) for word, bit in bits.items()]
        self._pairs = [  # both words of a pair, the bits of both, and the bit of the pair
            (_as_written(a), _as_written(b), bits[a] | bits[b], 1 << place)
            for place, (a, b) in enumerate(pairs, start=len(bits))
        ]
        self.stems = (1 << len(weights)) - 1
        """All stems, as `matches` returns them."""
        self.shares = cache(self._shares)  # few of all possible subsets occur

    def matches(self, texts: Iterable[str]) -> list[int]:
        """Return for each text the stems of the question that it contains, and the pairs.

        Each is a bit, so that `|` joins the matches of several texts.
        """
        matches = []
        for words in _words_of(texts):
            bits = sum([bit for word, bit in self._words if word in words])
            if bits:
                for first, second, word_bits, bit in self._pairs:
                    if bits & word_bits == word_bits and _are_adjacent(words, first, second):
                        bits |= bit
            matches.append(bits)
        return matches

    def coverages(self, texts: Iterable[str]) -> list[float]:
        """Return for each text the weight of the stems that it contains, 0 to 1."""
        return [
            self.shares(sum([bit for word, bit in self._words if word in words]))[0]
            for words in _words_of(texts)
        ]

    def _shares(self, matches: int) -> tuple[float, float]:
        """Return the weight of the stems among matches and the share of the pairs, each 0 to 1."""
        stems = math.fsum(
            weight for place, weight in enumerate(self._weights) if matches >> place & 1
        )
        pairs = (matches >> len(self._weights)).bit_count()
        return stems, pairs / len(self._pairs) if pairs else 0.0


def favour_named(
    question: str, scores: Mapping[int, float], titles: Mapping[int, tuple[Hashable, str]]
) -> dict[int, float]:
    """Return scores that are higher for chunks of documents that a question names, best first.

    The weight of a title is that of its words in the question. A word weighs more if fewer titles
    have it. Names of files may lack spaces ("BESTBUY").

    Args:
        question: The question.
        scores: Scores from 0 to 1, by the numbers of chunks.
        titles: The document of each chunk, and its title, or "".
    """
    words = words_in(question)
    names = {word for word in content_words(words) if not word.isdecimal()}
    joined = {stem(a + b) for a, b in pairwise(words) if len(a + b) > len(stem(a + b))}
    starts = (*{stem(word) for word in names if len(word) >= _MIN_TITLE_LETTERS}, *joined)
    common = {
        document: {word for word in words_in(title) if word.startswith(starts) or word in names}
        for document, title in {*titles.values()}
    }
    counts = Counter(word for in_title in common.values() for word in in_title)
    weights = {
        document: math.fsum(math.log(len(common) / counts[word]) for word in in_title)
        for document, in_title in common.items()
    }
    highest = max(weights.values(), default=0)
    if not highest:
        return {**scores}
    boosted = {
        number: (score + _TITLE_WEIGHT * weights[titles[number][0]] / highest) / (1 + _TITLE_WEIGHT)
        for number, score in scores.items()
    }
    return dict(sorted(boosted.items(), key=itemgetter(1), reverse=True))


def title_of(metadata: Mapping[Any, Any]) -> str:
    """Return the title of a document from a chunk's metadata, apart from its headings."""
    title_metadata = {CONTEXT_KEY: metadata.get(CONTEXT_KEY, ""), TITLE_KEY: given_title(metadata)}
    return document_title(title_metadata, Source("", metadata=metadata).file_title)


def stem(word: str) -> str:
    """Return the first letters of a word, which its forms have in common."""
    return word[:_STEM_LENGTH]


def _as_written(stem: str) -> str:
    """Return the form of a stem in `spaced_words`: after a full-length stem, words continue."""
    return f" {stem}" if len(stem) == _STEM_LENGTH else f" {stem} "


def _are_adjacent(words: str, first: str, second: str) -> bool:
    """Return whether a word that begins like `first` precedes a word that begins like `second`."""
    place = words.find(first)
    while place >= 0:
        end = words.index(" ", place + 1)
        place = words.find(first, end)
        while words.startswith("  ", end):
            end += 1
        if words.startswith(second, end):
            return True
    return False


def _words_of(texts: Iterable[str]) -> list[str]:
    return [
        _cached_words(text) if len(text) <= _MAX_CACHED_CHARACTERS else spaced_words(text)
        for text in texts
    ]


_cached_words = lru_cache(maxsize=_CACHED_TEXTS)(spaced_words)


def content_words(words: Sequence[str]) -> list[str]:
    """Return words without stop words of the language that has the most stop words among them.

    If all are stop words, all are returned.
    """
    languages = _stop_words()
    counts = Counter(language for word in {*words} for language in languages.get(word, ()))
    # Of languages with equally many, English or the first by name, independent of the set's order.
    language = min(counts, key=lambda name: (-counts[name], name != "en", name), default="")
    return [word for word in words if language not in languages.get(word, ())] or [*words]


@cache
def _stop_words() -> dict[str, tuple[str, ...]]:
    """Return the languages in which each word is a stop word."""
    import stopwordsiso  # deferred: reads 200 KB

    languages: dict[str, list[str]] = {}
    for language in stopwordsiso.langs():
        stop_words = {*stopwordsiso.stopwords(language)}
        words = {*words_in("\n".join(sorted(stop_words)))}
        for word in words - {*filter(IDEOGRAPH.fullmatch, words - stop_words)}:
            languages.setdefault(word, []).append(language)
    return {word: tuple(names) for word, names in languages.items()}
