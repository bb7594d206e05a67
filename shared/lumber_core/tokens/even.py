"""Sizes of texts that correspond to the same amount of content in every alphabet.

Tokenizers make several times more tokens of Greek or Thai than of English. Chunks with the same
number of tokens then have several times less content, and retrieval finds them less often.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lumber_core.tokens.estimated_counter import EstimatedCounter, EstimatedText

# From Greek on, except kana, ideographs and Hangul: each of these carries more than a letter does.
_LETTERS = re.compile(
    "[\u0370-\u1dff\u1f00-\u1fff\u2c00-\u2dff\ua000-\uabff\ufb00-\ufdff\U00010000-\U0001f000]"
)


class EvenCounter(EstimatedCounter):
    """Estimates the tokens that a text would have if its alphabet cost as much as English."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, in order."""
        return super().count([*map(_replace_alphabets, texts)])

    def of(self, text: str) -> EstimatedText:
        """Return an estimator of ranges of a text."""
        return EstimatedText(_replace_alphabets(text), EstimatedCounter())

    def __repr__(self) -> str:
        return "EvenCounter()"


def _replace_alphabets(text: str) -> str:
    """Return a text of the same length with each letter of other alphabets as an English one."""
    return text if text.isascii() else _LETTERS.sub("e", text)
