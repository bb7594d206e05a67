"""The optimiser's tilings are as good as those of a search through all, in parts as at once."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core.chunking.tiling import ChunkCosts, Tiler, best_cuts
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


def in_parts(
    sizes: list[int], scores: list[float], costs: ChunkCosts, parts: list[int]
) -> tuple[int, ...]:
    """Return the cuts of a tiler that gets so many places at a time, and then the rest."""
    tiler = Tiler(costs)
    told: list[int] = []
    start = 0
    for part in [*parts, len(scores)]:
        stop = min(start + part, len(scores))
        told += tiler.extend(sizes[start:stop], scores[start:stop])
        start = stop
    told += tiler.finish(sizes[-1])
    return tuple(cut - 1 for cut in told)


# Found by a long run: tilings whose values differ by less than rounding errors.
ROUNDED = (
    [0, 0, 1, 3, 0, 0, 0, 0, 0],
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    ChunkCosts(3, 1, weight=3.7838050109441775e-17),
)


@given(problems(), st.lists(st.integers(1, 4), max_size=8))
@example(ROUNDED, [4])
@examples(80)
def test_no_tiling_is_better(
    problem: tuple[list[int], list[float], ChunkCosts], parts: list[int]
) -> None:
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

    told = value(in_parts(sizes, scores, costs, parts), sizes, scores, costs)
    assert abs(told - best) <= 1e-6 * max(1.0, abs(best))


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 3)), max_size=40),
    st.integers(1, 12),
    st.integers(0, 3),
    st.lists(st.integers(1, 4), max_size=40),
)
@examples(80)
def test_of_equally_good_tilings_the_same_is_chosen_in_parts(
    stretches: list[tuple[int, int]], limit: int, weight: int, parts: list[int]
) -> None:
    """Whole numbers have no rounding errors, and many tilings of the same value."""
    sizes = [size for size, _ in stretches] + [3]
    scores = [float(score) for _, score in stretches]
    costs = ChunkCosts(limit, 1, weight=weight)
    told = in_parts(sizes, scores, costs, parts)
    assert list(told) == best_cuts(sizes, scores, costs)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.floats(-20, 20)), max_size=400),
    st.integers(1, 120),
    st.data(),
)
@examples(40)
def test_long_problems_keep_the_limit_and_come_out_alike_in_parts(stretches, limit, data) -> None:
    sizes = [size for size, _ in stretches] + [3]
    scores = [score for _, score in stretches]
    costs = ChunkCosts(limit, data.draw(st.integers(1, limit)))
    cuts = best_cuts(sizes, scores, costs)
    before = [0, *np.cumsum(sizes).tolist()]
    for first, last in pairwise([0, *(cut + 1 for cut in cuts), len(sizes)]):
        assert last == first + 1 or before[last] - before[first] <= limit
    told = in_parts(sizes, scores, costs, [data.draw(st.integers(1, 50))] * len(scores))
    best = value(tuple(cuts), sizes, scores, costs)
    assert abs(value(told, sizes, scores, costs) - best) <= 1e-6 * max(1.0, abs(best))
