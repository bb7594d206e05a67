"""Distance in tokens of predicted section starts from the true ones: the greedy article's error.

The error of a document is the sum of |predicted - actual| over its sections' start tokens, the
shorter list padded with its own last value; over documents, their MAE and RMSE. Starts are compared
by rank, so one extra section early in a text shifts all later ones; a document's `missing`, `early`
and `late` show the causes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import sqrt

from lumber_core.tokens import TokenCounterSpec, token_counter, tokens_of
from lumber_evaluation.documents import Document


@dataclass(frozen=True, slots=True)
class StartError:
    """The error of one document and its causes.

    Attributes:
        document: Name of the document.
        actual: Start tokens of the true sections, in order.
        predicted: Start tokens of the predicted sections, in order.

    Raises:
        ValueError: Start tokens decrease or are negative, or one list is empty and the other is
            not.
    """

    document: str
    actual: tuple[int, ...]
    predicted: tuple[int, ...]

    def __post_init__(self) -> None:
        _check(self.actual, "actual", self.document)
        _check(self.predicted, "predicted", self.document)
        if bool(self.actual) != bool(self.predicted):
            empty = "predicted" if self.actual else "actual"
            raise ValueError(
                f"{self.document or 'start tokens'}: {empty} is empty and the other is not; the "
                "first section of a text starts at token 0, so expected at least [0]"
            )

    @property
    def differences(self) -> tuple[int, ...]:
        """Predicted minus actual for each section, the shorter list padded with its last value."""
        length = max(len(self.actual), len(self.predicted))
        actual, predicted = _padded(self.actual, length), _padded(self.predicted, length)
        return tuple(said - true for true, said in zip(actual, predicted, strict=True))

    @property
    def error(self) -> int:
        """The article's error: the sum of the absolute differences, in tokens."""
        return sum(map(abs, self.differences))

    @property
    def late(self) -> int:
        """The part of the error from starts predicted too late, in tokens."""
        return sum(difference for difference in self.differences if difference > 0)

    @property
    def early(self) -> int:
        """The part of the error from starts predicted too early, in tokens; 0 or above."""
        return -sum(difference for difference in self.differences if difference < 0)

    @property
    def missing(self) -> int:
        """True sections minus predicted sections; negative if there are too many predicted."""
        return len(self.actual) - len(self.predicted)


@dataclass(frozen=True, slots=True)
class StartErrors:
    """The errors of several documents.

    Attributes:
        documents: The error of each document, in order.

    Raises:
        ValueError: There is no document.
    """

    documents: tuple[StartError, ...]

    def __post_init__(self) -> None:
        if not self.documents:
            raise ValueError("expected the errors of at least one document")

    @property
    def mae(self) -> float:
        """Mean of the documents' errors, in tokens."""
        return sum(one.error for one in self.documents) / len(self.documents)

    @property
    def rmse(self) -> float:
        """Root of the mean of the documents' squared errors, in tokens."""
        return sqrt(sum(one.error**2 for one in self.documents) / len(self.documents))

    def worst(self, count: int = 5) -> list[StartError]:
        """Return the documents with the largest errors, the largest first."""
        return sorted(self.documents, key=lambda one: -one.error)[:count]


def start_error(actual: Sequence[int], predicted: Sequence[int]) -> int:
    """Return the article's error of one document.

    Args:
        actual: Start tokens of the true sections, ascending, the first usually 0. Neighbours may be
            equal, because a section may have no tokens.
        predicted: Start tokens of the predicted sections, in the same form.

    Returns:
        The sum of |predicted - actual|, the shorter list padded with its own last value; 0 if
        both are empty, as for an empty text.

    Raises:
        ValueError: Start tokens decrease or are negative, or one list is empty and the other is
            not.

    Example:
        >>> start_error([0, 50, 100, 200], [0, 49, 105, 180])
        26
        >>> start_error([0, 50, 100, 200], [0, 49, 150])
        101
    """
    return StartError("", tuple(actual), tuple(predicted)).error


def start_errors(documents: Iterable[tuple[str, Sequence[int], Sequence[int]]]) -> StartErrors:
    """Return the errors of several documents.

    Args:
        documents: Name, actual and predicted start tokens of each.

    Raises:
        ValueError: There is no document, or start tokens are invalid, as for `start_error`.
    """
    return StartErrors(
        tuple(StartError(name, tuple(true), tuple(said)) for name, true, said in documents)
    )


def _padded(tokens: tuple[int, ...], length: int) -> tuple[int, ...]:
    return tokens + tokens[-1:] * (length - len(tokens))


def _check(tokens: tuple[int, ...], which: str, document: str) -> None:
    falls = any(after < before for before, after in pairwise(tokens))
    if falls or (tokens and tokens[0] < 0):
        raise ValueError(
            f"{document or 'start tokens'}: {which} must be numbers of tokens from 0 that do not "
            f"decrease, not {list(tokens[:10])}"
        )


class TokenPositions:
    """Turns character offsets of a document into numbers of tokens before them.

    Tokens are counted as `GreedyChunker` counts them, so that a position does not depend on the
    cuts: in the text with tiktoken, or else unit by unit. An offset inside a unit counts the unit's
    part before it.

    Args:
        document: The document.
        tokenizer: Counts tokens; see `lumber_core.tokens.token_counter`.

    Attributes:
        total: Tokens of the whole document.
    """

    def __init__(self, document: Document, *, tokenizer: TokenCounterSpec = "cl100k_base") -> None:
        self._text = document.text
        self._tokens = tokens_of(document.text, token_counter(tokenizer))
        self._units = document.units
        counts = self._tokens.between([*document.units, len(document.text)])
        self._before = [0, *accumulate(counts)]
        self.total = self._before[-1]

    def at(self, offsets: Iterable[int]) -> list[int]:
        """Return the number of tokens before each character offset.

        Args:
            offsets: Character offsets, not decreasing.

        Returns:
            Numbers of tokens, not decreasing, although a longer part of a unit may count fewer
            tokens than a shorter one.

        Raises:
            ValueError: An offset is not in the text, or below the one before it.
        """
        found: list[int] = []
        before = 0
        for offset in offsets:
            if not before <= offset <= len(self._text):
                raise ValueError(
                    f"offsets must ascend from 0 to at most {len(self._text)}, the length of the "
                    f"text; {offset} comes after {before}"
                )
            found.append(max(self._at(offset), found[-1] if found else 0))
            before = offset
        return found

    def _at(self, offset: int) -> int:
        number = bisect_right(self._units, offset) - 1
        if number < 0:  # a text without units
            return 0
        start = self._units[number]
        if offset == start:
            return self._before[number]
        (more,) = self._tokens.count([(start, offset)])
        # A part counted alone may exceed the whole.
        return min(self._before[number] + more, self._before[number + 1])
