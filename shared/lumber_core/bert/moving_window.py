"""Windows over a text's tokens, and the combination of their scores; independent of the model.

A text may be longer than a model's input. `OverlappingWindows` are at regular distances, and the
scores of each token are averaged; `scan` scores the windows of many texts. `read_moving` is the
method of the paper: it scores a window, then moves to the last start token in it.

Positions and sizes are counted in tokens, without [CLS] and [SEP].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

TokenIds = npt.NDArray[np.int32]
"""Vocabulary IDs of tokens."""

Scores = npt.NDArray[np.float32]
"""t of each token: logit(start) - logit(normal)."""

Positions = npt.NDArray[np.intp]
"""Ascending indices of tokens in a window, counted from its first token."""


class Window(NamedTuple):
    """A range of tokens to score, as indices."""

    start: int  # the first token
    stop: int  # the token just past the last


class TokenScorer(Protocol):
    """A model that scores the tokens of windows."""

    batch_size: int  # the best number of windows to score in one call

    def score(self, windows: Sequence[TokenIds], places: Sequence[Positions]) -> list[Scores]:
        """Return the scores (see `Scores`) of the tokens at `places` of each window.

        Windows have no [CLS] and no [SEP].

        The score of a token does not depend on which other tokens are scored, except for rounding
        if windows are padded to a batch.
        """


class OverlappingWindows:
    """Windows at regular distances; a token's score is the weighted average over its windows.

    The weight of a window is the token's distance from the nearer end of the window, because the
    middle has context on both sides. Scores of `windows` may be added in any order.

    A window has `size` tokens, and the next window starts `stride` tokens later. `wanted` is
    whether to score each token, shape (tokens,); None for all. Other tokens score minus infinity.
    `on_done` is called with the scores once all windows are scored.
    """

    def __init__(
        self,
        ids: TokenIds,
        *,
        size: int,
        stride: int,
        wanted: npt.NDArray[np.bool_] | None = None,
        on_done: Callable[[Scores], object] = lambda _: None,
    ) -> None:
        count = len(ids)
        self.ids = ids
        self._wanted = np.ones(count, dtype=np.bool_) if wanted is None else wanted
        self._on_done = on_done
        self._sums: Scores = np.zeros(count, dtype=np.float32)
        self._weights: Scores = np.zeros(count, dtype=np.float32)
        starts = range(0, max(1, count - size + stride), stride) if count else range(0)
        self.windows = [Window(at, min(at + size, count)) for at in starts]
        self._windows_left = len(self.windows)

    @property
    def scores(self) -> Scores:
        """The averages, which are final after the scores of all windows are added."""
        averages: Scores = np.divide(self._sums, np.maximum(self._weights, 1), dtype=np.float32)
        return averages

    def places(self, window: Window) -> Positions:
        """Return the tokens of a window that are to be scored."""
        return np.flatnonzero(self._wanted[window.start : window.stop])

    def add_scores(self, window: Window, scores: Scores) -> None:
        """Add the scores of a window: one for each of its `places`."""
        length = window.stop - window.start
        rising = np.arange(1, length + 1, dtype=np.float32)
        weights = np.minimum(rising, rising[::-1])
        token_scores = np.full(length, -np.inf, dtype=np.float32)
        token_scores[self.places(window)] = scores
        self._sums[window.start : window.stop] += weights * token_scores
        self._weights[window.start : window.stop] += weights
        self._windows_left -= 1
        if not self._windows_left:
            self.finish()

    def finish(self) -> None:
        """Call `on_done` with the scores."""
        self._on_done(self.scores)


def scan(scorer: TokenScorer, texts: Iterable[OverlappingWindows]) -> None:
    """Score the windows of texts until all are done.

    The next text is read when a call of the model has room for its windows, so that at most
    `scorer.batch_size` texts are in memory.
    """

    def windows_of(text: OverlappingWindows) -> Iterator[tuple[OverlappingWindows, Window]]:
        if not text.windows:
            text.finish()
        return ((text, window) for window in text.windows)

    all_windows = chain.from_iterable(map(windows_of, texts))
    while batch := list(islice(all_windows, scorer.batch_size)):
        pieces = [text.ids[slice(*window)] for text, window in batch]
        places = [text.places(window) for text, window in batch]
        for (text, window), t in zip(batch, scorer.score(pieces, places), strict=True):
            text.add_scores(window, t)


def read_moving(
    scorer: TokenScorer,
    ids: TokenIds,
    *,
    size: int,
    threshold: float,
    allowed: npt.NDArray[np.bool_],
) -> tuple[Scores, list[int]]:
    """Read a text as in the paper (BertChunker): each window begins at the last start token.

    A start at the first token of a window counts once. After a window without another start, the
    next window begins at its end, so reading always ends. Tokens that are `allowed`, shape
    (tokens,), and have a score above the threshold (t_c in the paper) are start tokens. Returns the
    scores, and the indices of the start tokens, ascending, never 0.
    """
    scores: Scores = np.zeros(len(ids), dtype=np.float32)
    last, at, starts = 0, 0, list[int]()
    while at < len(ids):
        window = Window(at, min(at + size, len(ids)))
        (t,) = scorer.score([ids[slice(*window)]], [np.arange(window.stop - at)])
        first = at + (at == last > 0)  # a start token was scored by the window before
        scores[first : window.stop] = t[first - at :]
        indices = at + np.flatnonzero((t > threshold) & allowed[slice(*window)])
        starts += indices[indices > last].tolist()
        last = starts[-1] if starts else 0
        at = last if at < last and window.stop < len(ids) else window.stop
    return scores, starts
