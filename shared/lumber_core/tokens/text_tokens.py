"""Counts the tokens of ranges of one text, which a counter may read once for all ranges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from lumber_core.tokens.counter import TokenCounter


class TextTokens(Protocol):
    """Counts the tokens of ranges of one text."""

    def count(self, spans: Iterable[tuple[int, int]]) -> list[int]:
        """Return the number of tokens of each range, in order."""
        ...

    def most_added(self, start: int, end: int, parts: int, /) -> int | None:
        """Return by how many tokens the count of a range may exceed the sum of its parts.

        The count of a range is that of a separate text, with or without outer white space,
        whichever is more.

        Args:
            start: Where the range starts.
            end: Where it ends.
            parts: The number of its parts.

        Returns:
            An upper bound, or None.
        """
        ...


class SlicedText:
    """Counts each range as a separate text, with any counter.

    Args:
        text: The text.
        counter: Counts the ranges.
    """

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self._text = text
        self._counter = counter

    def count(self, spans: Iterable[tuple[int, int]]) -> list[int]:
        """Return the number of tokens of each range, in order."""
        return self._counter.count([self._text[start:end] for start, end in spans])

    def most_added(self, _start: int, _end: int, _parts: int, /) -> int | None:
        """Return None: custom counters have no bound."""
        return None


def tokens_of(text: str, counter: TokenCounter) -> TextTokens:
    """Return a counter of ranges of a text.

    Args:
        text: The text.
        counter: Counts the tokens. If it has a method `of` that does not return None, its result is
            returned. Otherwise each range is counted separately.
    """
    of = getattr(counter, "of", None)
    tokens: TextTokens | None = None if of is None else of(text)
    return SlicedText(text, counter) if tokens is None else tokens
