"""The warning about texts that an embedding model cannot read: of alphabets it has no words of."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache

from lumber_core.bert.tokenizer import WordPieces

logger = logging.getLogger(__name__)

# Share of the characters in pieces that the model knows, of two characters or more. Of the bundled
# one: English 0.96, German 0.93, source code 0.86, tables of numbers 0.3 to 0.8; Russian, Greek and
# Chinese 0.1, Arabic and Korean 0.
_READ = 0.25
_ENOUGH = 1_000  # characters


def warn_of_unread(texts: Sequence[WordPieces], unknown: int) -> None:
    """Log a warning, once, if texts fall into single characters and unknown pieces.

    Args:
        texts: Their pieces.
        unknown: The token id of a piece that the model does not know.
    """
    total = read = 0
    for text in texts:
        lengths = text.ends - text.starts
        total += int(lengths.sum())
        read += int(lengths[(lengths > 1) & (text.ids != unknown)].sum())
    if total >= _ENOUGH and read < _READ * total:
        _warn()


@cache
def _warn() -> None:
    logger.warning(
        "the embedding model has no words of the alphabet of these texts: they are found by their "
        "words, and its vectors say little. Pass a multilingual embedding model"
    )
