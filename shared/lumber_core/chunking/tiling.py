"""The best way to cut a text into chunks, given scored places and the sizes between them.

Every place where a chunk may start has a score; every chunk has a cost that depends on its size,
and on whether it ends one section and starts another. `best_cuts` finds the cuts that maximise the
sum of scores minus the sum of costs, exactly, by dynamic programming: the best tiling up to a place
is the best tiling up to an earlier place, at most `chunk_size` tokens back, plus one more chunk.
That takes O(places x window), where the window is the number of places within `chunk_size` tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

# The cost of a chunk below the minimum, in units of score: more than any score can outweigh.
_TOO_SMALL_COST = 1e6


@dataclass(frozen=True)
class ChunkCosts:
    """The cost of a chunk by its size, in units of score.

    A chunk of `size` tokens costs `weight * ((size - target_size) / target_size)**2`; a chunk below
    `min_chunk_size` costs a prohibitive amount more.
    """

    chunk_size: int  # maximum tokens in a chunk
    target_size: int  # the size that costs nothing, at most `chunk_size`
    min_chunk_size: int | None = None  # minimum tokens, if possible; None: no minimum
    weight: float = 12.0  # how much sizes count relative to scores
    mixed: float = 0.0  # added if a chunk begins inside a section and continues into the next

    @cached_property
    def table(self) -> list[float]:
        """The cost of a chunk of 0, 1, ... chunk_size tokens."""
        target, least = self.target_size, self.min_chunk_size or 0
        return [
            self.weight * ((size - target) / target) ** 2 + (_TOO_SMALL_COST if size < least else 0)
            for size in range(self.chunk_size + 1)
        ]


costs_of = lru_cache(maxsize=64)(ChunkCosts)
"""Returns `ChunkCosts`, cached with their tables for all texts of a splitter."""


def best_cuts(
    sizes: Sequence[int],
    scores: Sequence[float],
    costs: ChunkCosts,
    headed: Sequence[bool] | None = None,
) -> list[int]:
    """Return the cuts of the best tiling of a text, as indices of `scores`, ascending.

    `sizes` has the tokens from the text's start to the first place, between places, and from the
    last place to the text's end, shape (places + 1,). `scores` has what a cut at each place adds,
    shape (places,), and `headed` whether a section starts there; None: at none.

    If two neighbouring places are more than `chunk_size` tokens apart, both become cuts: the caller
    has to divide the text between them. Among equally good tilings, the one with the longest last
    chunks is returned.
    """
    # Edges are the text's start, the places, and the text's end, at which a cut adds nothing.
    before = [*accumulate(sizes, initial=0)]  # tokens before each edge
    added = [*scores, 0.0]
    sections = [True, *headed] if costs.mixed and headed is not None and any(headed) else []
    section = 0  # the last edge at which a section starts
    table, most = costs.table, costs.chunk_size
    # Without a minimum, costs are convex: if the later of two starts is better for one edge, it is
    # better for all further edges. So the start of the best last chunk never moves back.
    in_order = costs.min_chunk_size is None and not sections
    best = [0.0]  # the value of the best tiling up to each edge
    previous = [0]  # where the last chunk of that tiling starts
    low = first = 0
    for edge, gained in enumerate(added, start=1):
        end = before[edge]
        if sections and sections[edge - 1]:
            # From here on, chunks that begin inside an earlier section are mixed.
            for start in range(section + 1, edge - 1):
                best[start] -= costs.mixed
            section = edge - 1
        while end - before[low] > most:
            low += 1
        if low == edge:  # the text since the last edge fits in no chunk
            first, value = edge - 1, best[-1]
        else:
            first = max(low, first) if in_order else low
            value = best[first] - table[end - before[first]]
            for start in range(first + 1, edge):
                candidate = best[start] - table[end - before[start]]
                if candidate > value:
                    first, value = start, candidate
        best.append(value + gained)
        previous.append(first)
    cuts = []
    edge = previous[-1]
    while edge:
        cuts.append(edge - 1)
        edge = previous[edge]
    return cuts[::-1]
