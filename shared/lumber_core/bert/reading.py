"""From a text to the scores of its tokens, and from those to cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.loading import LoadedModel
from lumber_core.bert.scanning import scan
from lumber_core.bert.tokenizer import WordPieces
from lumber_core.bert.windows import MovingWindows, OverlappingWindows, Windows
from lumber_core.spans import Span


class Reading(NamedTuple):
    """What a model makes of a text.

    Attributes:
        pieces: The text's tokens.
        windows: The windows, all of them told.
        candidates: Numbers of the tokens that may start a chunk, rising.
        offsets: The character offset where the chunk would start, for each candidate.
    """

    pieces: WordPieces
    windows: Windows
    candidates: npt.NDArray[np.intp]
    offsets: npt.NDArray[np.int64]

    def cuts(self) -> list[int]:
        """Return the character offsets where chunks start, but for the text's own start."""
        places = np.searchsorted(self.candidates, self.windows.starts)
        return [int(cut) for cut in self.offsets[places] if cut > 0]


def read(
    model: LoadedModel,
    text: str,
    *,
    sentences: Sequence[Span] | None,
    moving: bool,
    threshold: float,
    everywhere: bool,
) -> Reading:
    """Score a text's tokens in windows.

    Args:
        model: The model.
        text: The text.
        sentences: Its sentences, where chunks may start at those only; None lets them start at
            every word.
        moving: Whether windows move as the paper's do; else they overlap by half.
        threshold: A token is a start where its score is above this (the paper's t_c).
        everywhere: Whether to score all tokens; else those that may start a chunk, which is less
            work and gives the same cuts.
    """
    pieces = model.tokenizer(text)
    count, size = len(pieces.ids), model.window - 2
    if sentences is None:
        candidates = model.tokenizer.word_starts(text, pieces)
        offsets = pieces.starts[candidates].astype(np.int64)
    else:
        starts = np.fromiter((start for start, _ in sentences), np.int64, len(sentences))
        candidates = pieces.first_of(starts)
        # A sentence without any token, as a row of control characters, stays with the one before.
        offsets = starts[np.searchsorted(starts, pieces.starts[candidates], side="right") - 1]
    allowed = np.zeros(count, dtype=np.bool_)
    allowed[candidates] = True
    windows: Windows
    if moving:
        windows = MovingWindows(count, size=size, threshold=threshold, allowed=allowed)
    else:
        windows = OverlappingWindows(
            count, size=size, stride=(size + 1) // 2, threshold=threshold, allowed=allowed
        )
    scan(model.scorer, pieces.ids, windows, wanted=None if everywhere else allowed)
    return Reading(pieces, windows, candidates, offsets)
