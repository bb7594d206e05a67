"""Aligns a quote with the most similar text.

Only letters and digits are compared, so quotes that differ in case, accents, hyphens, ligatures or
line breaks match exactly. A quote in which words differ is aligned with the most similar text, if
the difference is small.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from operator import not_
from typing import NamedTuple

import regex
from rapidfuzz.distance import Indel, Opcode
from rapidfuzz.fuzz import partial_ratio_alignment

from lumber_core.spans import Span
from lumber_retrieval.words.keywords import fold

# A letter of an alphabet without spaces between words, such as Thai or Chinese, stands alone with
# its marks: Unicode has word boundaries around it.
_ALONE = r"[\p{L}&&\p{WB=Other}]"
_TOGETHER = rf"[\p{{L}}\p{{N}}[\p{{So}}--\p{{dt=none}}]--{_ALONE}]"  # with signs such as "\u2116"
_FRACTION = r"(?: \p{Nd}{1,2}[/\u2044]\p{Nd} | [\p{No}&&\p{dt=fraction}] )"
_IN_NUMBER = (
    r"\p{WB=MidNum}\p{WB=MidNumLet}\p{WB=MidLetter}\p{WB=Single_Quote}"
    r"\u066b\u2215/_^`\u00b4\u2032\u2219\u22c5"  # characters that people write in their place
)
# A word is a letter that stands alone, or letters and digits that are written together. A number
# continues after points, commas, colons and fraction bars, after a space before three digits or a
# fraction ("1 250", "1 1/2"), and in an exponent; its sign and a percent sign belong to it. A dash
# between two numbers stands for "to". "can't" is one word.
WORD = regex.compile(
    rf"""
    [A-Za-z]++ (?![\p{{L}}\p{{N}}\p{{M}}\p{{Cf}}'\u2019])  # most words, in a third of the time
    | [\p{{Han}}&&\p{{Nt=Numeric}}]{{2,}}
    | (?={_ALONE}) (?:[\u0e40\u0ec0](?=[\u0e40\u0ec0]))?  # in Thai and Lao, two e for ae
    \X (?: (?<=\p{{InSC=Invisible_Stacker}}) \X )*  # with letters below, as in Khmer
    | (?: (?<![\p{{L}}\p{{M}}\p{{N}}.%]) [\p{{Pd}}\u2212] (?=[.,]?\p{{Nd}}) )?
    (?: (?<![\p{{L}}\p{{M}}\p{{N}}.,]) [.,\u00b7\u066b] (?=\p{{Nd}}) )?
    {_TOGETHER}
    (?:
        {_TOGETHER} | \p{{M}} | (?<=n)['\u2019](?=t\b)
        | [\p{{Cf}}--\p{{WB=Other}}]++ (?=\p{{M}}|{_TOGETHER})  # soft hyphens, joiners
        | (?<=\p{{Nd}}) (?: [{_IN_NUMBER}](?=[-+\u2212]?\p{{Nd}}) | [%\u066a\u2030] )
        | (?<=\p{{Nd}}[eE^]) [-+\u2212] (?=\p{{Nd}})
        | (?<=\p{{N}}) [\u207a\u207b] (?=\p{{No}})
        | (?<=(?<!\p{{Nd}})\p{{Nd}}{{1,3}}) \p{{Zs}}
          (?= \p{{Nd}}{{3}}(?!\p{{Nd}}) | {_FRACTION} )
    )*
    """,
    regex.VERSION1 | regex.VERBOSE,
)
# These characters inside words are not compared. Dashes, fraction bars, and the points and commas
# of numbers are the same in any form.
_UNREAD = regex.compile(r"[\p{Cf}\p{Z}()\xb0'\u2018\u2019%\u066a\u2030_]|(?<=l)\xb7")
_EQUAL_FORMS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | {"\u2044": "/", "\u066b": ".", "\u066c": ",", "\u060c": ","}
)
_SENTENCE_END = regex.compile(r"[\p{SB=STerm}\p{SB=ATerm}]|\n\s*\n")

# Limits of a small difference, measured by benchmarks/citations.py. The text most similar to an
# invented sentence has less than half of its words, and up to 0.72 of its letters (up to 0.9 if the
# sentence has fewer than 60). Most texts contain something similar to a very short sentence.
_MIN_WORDS, _MIN_LETTERS = 5, 12  # of a quote that differs from the text
_MAX_LETTERS = 20_000  # of such a quote, about ten pages: comparing takes quadratic time
_MIN_SHARE_OF_WORDS = _MIN_SHARE_OF_LETTERS = 0.75  # share of a quote that the text must have
# Of a quote of 40 letters or more, 0.9 of the letters are enough: words may be misspelt.
_MIN_LONG_LETTERS, _MIN_SHARE_OF_LETTERS_IF_LONG = 40, 0.9

MAX_REJECTED_PLACES = 10_000  # places inside words, after which the search for a quote stops
_MAX_OMITTED_WORDS = 2  # words that a model may have left out near the ends of a quote
_MAX_ALIGNED_LETTERS = 512  # a longer quote is aligned at its ends, as time is quadratic


class Match(NamedTuple):
    """The place of a quote, and the share of letters and digits that are equal, in order."""

    span: Span
    similarity: float


class Letters:
    """The letters and digits of a text, folded."""

    def __init__(self, text: str) -> None:
        self._original = text
        folded_words: dict[str, str] = {}
        self._words: list[str] = []
        self._spans: list[tuple[int, int]] = []
        for match in WORD.finditer(text):
            word = match[0]
            folded = folded_words.get(word)
            if folded is None:
                folded = _UNREAD.sub("", fold(word)).translate(_EQUAL_FORMS)
                folded_words[word] = folded
            if folded:  # "" for a combining mark without a letter
                self._words.append(folded)
                self._spans.append(match.span())
        self.text = "".join(self._words)
        self._starts = [*accumulate(map(len, self._words), initial=0)]

    def in_original(self, letters: Span) -> Span:
        """Return the span in the original text of the words with these letters."""
        words = self._spans[self._numbers(letters)]
        return Span(words[0][0], words[-1][1])

    def find(self, quote: Letters, within: Span | None = None) -> Match | None:
        """Return the words most similar to a quote; None if the difference is not small."""
        return next(self.places(quote, within), None)

    def places(self, quote: Letters, within: Span | None = None) -> Iterator[Match]:
        """Yield all words that are equal to a quote, or if there are none, the most similar words.

        Spans, and the range to search, are in letters.
        """
        needle, whole = quote.text, Span(0, len(self.text))
        low, high = whole if within is None else within.within(whole)
        has_equal, rejected = False, 0
        start = self.text.find(needle, low, high) if needle else -1
        while start >= 0 and rejected < MAX_REJECTED_PLACES:
            span = Span(start, start + len(needle))
            if all(self._starts[bisect_left(self._starts, edge)] == edge for edge in span):
                has_equal = True
                yield Match(span, 1.0)
            else:
                rejected += 1
            start = self.text.find(needle, self._starts[bisect_right(self._starts, start)], high)
        if not has_equal:
            yield from self._similar_words(quote, Span(low, high))

    def _similar_words(self, quote: Letters, within: Span) -> Iterator[Match]:
        """Yield the words most similar to a quote, if the difference is small."""
        quote_letters = quote.text
        if len(quote._words) < _MIN_WORDS or not _MIN_LETTERS <= len(quote_letters) <= _MAX_LETTERS:
            return
        closest = self._closest(quote_letters, within)
        if closest is None:
            return
        closest = self._with_ends(closest, quote, within)
        letters = Indel.normalized_similarity(quote_letters, closest.of(self.text))
        words = Indel.normalized_similarity(quote._words, self._words[self._numbers(closest)])
        is_similar = letters >= _MIN_SHARE_OF_LETTERS and words >= _MIN_SHARE_OF_WORDS
        if len(quote_letters) >= _MIN_LONG_LETTERS:
            is_similar |= letters >= _MIN_SHARE_OF_LETTERS_IF_LONG
        if is_similar:
            yield Match(closest, letters)

    def _closest(self, quote_letters: str, within: Span) -> Span | None:
        """Return the words most similar to letters; None if no words are similar."""
        if len(quote_letters) > 2 * _MAX_ALIGNED_LETTERS:
            first = self._closest(quote_letters[:_MAX_ALIGNED_LETTERS], within)
            if first is None:
                return None
            within_reach = Span(first.start, min(within.end, first.start + 2 * len(quote_letters)))
            last = self._closest(quote_letters[-_MAX_ALIGNED_LETTERS:], within_reach)
            return None if last is None else Span(first.start, last.end)
        least = 100 * _MIN_SHARE_OF_LETTERS**2
        alignment = partial_ratio_alignment(quote_letters, within.of(self.text), score_cutoff=least)
        if alignment is None:
            return None
        start, end = within.start + alignment.dest_start, within.start + alignment.dest_end
        low, high = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end)
        return Span(self._starts[low], self._starts[high])

    def _with_ends(self, letters: Span, quote: Letters, within: Span) -> Span:
        """Return the words from the first to the last equal word, and words that replace others."""
        if len(quote.text) > 2 * _MAX_ALIGNED_LETTERS:
            return letters  # to compare words would take quadratic memory, for a gain of two words
        numbers, allowed = self._numbers(letters), self._numbers(within)
        equal = _equal_ranges(quote._words, self._words[numbers])
        if not equal:
            return letters
        start = numbers.start + equal[0].dest_start
        end = numbers.start + equal[-1].dest_end
        before, after = quote._words[: equal[0].src_start][::-1], quote._words[equal[-1].src_end :]
        start -= self._reach(before, range(start - 1, allowed.start - 1, -1))
        end += self._reach(after, range(end, allowed.stop))
        return Span(self._starts[start], self._starts[end])

    def _reach(self, lacking: Sequence[str], beyond: range) -> int:
        """Return how many words beyond an equal word correspond to missing words of a quote.

        `beyond` has the numbers of the words beyond, outwards like the missing words.
        """
        near = beyond[: len(lacking) + _MAX_OMITTED_WORDS]
        equal = _equal_ranges(lacking, [self._words[number] for number in near])
        equal_count = sum(block.src_end - block.src_start for block in equal)
        if equal and equal[-1].dest_end <= 2 * equal_count:
            return equal[-1].dest_end
        # Assume that as many other words replace the missing words, up to the end of the sentence.
        ends = (self._is_sentence_end(number + (beyond.step < 0)) for number in near)
        return min(len(lacking), sum(1 for _ in takewhile(not_, ends)))

    def _is_sentence_end(self, word: int) -> bool:
        """Return whether a sentence or paragraph ends before a word."""
        between = self._spans[word - 1][1], self._spans[word][0]
        return _SENTENCE_END.search(self._original, *between) is not None

    def _numbers(self, letters: Span) -> slice:
        """Return the numbers of the words with these letters."""
        return slice(*(bisect_left(self._starts, edge) for edge in letters))


def _equal_ranges(first: Sequence[str], second: Sequence[str]) -> list[Opcode]:
    """Return which words of two lists are equal, in order."""
    return [block for block in Indel.opcodes(first, second) if block.tag == "equal"]
