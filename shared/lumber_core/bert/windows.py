"""Windows over a text's tokens: which to score, and what their scores add up to. No model inside.

Two ways to read a text that is longer than the model's window:

* `MovingWindows` is the paper's: look at a window, move to the last start predicted in it, or on
  by a whole window where it predicts none. Which window comes next depends only on where the
  present one begins, so walks may begin further down ahead of time (*lanes*): as soon as the true
  walk comes to a place that a lane has been at, the lane's windows are the walk's.
* `OverlappingWindows` looks at windows at even distances and averages what they say of a token;
  the middle of a window, which sees most on both sides, counts most.

Both are asked for windows and told their scores, in any order, until they are done. Positions and
sizes are counted in tokens, without [CLS] and [SEP].
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
"""t for each token: logit(start) - logit(normal)."""

Places = npt.NDArray[np.intp]
"""Numbers of some of a window's tokens, counted from its first, rising."""

# Windows between the places where two lanes begin: what is left of the text shared among them, as
# each lane wastes one or two windows, but not so much that a lane's scores fill memory.
_SHORTEST_LANE, _LONGEST_LANE = 2, 64


class Window(NamedTuple):
    """A stretch of tokens to score: the numbers of its first token and just past its last."""

    start: int
    stop: int


class Windows(Protocol):
    """What both kinds of windows have in common."""

    @property
    def done(self) -> bool:
        """Whether every score that is needed has been told."""

    @property
    def scores(self) -> Scores:
        """T for each token of the text; final once done."""

    @property
    def starts(self) -> list[int]:
        """Numbers of the tokens that start a chunk, rising, never 0; final once done."""

    def ask(self, most: int) -> list[Window]:
        """Return windows to score next: one at least, `most` at most; none once done."""

    def tell(self, window: Window, scores: Scores) -> None:
        """Take t for each token of a window that was asked for."""


class _Judged(NamedTuple):
    """What one window said: the starts in it, where the next window begins, its scores."""

    starts: list[int]
    following: int | None
    scores: Scores


class MovingWindows:
    """The paper's walk (BertChunker, inference): each window begins at the last start found.

    What is found does not depend on how many windows are asked for at once. A start at the first
    token of a window counts once, and never holds the walk in place.

    Args:
        count: Number of tokens of the text.
        size: Tokens in a window.
        threshold: A token is a start where its score is above this (the paper's t_c).
        allowed: For each token, whether it may start a chunk; None where every token may.

    Raises:
        ValueError: If `count` is negative, `size` is below 2, or `allowed` has another length.
    """

    def __init__(
        self,
        count: int,
        *,
        size: int,
        threshold: float = 0.0,
        allowed: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        _check(count, size, allowed)
        self.scores: Scores = np.zeros(count, dtype=np.float32)
        self.starts: list[int] = []
        self.done = count == 0
        self._count = count
        self._size = size
        self._threshold = threshold
        self._allowed = allowed
        self._position = 0
        self._judged: dict[int, _Judged] = {}
        self._lanes: list[int] = []

    def ask(self, most: int) -> list[Window]:
        """Return the window that the walk waits for, then those that its lanes wait for."""
        if self.done:
            return []
        wanted = [self._position, *self._waiting_lanes()]
        furthest = wanted[-1]
        share = (self._count - self._position) // (most * self._size)
        length = min(max(share, _SHORTEST_LANE), _LONGEST_LANE)
        while len(wanted) < most:
            furthest += length * self._size
            if furthest >= self._count:
                break
            wanted.append(furthest)
        self._lanes = wanted[1:]
        return [Window(at, min(at + self._size, self._count)) for at in wanted[:most]]

    def tell(self, window: Window, scores: Scores) -> None:
        """Take the scores of a window, and move the walk over all that is known by now.

        Raises:
            ValueError: If there is not one score for each token of the window.
        """
        _check_told(window, scores)
        self._judged[window.start] = self._judge(window, scores)
        while not self.done and (judged := self._judged.get(self._position)) is not None:
            self._follow(judged)

    def _waiting_lanes(self) -> list[int]:
        """Move every lane to the first window on its way that nobody has judged.

        Lanes that have come to the same place, or to the end, are one lane or none from there on.
        """
        places: set[int] = set()
        for lane in self._lanes:
            at: int | None = lane
            while at is not None and (judged := self._judged.get(at)) is not None:
                at = judged.following
            if at is not None and at > self._position:
                places.add(at)
        return sorted(places)

    def _judge(self, window: Window, scores: Scores) -> _Judged:
        """Apply the threshold to a window."""
        above = scores > self._threshold
        if self._allowed is not None:
            above = above & self._allowed[window.start : window.stop]
        starts = [window.start + int(place) for place in np.flatnonzero(above)]
        if window.stop == self._count:
            return _Judged(starts, None, scores)
        moved = bool(starts) and starts[-1] > window.start
        return _Judged(starts, starts[-1] if moved else window.stop, scores)

    def _follow(self, judged: _Judged) -> None:
        """Move the walk over the window it stands at."""
        last = self.starts[-1] if self.starts else 0
        self.starts += [start for start in judged.starts if start > last]
        stop = self._position + len(judged.scores)
        known = self._position if self._position != last or last == 0 else self._position + 1
        self.scores[known:stop] = judged.scores[known - self._position :]
        if judged.following is None:
            self.done = True
            self._judged.clear()
            return
        self._position = judged.following
        self._judged = {at: it for at, it in self._judged.items() if at >= self._position}


class OverlappingWindows:
    """Windows at even distances; a token's score is the average over the windows that hold it.

    A window counts for a token by the token's distance from the window's nearer end.

    Args:
        count: Number of tokens of the text.
        size: Tokens in a window.
        stride: Tokens from one window's start to the next one's.
        threshold: A token is a start where its average is above this.
        allowed: For each token, whether it may start a chunk; None where every token may.

    Raises:
        ValueError: If `count` is negative, `size` is below 2, `stride` is not between 1 and
            `size`, or `allowed` has another length.
    """

    def __init__(
        self,
        count: int,
        *,
        size: int,
        stride: int,
        threshold: float = 0.0,
        allowed: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        _check(count, size, allowed)
        if not 1 <= stride <= size:
            raise ValueError(
                f"stride must be between 1 and the window's size of {size} tokens, not {stride}"
            )
        self._sums: Scores = np.zeros(count, dtype=np.float32)
        self._weights: Scores = np.zeros(count, dtype=np.float32)
        self._threshold = threshold
        self._allowed = allowed
        self._size = size
        self._waiting: dict[Window, None] = {}
        self._unasked = range(0, max(1, count - size + stride), stride) if count else range(0)
        self._count = count

    @property
    def done(self) -> bool:
        """Whether every window has been told."""
        return not self._unasked and not self._waiting

    @property
    def scores(self) -> Scores:
        """The averages; 0 where no window has been told yet."""
        averages: Scores = np.divide(self._sums, np.maximum(self._weights, 1), dtype=np.float32)
        return averages

    @property
    def starts(self) -> list[int]:
        """The tokens whose average is above the threshold, but for the text's first."""
        above = self.scores > self._threshold
        if self._allowed is not None:
            above &= self._allowed
        return [int(place) for place in np.flatnonzero(above) if place > 0]

    def ask(self, most: int) -> list[Window]:
        """Return the next windows of the text, then those asked for but not told."""
        fresh = self._unasked[:most]
        self._unasked = self._unasked[most:]
        for start in fresh:
            self._waiting[Window(start, min(start + self._size, self._count))] = None
        return list(self._waiting)[:most]

    def tell(self, window: Window, scores: Scores) -> None:
        """Add the scores of a window to its tokens.

        Raises:
            ValueError: If the window was not asked for or is told twice, or if there is not one
                score for each of its tokens.
        """
        _check_told(window, scores)
        if window not in self._waiting:
            raise ValueError(f"{window} was not asked for, or was told before")
        del self._waiting[window]
        length = window.stop - window.start
        rising = np.arange(1, length + 1, dtype=np.float32)
        weights = np.minimum(rising, rising[::-1])
        self._sums[window.start : window.stop] += weights * scores
        self._weights[window.start : window.stop] += weights


def _check(count: int, size: int, allowed: npt.NDArray[np.bool_] | None) -> None:
    """Raise unless a text of `count` tokens can be read in windows of `size`."""
    if count < 0:
        raise ValueError(f"count must be the number of the text's tokens, not {count}")
    if size < 2:
        raise ValueError(f"a window must hold at least 2 tokens to move on, not {size}")
    if allowed is not None and len(allowed) != count:
        raise ValueError(
            f"allowed must say of each of the {count} tokens whether it may start a "
            f"chunk; it has {len(allowed)} entries"
        )


def _check_told(window: Window, scores: Scores) -> None:
    """Raise unless there is one score for each token of a window."""
    if len(scores) != window.stop - window.start:
        raise ValueError(
            f"expected {window.stop - window.start} scores, one for each token of {window}, "
            f"not {len(scores)}"
        )
