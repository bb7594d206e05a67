"""Where in a text something stands, in tokens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from lumber_core.tokens import TokenCounterSpec, token_counter
from lumber_evaluation.documents import Document


class TokenPositions:
    """Turns character offsets of a document into numbers of tokens before them.

    Tokens are counted unit by unit, as `GreedyChunker` counts them, so that a position does not
    depend on where anybody cuts. An offset inside a unit counts the unit's part before it.

    Args:
        document: The document.
        tokenizer: Counts tokens; see `lumber_core.tokens.token_counter`.

    Attributes:
        total: Tokens of the whole document.
    """

    def __init__(self, document: Document, *, tokenizer: TokenCounterSpec = "cl100k_base") -> None:
        self._text = document.text
        self._counter = token_counter(tokenizer)
        self._units = document.units
        ends = [*document.units[1:], len(document.text)]
        counts = self._counter.count(
            [document.text[start:end] for start, end in zip(document.units, ends, strict=False)]
        )
        self._before = [0, *accumulate(counts)]
        self.total = self._before[-1]

    def at(self, offsets: Iterable[int]) -> list[int]:
        """Return the number of tokens before each character offset.

        Args:
            offsets: Character offsets that do not fall.

        Returns:
            Numbers of tokens that do not fall either, although a longer part of a unit may
            count fewer tokens than a shorter one.

        Raises:
            ValueError: If an offset is not in the text, or below the one before it.
        """
        found: list[int] = []
        before = 0
        for offset in offsets:
            if not before <= offset <= len(self._text):
                raise ValueError(
                    f"offsets must rise from 0 to at most {len(self._text)}, the length of the "
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
        (more,) = self._counter.count([self._text[start:offset]])
        # A part counted alone may exceed the whole.
        return min(self._before[number] + more, self._before[number + 1])
