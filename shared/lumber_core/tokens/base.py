"""The protocol of token counters, and the counters that need no tokenizer library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Protocol, runtime_checkable

from lumber_core.identity import identity_of, safe_repr


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of strings."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        ...


class EstimatedCounter:
    """Estimates how many tokens cl100k_base or o200k_base counts, whichever is more.

    Needs no vocabulary and no network. English prose counts about 1.3 tokens per word, as with
    either encoding. cl100k_base makes two to five times as many tokens as o200k_base of
    Arabic, Thai or the scripts of India; the estimate is near the former there.

    A text that is not empty counts at least 1. Leaving out characters at the end, or blanks at the
    start, never raises the count. The counts of two texts add up to the count of both joined,
    except for a token or two where they meet.
    """

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, in order."""
        from lumber_core.tokens.estimate import estimate_tokens  # deferred: imports numpy

        return estimate_tokens(texts)

    def __repr__(self) -> str:
        return "EstimatedCounter()"


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
    """Counts with any function from a string to a whole number.

    Args:
        function: Called once for each text.
    """

    def __init__(self, function: Callable[[str], int]) -> None:
        self.function = function

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the function's value for each text, in order."""
        return [self._whole(self.function(text)) for text in texts]

    def _whole(self, count: object) -> int:
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
