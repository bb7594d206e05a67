"""The best way to cut a text into chunks, given scored places and the sizes between them.

Every place where a chunk may start has a score; every chunk has a cost that depends on its size
alone. `Tiler` finds the cuts that maximise the sum of scores minus the sum of costs, exactly, by
dynamic programming: the best tiling up to a place is the best tiling up to some earlier place, at
most `chunk_size` tokens back, and one chunk more. That takes O(places x window), where the window
is the number of places within `chunk_size` tokens.

Places may be given in parts. A cut is returned as soon as no later place can change it, so memory
depends on `chunk_size` and not on the length of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lumber_core.checks import check_positive

# The cost of a chunk below the minimum, in units of score: more than any score can outweigh.
_BELOW_MINIMUM = 1e6
# Number of places after which decided cuts are returned and forgotten.
_BLOCK = 4096


@dataclass(frozen=True)
class ChunkCosts:
    """What a chunk costs by its size in tokens, in units of score.

    A chunk of `size` tokens costs `weight * ((size - target_size) / target_size)**2`; one below
    `min_chunk_size` costs a prohibitive amount more.

    Attributes:
        chunk_size: Maximum tokens in a chunk.
        target_size: The size that costs nothing.
        min_chunk_size: Minimum tokens in a chunk, unless nothing else fits. None: no minimum.
        weight: Weight of sizes relative to scores.

    Raises:
        ValueError: A size is below 1, or the sizes are not in order.
        TypeError: A size is not a whole number.
    """

    chunk_size: int
    target_size: int
    min_chunk_size: int | None = None
    weight: float = 12.0

    def __post_init__(self) -> None:
        check_positive("chunk_size", self.chunk_size)
        check_positive("target_size", self.target_size)
        if self.target_size > self.chunk_size:
            raise ValueError(
                f"target_size ({self.target_size}) must not be above chunk_size ({self.chunk_size})"
            )
        if self.min_chunk_size is not None:
            check_positive("min_chunk_size", self.min_chunk_size)
            if self.min_chunk_size > self.chunk_size:
                raise ValueError(
                    f"min_chunk_size ({self.min_chunk_size}) must not be above chunk_size "
                    f"({self.chunk_size})"
                )

    @cached_property
    def table(self) -> npt.NDArray[np.float64]:
        """The cost of a chunk of 0, 1, ... chunk_size tokens, shape (chunk_size + 1,)."""
        sizes = np.arange(self.chunk_size + 1, dtype=np.float64)
        costs: npt.NDArray[np.float64] = (
            self.weight * ((sizes - self.target_size) / self.target_size) ** 2
        )
        if self.min_chunk_size is not None:
            costs[: self.min_chunk_size] += _BELOW_MINIMUM
        return costs


class Tiler:
    """Finds the best tiling of a text whose places are given in order, in parts or at once.

    If two neighbouring places are more than `chunk_size` tokens apart, both become cuts: the text
    between them is a chunk that the caller has to divide. Of equally good tilings the
    one whose last chunks are longest is chosen, so the result does not depend on the parts, unless
    tilings differ by no more than rounding errors.

    Args:
        costs: What a chunk of each size costs.
    """

    def __init__(self, costs: ChunkCosts) -> None:
        self._costs = costs.table
        self._chunk_size = costs.chunk_size
        # Live places: those where a chunk may still start, or that lead to one. `_first` is the
        # number of the first of them; the text's start is place 0.
        self._first = 0
        self._before: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self._best: npt.NDArray[np.float64] = np.zeros(1, dtype=np.float64)
        self._back: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def extend(self, sizes: npt.ArrayLike, scores: npt.ArrayLike) -> list[int]:
        """Add places, and return the cuts that are now decided.

        Args:
            sizes: Tokens between each place and the one before it, or the text's start.
            scores: What a cut at each place adds.

        Returns:
            Numbers of the places to cut at, counted from 1, ascending, without those already
            returned.

        Raises:
            ValueError: There are not as many scores as sizes, a size is negative, or a score is
                not a finite number.
        """
        steps = np.asarray(sizes, dtype=np.int64).reshape(-1)
        gains = np.asarray(scores, dtype=np.float64).reshape(-1)
        if len(steps) != len(gains):
            raise ValueError(f"there are {len(steps)} sizes but {len(gains)} scores")
        if len(steps) and (steps.min() < 0 or not np.isfinite(gains).all()):
            raise ValueError("sizes must not be negative, and scores must be finite")
        decided: list[int] = []
        for start in range(0, len(steps), _BLOCK):
            self._add(steps[start : start + _BLOCK], gains[start : start + _BLOCK])
            decided += self._forget()
        return decided

    def finish(self, size: int) -> list[int]:
        """Add the end of the text, and return the remaining cuts.

        Args:
            size: Tokens between the last place and the end.
        """
        self._add(np.array([size], dtype=np.int64), np.zeros(1))
        chain = self._chain(len(self._back) - 1)
        return [place for place in reversed(chain) if place > self._first][:-1]

    def _add(self, steps: npt.NDArray[np.int64], gains: npt.NDArray[np.float64]) -> None:
        """Find the best last chunk for each new place."""
        known = len(self._before)
        before = np.concatenate([self._before, self._before[-1] + np.cumsum(steps)])
        best = np.concatenate([self._best, np.zeros(len(steps))])
        back = np.concatenate([self._back, np.zeros(len(steps), dtype=np.int64)])
        lows = np.searchsorted(before, before[known:] - self._chunk_size, side="left")
        costs, first = self._costs, self._first
        for place, low in enumerate(lows.tolist(), start=known):
            if low >= place:  # the stretch before this place does not fit into a chunk
                back[place] = first + place - 1
                best[place] = best[place - 1] + gains[place - known]
                continue
            totals = best[low:place] - costs[before[place] - before[low:place]]
            chosen = int(totals.argmax())
            back[place] = first + low + chosen
            best[place] = totals[chosen] + gains[place - known]
        self._before, self._best, self._back = before, best, back

    def _forget(self) -> list[int]:
        """Drop the places where no later chunk can start, and return the cuts among them.

        All later tilings pass through a place in the last window. Everything before the place where
        the paths back from these meet is decided.
        """
        reach = int(np.searchsorted(self._before, self._before[-1] - self._chunk_size, side="left"))
        live = set(range(self._first + min(reach, len(self._before) - 1), self._end))
        while len(live) > 1:
            latest = max(live)
            live.remove(latest)
            live.add(int(self._back[latest - self._first]))
        common = live.pop()
        decided = [p for p in reversed(self._chain(common - self._first)) if p > self._first]
        keep = common - self._first
        self._before = self._before[keep:] - self._before[keep]
        self._best = self._best[keep:] - self._best[keep]
        self._back = self._back[keep:]
        self._first = common
        return decided

    @property
    def _end(self) -> int:
        """The number just past the last place."""
        return self._first + len(self._before)

    def _chain(self, index: int) -> list[int]:
        """Return the numbers of a live place and of the cuts that lead to it, latest first."""
        chain = [self._first + index]
        while chain[-1] > self._first:
            chain.append(int(self._back[chain[-1] - self._first]))
        return chain


def best_cuts(sizes: npt.ArrayLike, scores: npt.ArrayLike, costs: ChunkCosts) -> list[int]:
    """Return the cuts of the best tiling of a text.

    Args:
        sizes: Tokens of each stretch between places: the first from the text's start to the first
            place, the last from the last place to the text's end. Shape (places + 1,).
        scores: What a cut at each place adds, shape (places,).
        costs: What a chunk costs by its size.

    Returns:
        Indices of `scores` to cut at, ascending.

    Raises:
        ValueError: There is not one size more than there are scores, a size is negative, or a
            score is not a finite number.
    """
    steps = np.asarray(sizes, dtype=np.int64).reshape(-1)
    gains = np.asarray(scores, dtype=np.float64).reshape(-1)
    if len(steps) != len(gains) + 1:
        raise ValueError(
            f"expected {len(gains) + 1} sizes around {len(gains)} places, not {len(steps)}"
        )
    tiler = Tiler(costs)
    cuts = tiler.extend(steps[:-1], gains)
    return [cut - 1 for cut in cuts + tiler.finish(int(steps[-1]))]
