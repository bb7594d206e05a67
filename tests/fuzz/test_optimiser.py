"""The optimiser's tilings are as good as those of a search through all."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core.chunking.tiling import ChunkCosts, best_cuts
from tests.profiles import examples


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[int], list[float], ChunkCosts]:
    scores = draw(st.lists(st.floats(-50, 50), max_size=8))
    count = len(scores) + 1
    sizes = draw(st.lists(st.integers(0, 40), min_size=count, max_size=count))
    chunk_size = draw(st.integers(1, 80))
    target = draw(st.integers(1, chunk_size))
    low = draw(st.none() | st.integers(1, chunk_size))
    return sizes, scores, ChunkCosts(chunk_size, target, low, draw(st.floats(0, 50)))


def value(cuts: tuple[int, ...], sizes: list[int], scores: list[float], costs: ChunkCosts) -> float:
    """Return the value of a tiling; minus infinity if it has a chunk too long that could be cut."""
    before = [0, *np.cumsum(sizes).tolist()]
    total = sum(scores[cut] for cut in cuts)
    for first, last in pairwise([0, *(cut + 1 for cut in cuts), len(sizes)]):
        size = before[last] - before[first]
        if size > costs.chunk_size:
            if last > first + 1:
                return -np.inf
        else:
            total -= costs.weight * ((size - costs.target_size) / costs.target_size) ** 2
            if costs.min_chunk_size is not None and size < costs.min_chunk_size:
                total -= 1e6
    return float(total)


# Found by a long run: tilings whose values differ by less than rounding errors.
ROUNDED = (
    [0, 0, 1, 3, 0, 0, 0, 0, 0],
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    ChunkCosts(3, 1, weight=3.7838050109441775e-17),
)


@given(problems())
@example(ROUNDED)
@examples(80)
def test_no_tiling_is_better(problem: tuple[list[int], list[float], ChunkCosts]) -> None:
    sizes, scores, costs = problem
    cuts = best_cuts(sizes, scores, costs)
    assert cuts == sorted(set(cuts))
    numbers = range(len(scores))
    best = max(
        value(chosen, sizes, scores, costs)
        for count in range(len(scores) + 1)
        for chosen in combinations(numbers, count)
    )
    found = value(tuple(cuts), sizes, scores, costs)
    assert abs(found - best) <= 1e-6 * max(1.0, abs(best))


@given(
    st.lists(st.tuples(st.integers(0, 40), st.floats(-20, 20)), max_size=400),
    st.integers(1, 120),
    st.data(),
)
@examples(40)
def test_long_problems_keep_the_limit(stretches, limit, data) -> None:
    sizes = [size for size, _ in stretches] + [3]
    scores = [score for _, score in stretches]
    costs = ChunkCosts(limit, data.draw(st.integers(1, limit)))
    cuts = best_cuts(sizes, scores, costs)
    before = [0, *np.cumsum(sizes).tolist()]
    for first, last in pairwise([0, *(cut + 1 for cut in cuts), len(sizes)]):
        assert last == first + 1 or before[last] - before[first] <= limit
