"""The best way to cut a text into chunks, given scored places and the sizes between them.

Every place where a chunk may start has a score; every chunk has a cost that depends on its size,
and on whether it ends one section and starts another. `best_cuts` finds the cuts that maximise the
sum of scores minus the sum of costs, exactly, by dynamic programming: the best tiling up to a place
is the best tiling up to some earlier place, at most `chunk_size` tokens back, and one chunk more.
That takes O(places x window), where the window is the number of places within `chunk_size` tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

# The cost of a chunk below the minimum, in units of score: more than any score can outweigh.
_BELOW_MINIMUM = 1e6
_FEW = 48  # starts of a chunk on average; more are compared faster as an array


@dataclass(frozen=True)
class ChunkCosts:
    """What a chunk costs, in units of score.

    A chunk of `size` tokens costs `weight * ((size - target_size) / target_size)**2`; one below
    `min_chunk_size` costs a prohibitive amount more.

    Attributes:
        chunk_size: Maximum tokens in a chunk.
        target_size: The size that costs nothing, at most `chunk_size`.
        min_chunk_size: Minimum tokens in a chunk, unless nothing else fits. None: no minimum.
        weight: Weight of sizes relative to scores.
        mixed: Additional cost of a chunk that begins inside a section and goes on into the next.
    """

    chunk_size: int
    target_size: int
    min_chunk_size: int | None = None
    weight: float = 12.0
    mixed: float = 0.0

    @cached_property
    def listed(self) -> list[float]:
        """The same as `table`."""
        costs: list[float] = self.table.tolist()
        return costs

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


costs_of = lru_cache(maxsize=64)(ChunkCosts)
"""Returns `ChunkCosts`, whose tables are made once for all texts of a splitter."""


def best_cuts(
    sizes: Sequence[int],
    scores: Sequence[float],
    costs: ChunkCosts,
    headed: Sequence[bool] | None = None,
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
    """
    # Edges are the text's start, the places, and the text's end, at which a cut adds nothing.
    added = [*scores, 0.0]
    before = np.cumsum([0, *sizes], dtype=np.int64)
    firsts = before.searchsorted(before - costs.chunk_size)
    starts = len(before) * (len(before) - 1) // 2 - int(firsts.sum())  # of chunks, all together
    sections = headed if costs.mixed and headed is not None and any(headed) else None
    if costs.min_chunk_size is None and sections is None and starts <= _FEW * len(before):
        previous = _previous_cuts_by_size(before.tolist(), firsts.tolist(), added, costs)
    else:
        previous = _previous_cuts(before, firsts.tolist(), added, costs, sections)
    cuts = []
    edge = previous[-1]
    while edge:
        cuts.append(edge - 1)
        edge = previous[edge]
    return cuts[::-1]


def _previous_cuts(
    before: npt.NDArray[np.int64],
    firsts: list[int],
    added: list[float],
    costs: ChunkCosts,
    sections: Sequence[bool] | None,
) -> list[int]:
    """Return for each edge where the last chunk of the best tiling up to it starts.

    Args:
        before: Tokens before each edge.
        firsts: The first edge at which a chunk may start that ends at each.
        added: What a cut at each edge but the first adds.
        costs: What a chunk costs.
        sections: Whether a section starts at each place; None: at none.
    """
    headings = [True] + [False] * len(added) if sections is None else [True, *sections]
    mixed = np.where(headings, 0.0, costs.mixed)
    section = 0  # the last edge at which one starts
    best = np.zeros(len(before))  # the value of the best tiling up to each edge
    previous = [0] * len(before)
    for edge in range(1, len(before)):
        section = edge - 1 if headings[edge - 1] else section
        low = firsts[edge]
        if low == edge:  # the text since the last edge fits in no chunk
            previous[edge] = edge - 1
            best[edge] = best[edge - 1] + added[edge - 1]
            continue
        values = best[low:edge] - costs.table[before[edge] - before[low:edge]]
        if section > low:
            values[: section - low] -= mixed[low:section]
        chosen = int(values.argmax())
        previous[edge] = low + chosen
        best[edge] = values[chosen] + added[edge - 1]
    return previous


def _previous_cuts_by_size(
    before: list[int],
    firsts: list[int],
    added: list[float],
    costs: ChunkCosts,
) -> list[int]:
    """Return what `_previous_cuts` does, if chunks cost nothing but what their size costs.

    That cost is convex, so if of two starts the later one is better for one edge, it is for all
    further ones: no last chunk starts before that of the edge before. Few starts are left to try,
    which are compared faster without arrays.
    """
    table = costs.listed
    best = [0.0]
    previous = [0]
    chosen = 0
    for edge, low in enumerate(firsts[1:], start=1):
        end = before[edge]
        if low == edge:  # the text since the last edge fits in no chunk
            chosen, value = edge - 1, best[-1]
        else:
            chosen = max(low, chosen)
            value = best[chosen] - table[end - before[chosen]]
            for start in range(chosen + 1, edge):
                other = best[start] - table[end - before[start]]
                if other > value:
                    chosen, value = start, other
        best.append(value + added[edge - 1])
        previous.append(chosen)
    return previous
