"""Protocols of token counters, for texts and for ranges of a text, and the simplest counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Protocol, runtime_checkable

from lumber_core.support.identity import identity_of, safe_repr


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of strings.

    If a counter also has a method `of(text)`, the `TextTokens` that it returns counts ranges of the
    text. Otherwise each range is counted as a separate text.
    """

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""


class TextTokens(Protocol):
    """Counts the tokens of ranges of one text."""

    def count(self, spans: Iterable[tuple[int, int]]) -> list[int]:
        """Return the number of tokens of each range, in order."""

    def most_added(self, start: int, end: int, parts: int, /) -> int | None:
        """Return by how many tokens the count of a range may exceed the sum of its parts' counts.

        The count of a range is that of a separate text, with or without outer white space,
        whichever is more. None: there is no upper bound.
        """


class WordCounter:
    """Counts round(1.2 x words), the formula of the published LumberChunker (section 3).

    Use it to reproduce published figures. Words are separated by white space, so a page of Chinese,
    a CSV row or a URL counts as one word. `EstimatedCounter` works for any text.
    """

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, in order."""
        return [round(1.2 * len(text.split())) for text in texts]

    def __repr__(self) -> str:
        return "WordCounter()"


class CallableCounter:
    """Counts with any function from a string to a whole number, called once for each text."""

    def __init__(self, function: Callable[[str], int]) -> None:
        self.function = function

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the function's value for each text, in order."""
        return [self._whole_number(self.function(text)) for text in texts]

    def _whole_number(self, count: object) -> int:
        try:
            return index(count)  # type: ignore[arg-type]  # raises TypeError for anything else
        except TypeError:
            raise TypeError(
                f"{self!r} must return a whole number of tokens for a text, not "
                f"{type(count).__name__}"
            ) from None

    @property
    def identity(self) -> str:
        """The qualified name of the function."""
        return f"CallableCounter({identity_of(self.function)})"

    def __repr__(self) -> str:
        name = getattr(self.function, "__qualname__", None) or safe_repr(self.function)
        return f"CallableCounter({name!r})"


class SlicedText:
    """Counts each range of a text as a separate text, with any counter."""

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

    If the counter has a method `of` that does not return None, its result is returned. Otherwise
    each range is counted separately.
    """
    of = getattr(counter, "of", None)
    tokens: TextTokens | None = None if of is None else of(text)
    return SlicedText(text, counter) if tokens is None else tokens


def is_hugging_face(tokenizer: object) -> bool:
    """Return whether an object is a tokenizer of `tokenizers` or `transformers`."""
    if isinstance(tokenizer, type):
        return False
    is_rust = callable(getattr(tokenizer, "encode_batch", None)) and hasattr(tokenizer, "to_str")
    return is_rust or callable(getattr(tokenizer, "convert_tokens_to_ids", None))
