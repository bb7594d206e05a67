"""The best way to cut a text into chunks, given scored places and the sizes between them.

Every place where a chunk may start has a score; every chunk has a cost that depends on its size,
and on whether it ends one section and starts another. `best_cuts` finds the cuts that maximise the
sum of scores minus the sum of costs, exactly, by dynamic programming: the best tiling up to a place
is the best tiling up to some earlier place, at most `chunk_size` tokens back, and one chunk more.
That takes O(places x window), where the window is the number of places within `chunk_size` tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lumber_core.checks import check_positive

# The cost of a chunk below the minimum, in units of score: more than any score can outweigh.
_BELOW_MINIMUM = 1e6


@dataclass(frozen=True)
class ChunkCosts:
    """What a chunk costs, in units of score.

    A chunk of `size` tokens costs `weight * ((size - target_size) / target_size)**2`; one below
    `min_chunk_size` costs a prohibitive amount more.

    Attributes:
        chunk_size: Maximum tokens in a chunk.
        target_size: The size that costs nothing.
        min_chunk_size: Minimum tokens in a chunk, unless nothing else fits. None: no minimum.
        weight: Weight of sizes relative to scores.
        mixed: Additional cost of a chunk that begins inside a section and goes on into the next.

    Raises:
        ValueError: A size is below 1, or the sizes are not in order.
        TypeError: A size is not a whole number.
    """

    chunk_size: int
    target_size: int
    min_chunk_size: int | None = None
    weight: float = 12.0
    mixed: float = 0.0

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


def best_cuts(
    sizes: npt.ArrayLike,
    scores: npt.ArrayLike,
    costs: ChunkCosts,
    headed: npt.ArrayLike | None = None,
) -> list[int]:
    """Return the cuts of the best tiling of a text.

    If two neighbouring places are more than `chunk_size` tokens apart, both become cuts: the caller
    has to divide the text between them. Of equally good tilings the one whose last chunks are
    longest is returned.

    Args:
        sizes: Tokens between places: the first from the text's start to the first
            place, the last from the last place to the text's end. Shape (places + 1,).
        scores: What a cut at each place adds, shape (places,).
        costs: What a chunk costs.
        headed: Whether a section starts at each place, shape (places,). None: at none.

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
    if steps.min() < 0 or not np.isfinite(gains).all():
        raise ValueError("sizes must not be negative, and scores must be finite")
    # Edges are the text's start, the places, and the text's end, at which a cut adds nothing.
    before = np.concatenate([[0], np.cumsum(steps)])
    added = [*gains.tolist(), 0.0]
    lows = np.searchsorted(before, before - costs.chunk_size, side="left").tolist()
    table = costs.table
    sections = np.zeros(len(gains), dtype=np.bool_) if headed is None else np.asarray(headed)
    headings = [True, *sections.tolist()]  # whether a section starts at each edge
    mixed = np.where(headings, 0.0, costs.mixed)
    section = 0  # the last edge at which one does
    best = np.zeros(len(before))  # the value of the best tiling up to each edge
    previous = [0] * len(before)  # where its last chunk starts
    for edge in range(1, len(before)):
        section = edge - 1 if headings[edge - 1] else section
        low = lows[edge]
        if low == edge:  # the text since the last edge fits in no chunk
            previous[edge] = edge - 1
            best[edge] = best[edge - 1] + added[edge - 1]
            continue
        values = best[low:edge] - table[before[edge] - before[low:edge]]
        if section > low:
            values[: section - low] -= mixed[low:section]
        chosen = int(values.argmax())
        previous[edge] = low + chosen
        best[edge] = values[chosen] + added[edge - 1]
    cuts = []
    edge = previous[-1]
    while edge:
        cuts.append(edge - 1)
        edge = previous[edge]
    return cuts[::-1]
