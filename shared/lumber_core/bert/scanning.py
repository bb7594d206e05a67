"""Running windows over a text: the loop between the windows, which know no model, and a scorer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lumber_core.bert.windows import Scores, Windows
from lumber_core.bert.wordpieces import Numbers


class TokenScorer(Protocol):
    """A model that scores the tokens of windows.

    Attributes:
        at_once: How many windows it is best given together.
    """

    at_once: int

    def score(self, windows: Sequence[Numbers]) -> list[Scores]:
        """Return t for each token of each window.

        Args:
            windows: Vocabulary numbers of each window's tokens, without [CLS] and [SEP].
        """


def scan(scorer: TokenScorer, ids: Numbers, windows: Windows) -> None:
    """Score the windows of a text until they are done.

    Args:
        scorer: The model.
        ids: Vocabulary numbers of the text's tokens.
        windows: The windows; they hold the result.
    """
    while asked := windows.ask(scorer.at_once):
        scored = scorer.score([ids[window.start : window.stop] for window in asked])
        for window, scores in zip(asked, scored, strict=True):
            windows.tell(window, scores)
