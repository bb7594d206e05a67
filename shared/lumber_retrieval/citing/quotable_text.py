"""Texts in which quotes are found: character by character, or aligned, whole or in parts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice, pairwise

import regex

from lumber_core.spans import Span
from lumber_core.text.captions import INVISIBLE
from lumber_retrieval.citing.quote_alignment import MAX_REJECTED_PLACES, WORD, Letters, Match

# Each typographic quotation mark or prime becomes one plain mark, so that offsets stay.
_DOUBLE = (
    "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u275d\u275e\u300e\u300f\u301d\u301e\u301f\uff02"
)
_SINGLE = "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u300c\u300d"
_PLAIN = str.maketrans(dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_SINGLE, "'"))
QUOTATION_MARKS = f"\"'{_DOUBLE}{_SINGLE}"
_WORD_REACH = 16  # characters on either side of a place, searched for a word that contains it
# Characters before and after which a line may break, so white space beside them is ignored.
_UNSPACED = regex.compile(r"(?V1)[\p{LB=SA}[\p{EA=W}&&[\p{L}\p{P}]--\p{Hangul}][\p{EA=F}&&\p{P}]]")
_ELLIPSIS = re.compile(r"(?:[\[(]\s?)?(?:…|\.(?:\s?\.){2,})(?:\s?[\])])?")

_MAX_BETWEEN_PARTS = 2_000  # letters between parts of a quote with an ellipsis: about a page
_MAX_QUOTE_PARTS = 20  # of a quote: each may be searched near every place of the longest part
_MAX_PLACES_OF_LONGEST_PART = 100  # places near which the other parts are searched


class QuotableText:
    """A text that is read once, in linear time, to find quotes in it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def exact(self, quote: str) -> Iterator[Span]:
        """Yield the places of a quote; white space and the form of quotation marks are ignored.

        A place begins and ends at words.
        """
        needle = _Spaced(quote).text
        if not needle:
            return
        text, rejected = self._spaced.text, 0
        start = text.find(needle)
        while start >= 0 and rejected < MAX_REJECTED_PLACES:
            end = following = start + len(needle)
            span = Span(self._spaced.offset(start), self._spaced.offset(end - 1) + 1)
            if any(map(self._is_inside_word, span)):
                rejected += 1
                following = start + 1
            else:
                yield span
            start = text.find(needle, following)

    def _is_inside_word(self, place: int) -> bool:
        words = WORD.finditer(self._text, max(0, place - _WORD_REACH), place + _WORD_REACH)
        return any(word.start() < place < word.end() for word in words)

    def align(self, quote: str) -> Match | None:
        """Return the place most similar to a quote; None if the difference is not small."""
        parts = [part for part in map(Letters, _ELLIPSIS.split(quote)) if part.text]
        match = self._find_parts(parts) if 1 < len(parts) <= _MAX_QUOTE_PARTS else None
        match = match or self._letters.find(Letters(quote))
        if match is None:
            return None
        span = self._letters.in_original(match.span)
        return Match(self._with_marks(span, quote), match.similarity)

    def _find_parts(self, parts: Sequence[Letters]) -> Match | None:
        """Return the range of letters with all parts near each other; None if a part is missing."""
        longest = max(parts, key=lambda part: len(part.text))  # most likely the rarest part
        number = parts.index(longest)
        for place in islice(self._letters.places(longest), _MAX_PLACES_OF_LONGEST_PART):
            (start, end), equal = place.span, [place.similarity * len(longest.text)]
            for part in parts[number + 1 :]:
                size = len(part.text)
                after = self._letters.find(part, Span(end, end + _MAX_BETWEEN_PARTS + size))
                if after is not None:
                    end = after.span.end
                    equal.append(after.similarity * size)
            for part in reversed(parts[:number]):
                size = len(part.text)
                room = Span(max(0, start - _MAX_BETWEEN_PARTS - size), start)
                *_, before = None, *self._letters.places(part, room)
                if before is not None:
                    start = before.span.start
                    equal.append(before.similarity * size)
            if len(equal) == len(parts):
                return Match(Span(start, end), sum(equal) / sum(len(part.text) for part in parts))
        return None

    def _with_marks(self, span: Span, quote: str) -> Span:
        """Return a span, extended by punctuation at the ends of a quote, such as a full stop."""
        quote = quote.strip().translate(_PLAIN)
        words = [match.span() for match in WORD.finditer(quote)]
        before, after = quote[: words[0][0]], quote[words[-1][1] :]
        start, end = span
        while self._text[start - 1 : start].translate(_PLAIN) in (*before,):
            start -= 1
        while self._text[end : end + 1].translate(_PLAIN) in (*after,):
            end += 1
        return Span(start, end).strip(self._text)

    @cached_property
    def _spaced(self) -> _Spaced:
        return _Spaced(self._text)

    @cached_property
    def _letters(self) -> Letters:
        return Letters(self._text)


class _Spaced:
    """A text with one space for any white space, and no space beside letters such as Chinese."""

    def __init__(self, text: str) -> None:
        marked = text.translate(_PLAIN)
        runs = [*re.finditer(rf"[^\s{INVISIBLE}]+", marked)]
        self._offsets = [match.start() for match in runs]
        parts = [match[0] for match in runs]
        self.text = " ".join(parts)
        lengths = [len(part) + 1 for part in parts]
        if not text.isascii():
            for number, (before, after) in enumerate(pairwise(runs)):
                is_invisible = marked[before.end() : after.start()].strip(INVISIBLE) == ""
                if is_invisible or _UNSPACED.search(before[0][-1] + after[0][0]):
                    lengths[number] -= 1
            spaced = zip(parts, lengths, strict=True)
            self.text = "".join(part.ljust(length) for part, length in spaced).rstrip(" ")
        self._starts = [*accumulate(lengths, initial=0)]

    def offset(self, place: int) -> int:
        """Return the offset of a visible character in the original text."""
        number = bisect_right(self._starts, place) - 1
        return self._offsets[number] + place - self._starts[number]
