"""Windows over a text's tokens: which to score, and how their scores combine. No model inside.

Two ways to read a text that is longer than the model's window:

* `MovingWindows` is the paper's: score a window, then move to the last start token found in it, or
  by a whole window if it found none. The next window depends only on where the current one begins,
  so walks may begin further down the text ahead of time (*lanes*, a form of speculative execution):
  as soon as the true walk reaches a place where a lane has been, it takes over the lane's windows.
* `OverlappingWindows` scores windows at regular distances and averages the scores of each token;
  the middle of a window, which has context on both sides, has the most weight.

`scanning` asks either kind for windows and tells it their scores, in any order, until it is done.
Positions and sizes are counted in tokens, without [CLS] and [SEP].
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

TokenIds = npt.NDArray[np.int32]
"""Vocabulary ids of tokens."""

Scores = npt.NDArray[np.float32]
"""t of each token: logit(start) - logit(normal)."""

Positions = npt.NDArray[np.intp]
"""Indices of some of a window's tokens, counted from its first, ascending."""

# Windows between the beginnings of two lanes. Lanes share the rest of the text, because each wastes
# one or two windows, but are short enough to keep few scores in memory.
_SHORTEST_LANE, _LONGEST_LANE = 2, 64


class Window(NamedTuple):
    """A range of tokens to score: the index of the first, and just past the last."""

    start: int
    stop: int


class Windows(Protocol):
    """The windows of one text, to be scored by `scan`."""

    @property
    def done(self) -> bool:
        """Whether all windows that are needed have been scored."""

    @property
    def scores(self) -> Scores:
        """Scores of all tokens of the text; final once done."""

    @property
    def starts(self) -> list[int]:
        """Indices of the start tokens, ascending, never 0; final once done."""

    def ask(self, most: int) -> list[Window]:
        """Return 1 to `most` windows to score next; none once done."""

    def tell(self, window: Window, scores: Scores) -> None:
        """Take the scores of a window returned by `ask`."""


class _ScoredWindow(NamedTuple):
    """A scored window: its start tokens, where the next window begins, its scores."""

    starts: list[int]
    following: int | None
    scores: Scores


class MovingWindows:
    """The paper's inference (BertChunker): each window begins at the last start token found.

    The result does not depend on how many windows are scored at once. A start at the first token
    of a window counts once, and never stops the walk.

    Args:
        count: Number of tokens in the text.
        size: Tokens in a window.
        threshold: Tokens with a higher score are start tokens (t_c in the paper).
        allowed: Whether each token may start a chunk, shape (count,); None if all may.

    Raises:
        ValueError: `count` is negative, `size` is below 2, or `allowed` has another length.
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
        self._scored: dict[int, _ScoredWindow] = {}
        self._lanes: list[int] = []

    def ask(self, most: int) -> list[Window]:
        """Return the window that the walk needs next, then those that its lanes need."""
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
        """Take the scores of a window, and move the walk over all windows scored by now.

        Raises:
            ValueError: The number of scores differs from the window's tokens.
        """
        _check_told(window, scores)
        self._scored[window.start] = self._evaluate(window, scores)
        while not self.done and (scored := self._scored.get(self._position)) is not None:
            self._follow(scored)

    def _waiting_lanes(self) -> list[int]:
        """Move every lane to its first window that is not scored yet.

        Lanes that have reached the same place merge; a lane that has reached the end is dropped.
        """
        places: set[int] = set()
        for lane in self._lanes:
            at: int | None = lane
            while at is not None and (scored := self._scored.get(at)) is not None:
                at = scored.following
            if at is not None and at > self._position:
                places.add(at)
        return sorted(places)

    def _evaluate(self, window: Window, scores: Scores) -> _ScoredWindow:
        """Apply the threshold to a window."""
        above = scores > self._threshold
        if self._allowed is not None:
            above = above & self._allowed[window.start : window.stop]
        starts = [window.start + int(place) for place in np.flatnonzero(above)]
        if window.stop == self._count:
            return _ScoredWindow(starts, None, scores)
        moved = bool(starts) and starts[-1] > window.start
        return _ScoredWindow(starts, starts[-1] if moved else window.stop, scores)

    def _follow(self, scored: _ScoredWindow) -> None:
        """Move the walk over the window at its position."""
        last = self.starts[-1] if self.starts else 0
        self.starts += [start for start in scored.starts if start > last]
        stop = self._position + len(scored.scores)
        known = self._position if self._position != last or last == 0 else self._position + 1
        self.scores[known:stop] = scored.scores[known - self._position :]
        if scored.following is None:
            self.done = True
            self._scored.clear()
            return
        self._position = scored.following
        self._scored = {at: it for at, it in self._scored.items() if at >= self._position}


class OverlappingWindows:
    """Windows at regular distances; a token's score is the weighted average over its windows.

    The weight of a window is the token's distance from the nearer end of the window.

    Args:
        count: Number of tokens in the text.
        size: Tokens in a window.
        stride: Tokens from the start of a window to the start of the next.
        threshold: Tokens with a higher average are start tokens (t_c in the paper).
        allowed: Whether each token may start a chunk, shape (count,); None if all may.

    Raises:
        ValueError: `count` is negative, `size` is below 2, `stride` is not between 1 and
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
        """Whether every window has been scored."""
        return not self._unasked and not self._waiting

    @property
    def scores(self) -> Scores:
        """The averages; 0 for tokens of which no window has been scored yet."""
        averages: Scores = np.divide(self._sums, np.maximum(self._weights, 1), dtype=np.float32)
        return averages

    @property
    def starts(self) -> list[int]:
        """Indices of the tokens with an average above the threshold, except the text's first."""
        above = self.scores > self._threshold
        if self._allowed is not None:
            above &= self._allowed
        return [int(place) for place in np.flatnonzero(above) if place > 0]

    def ask(self, most: int) -> list[Window]:
        """Return the next windows of the text, then those returned before but not scored yet."""
        fresh = self._unasked[:most]
        self._unasked = self._unasked[most:]
        for start in fresh:
            self._waiting[Window(start, min(start + self._size, self._count))] = None
        return list(self._waiting)[:most]

    def tell(self, window: Window, scores: Scores) -> None:
        """Add the scores of a window to its tokens.

        Raises:
            ValueError: The window was not returned by `ask` or was told before, or the number of
                scores differs from its tokens.
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
        raise ValueError(f"count must be the number of tokens in the text, not {count}")
    if size < 2:
        raise ValueError(f"a window must have at least 2 tokens, not {size}")
    if allowed is not None and len(allowed) != count:
        raise ValueError(
            f"allowed must have an entry for each of the {count} tokens, not {len(allowed)} entries"
        )


def _check_told(window: Window, scores: Scores) -> None:
    """Raise unless there is one score for each token of a window."""
    if len(scores) != window.stop - window.start:
        raise ValueError(
            f"expected {window.stop - window.start} scores, one for each token of {window}, "
            f"not {len(scores)}"
        )
