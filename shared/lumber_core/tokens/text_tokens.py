"""The tokens of one text, by range: what is asked about many ranges is counted once."""

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
        """Return how many tokens a range may count beyond the sum of what its parts count.

        Args:
            start: Where the range starts.
            end: Where it ends. What it counts as a text of its own is meant, with or without the
                white space at its ends, whichever is more.
            parts: The number of its parts.

        Returns:
            A bound; None if none is known.
        """
        ...


class SlicedText:
    """Counts each range as a text of its own, with any counter.

    Args:
        text: The text.
        counter: Counts its parts.
    """

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self._text = text
        self._counter = counter

    def count(self, spans: Iterable[tuple[int, int]]) -> list[int]:
        """Return the number of tokens of each range, in order."""
        return self._counter.count([self._text[start:end] for start, end in spans])

    def most_added(self, _start: int, _end: int, _parts: int, /) -> int | None:
        """Return None: a counter may count anything."""
        return None


def tokens_of(text: str, counter: TokenCounter) -> TextTokens:
    """Return what counts the ranges of a text.

    Args:
        text: The text.
        counter: Counts the tokens. If it has a method `of`, that makes what is returned, or None
            if it can do no better with this text than to count each range on its own.
    """
    of = getattr(counter, "of", None)
    tokens: TextTokens | None = None if of is None else of(text)
    return SlicedText(text, counter) if tokens is None else tokens
