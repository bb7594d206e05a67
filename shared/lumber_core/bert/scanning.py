"""Scoring the windows of texts, several texts at once where the model gains from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lumber_core.bert.windows import Positions, Scores, TokenIds, Window, Windows


class TokenScorer(Protocol):
    """A model that scores the tokens of windows.

    Attributes:
        at_once: Best number of windows to score in one call.
        across_texts: Whether calls with windows of several texts take less time than one for each.
    """

    at_once: int
    across_texts: bool

    def score(
        self, windows: Sequence[TokenIds], places: Sequence[Positions] | None = None
    ) -> list[Scores]:
        """Return t of each token of each window, or of some of them.

        The score of a token does not depend on which others are scored, but in the last digits
        where windows are padded to a batch.

        Args:
            windows: Token ids of each window, without [CLS] and [SEP].
            places: Tokens of each window to score; None for all.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """A text to be scored.

    Attributes:
        ids: Token ids of the text.
        windows: Its windows, which combine the scores.
        wanted: Whether to score each token, shape (tokens,); None for all. Other tokens score
            minus infinity.
        on_window: Called for each window that is scored, to show progress.
        on_done: Called once the windows are done.
    """

    ids: TokenIds
    windows: Windows
    wanted: npt.NDArray[np.bool_] | None = None
    on_window: Callable[[Window], object] = lambda _: None
    on_done: Callable[[], object] = lambda: None

    def places(self, window: Window) -> Positions:
        """Return the tokens of a window that are wanted."""
        if self.wanted is None:
            return np.arange(window.stop - window.start)
        return np.flatnonzero(self.wanted[window.start : window.stop])


def scan(scorer: TokenScorer, texts: Iterable[Scan]) -> None:
    """Score the windows of texts until all are done.

    Args:
        scorer: The model.
        texts: The texts. One is pulled when a call of the model has room for its windows, so that
            at most `scorer.at_once` are in work.
    """
    fresh, most = iter(texts), scorer.at_once
    working: list[Scan] = []
    while True:
        asked: list[tuple[Scan, Window]] = []
        for text in working:
            asked += _ask(text, most - len(asked))
        while len(asked) < most and (scorer.across_texts or not working):
            if (pulled := next(fresh, None)) is None:
                break
            working.append(pulled)
            asked += _ask(pulled, most - len(asked))
        if not working:
            return
        _score(scorer, asked)
        for text in [text for text in working if text.windows.done]:
            working.remove(text)
            text.on_done()


def padded_batch(
    windows: Sequence[TokenIds], cls_id: int, sep_id: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return windows with [CLS] and [SEP] as one array, and its mask: 0 for padding, else 1."""
    lengths = np.array([len(window) + 2 for window in windows])
    ids = np.zeros((len(windows), lengths.max()), dtype=np.int64)
    for row, window in zip(ids, windows, strict=True):
        row[: len(window) + 2] = [cls_id, *window, sep_id]
    return ids, (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)


def _ask(text: Scan, most: int) -> list[tuple[Scan, Window]]:
    """Return at most `most` windows of a text to score next."""
    return [(text, window) for window in text.windows.ask(most)] if most else []


def _score(scorer: TokenScorer, asked: Sequence[tuple[Scan, Window]]) -> None:
    """Score windows in one call, and tell their texts."""
    if not asked:
        return
    pieces = [text.ids[window.start : window.stop] for text, window in asked]
    places = [text.places(window) for text, window in asked]
    for (text, window), at, t in zip(asked, places, scorer.score(pieces, places), strict=True):
        scores = np.full(window.stop - window.start, -np.inf, dtype=np.float32)
        scores[at] = t
        text.windows.tell(window, scores)
        text.on_window(window)
