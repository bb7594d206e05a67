"""Running windows over a text: the loop between the windows, which know no model, and a scorer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lumber_core.bert.tokenizer import Numbers
from lumber_core.bert.windows import Places, Scores, Windows


class TokenScorer(Protocol):
    """A model that scores the tokens of windows.

    Attributes:
        at_once: How many windows it is best given together.
    """

    at_once: int

    def score(
        self, windows: Sequence[Numbers], places: Sequence[Places] | None = None
    ) -> list[Scores]:
        """Return t for each token of each window, or for some of them.

        What a token scores does not depend on which others are asked for.

        Args:
            windows: Vocabulary numbers of each window's tokens, without [CLS] and [SEP].
            places: Which tokens of each window to score; None scores all.
        """


def scan(
    scorer: TokenScorer,
    ids: Numbers,
    windows: Windows,
    *,
    wanted: npt.NDArray[np.bool_] | None = None,
) -> None:
    """Score the windows of a text until they are done.

    Args:
        scorer: The model.
        ids: Vocabulary numbers of the text's tokens.
        windows: The windows; they hold the result.
        wanted: For each token, whether its score matters; None if all do. The others' is minus
            infinity.
    """
    while asked := windows.ask(scorer.at_once):
        pieces = [ids[window.start : window.stop] for window in asked]
        if wanted is None:
            scored = scorer.score(pieces)
        else:
            places = [np.flatnonzero(wanted[window.start : window.stop]) for window in asked]
            scored = [
                _spread(told, at, len(piece))
                for told, at, piece in zip(
                    scorer.score(pieces, places), places, pieces, strict=True
                )
            ]
        for window, scores in zip(asked, scored, strict=True):
            windows.tell(window, scores)


def _spread(told: Scores, places: Places, length: int) -> Scores:
    """Put scores to their places in a window, and minus infinity to the others."""
    scores = np.full(length, -np.inf, dtype=np.float32)
    scores[places] = told
    return scores
