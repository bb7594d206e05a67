"""The best way to cut a text into chunks, given scored places and the sizes between them.

Every place where a chunk may start has a score; every chunk has a cost that depends on its size,
and on whether it ends one section and starts another. `best_cuts` finds the cuts that maximise the
sum of scores minus the sum of costs, exactly, by dynamic programming: the best tiling up to a place
is the best tiling up to some earlier place, at most `chunk_size` tokens back, and one chunk more.
That takes O(places x window), where the window is the number of places within `chunk_size` tokens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import isfinite

import numpy as np
import numpy.typing as npt

from lumber_core.checks import check_positive

# The cost of a chunk below the minimum, in units of score: more than any score can outweigh.
_BELOW_MINIMUM = 1e6
_FEW = 48  # starts of a chunk on average; more are compared faster as an array
_BLOCK = 0.45  # of a target: edges compared together, none of which starts another's chunk
_STEP = 12  # of these, about the square root of their number


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
    steps: list[int] = sizes if isinstance(sizes, list) else np.asarray(sizes).tolist()
    gains: list[float] = scores if isinstance(scores, list) else np.asarray(scores).tolist()
    if len(steps) != len(gains) + 1:
        raise ValueError(
            f"expected {len(gains) + 1} sizes around {len(gains)} places, not {len(steps)}"
        )
    if min(steps) < 0 or not all(map(isfinite, gains)):
        raise ValueError("sizes must not be negative, and scores must be finite")
    # Edges are the text's start, the places, and the text's end, at which a cut adds nothing.
    added = [*gains, 0.0]
    sections = None if headed is None or not costs.mixed else np.asarray(headed)
    by_size = costs.min_chunk_size is None and (sections is None or not sections.any())
    previous: Sequence[int] | npt.NDArray[np.intp]
    if by_size and len(steps) < _FEW:
        before = [*accumulate(steps, initial=0)]
        lows = [bisect_left(before, tokens - costs.chunk_size) for tokens in before]
        previous = _previous_cuts_by_size(before, lows, added, costs)
    else:
        marks = np.cumsum([0, *steps], dtype=np.int64)
        firsts = marks.searchsorted(marks - costs.chunk_size)
        starts = len(marks) * (len(marks) - 1) // 2 - int(firsts.sum())  # of chunks, all together
        if by_size and starts <= _FEW * len(marks):
            previous = _previous_cuts_by_size(marks.tolist(), firsts.tolist(), added, costs)
        elif by_size and min(steps[1:-1], default=1) > 0:
            previous = _previous_cuts_in_blocks(marks, firsts, np.array(added), costs)
        else:
            previous = _previous_cuts(marks, firsts.tolist(), added, costs, sections)
    cuts = []
    edge = int(previous[-1])
    while edge:
        cuts.append(edge - 1)
        edge = int(previous[edge])
    return cuts[::-1]


def _previous_cuts(
    before: npt.NDArray[np.int64],
    firsts: list[int],
    added: list[float],
    costs: ChunkCosts,
    sections: npt.NDArray[np.bool_] | None,
) -> list[int]:
    """Return for each edge where the last chunk of the best tiling up to it starts.

    Args:
        before: Tokens before each edge.
        firsts: The first edge at which a chunk may start that ends at each.
        added: What a cut at each edge but the first adds.
        costs: What a chunk costs.
        sections: Whether a section starts at each place.
    """
    headings = [True] + [False] * len(added) if sections is None else [True, *sections.tolist()]
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


def _previous_cuts_in_blocks(
    before: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.intp],
    added: npt.NDArray[np.float64],
    costs: ChunkCosts,
) -> npt.NDArray[np.intp]:
    """Return what `_previous_cuts_by_size` does, if many places are within one chunk.

    The edges of less than half a target are looked at together, as if no last chunk started among
    them. That is so unless one of them is much better than the starts before, as in the first such
    block of a text: then half of them are.
    """
    reach = int(costs.target_size * _BLOCK)
    table = np.concatenate([costs.table, np.full(reach + 1, np.inf)])
    stops = np.searchsorted(before, before + reach, side="right")
    best = np.zeros(len(before))
    previous = np.zeros(len(before), dtype=np.intp)
    edge, chosen, halved = 1, 0, False
    while edge < len(before):
        stop = int(stops[edge])
        stop = (edge + stop) // 2 if halved else stop
        low = max(int(firsts[edge]), chosen)
        block = slice(edge, stop)
        if low < edge and stop - edge >= _STEP:
            starts, values = _best_starts(before, best, low, block, table)
            ends = values + added[edge - 1 : stop - 1]
            # A chunk inside the block costs at least as much as one of its whole length.
            if ends.max() - table[before[stop - 1] - before[edge]] <= values.min():
                best[block], previous[block] = ends, starts
                edge, chosen, halved = stop, int(starts[-1]), False
                continue
            halved = not halved
            if halved:
                continue
        for one in range(edge, stop):
            low = max(int(firsts[one]), chosen)
            if low >= one:  # the text since the last edge fits in no chunk
                chosen, value = one - 1, best[one - 1]
            else:
                found = best[low:one] - costs.table[before[one] - before[low:one]]
                first = int(found.argmax())
                chosen, value = low + first, found[first]
            best[one] = value + added[one - 1]
            previous[one] = chosen
        edge, halved = stop, False
    return previous


def _best_starts(
    before: npt.NDArray[np.int64],
    best: npt.NDArray[np.float64],
    low: int,
    block: slice,
    table: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Return the best start of the last chunk for each edge of a block, and its value.

    They ascend with the edges, so every few edges are looked at first, and the others between.

    Args:
        before: Tokens before each edge.
        best: The value of the best tiling up to each edge before the block.
        low: The first edge at which the chunk of the block's first edge may start.
        block: The edges.
        table: The cost of a chunk by its tokens; infinite above the maximum.
    """
    ends = before[block]
    sampled = np.append(ends[::_STEP], ends[-1])
    starts = slice(low, block.start)
    values = best[starts] - table.take(sampled[:, None] - before[starts])
    coarse = values.argmax(axis=1)
    width = int((coarse[1:] - coarse[:-1]).max()) + 1
    near = (coarse[:-1] + low).repeat(_STEP)[: len(ends), None] + np.arange(width)
    np.minimum(near, block.start - 1, out=near)
    values = best.take(near) - table.take(ends[:, None] - before.take(near))
    chosen = values.argmax(axis=1)
    rows = np.arange(len(ends)) * width + chosen
    return near.take(rows), values.take(rows)
