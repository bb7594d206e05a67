"""Sizes of texts that mean the same in every alphabet.

A tokenizer makes several times as many tokens of Greek or Thai as of English. What is cut to the
same number of tokens then says several times less, and is found less often.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lumber_core.tokens.estimated_counter import EstimatedCounter, EstimatedText

# From Greek on, all but kana, ideographs and Hangul, each of which says more than a letter.
_LETTERS = re.compile(
    "[\u0370-\u1dff\u1f00-\u1fff\u2c00-\u2dff\ua000-\uabff\ufb00-\ufdff\U00010000-\U0001f000]"
)


class EvenCounter(EstimatedCounter):
    """Estimates the tokens that a text would have if its alphabet cost as much as English."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, in order."""
        return super().count([*map(_in_latin, texts)])

    def of(self, text: str) -> EstimatedText:
        """Return what estimates ranges of a text."""
        return EstimatedText(_in_latin(text))

    def __repr__(self) -> str:
        return "EvenCounter()"


def _in_latin(text: str) -> str:
    """Return a text of the same length, with a letter of English for each of other alphabets."""
    return text if text.isascii() else _LETTERS.sub("e", text)
