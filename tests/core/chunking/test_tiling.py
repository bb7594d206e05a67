from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.chunking.tiling import ChunkCosts, best_cuts
from tests.profiles import examples


def value(
    cuts: tuple[int, ...],
    before: list[int],
    scores: list[float],
    costs: ChunkCosts,
    headed: list[bool],
) -> float:
    """Return the value of a tiling; minus infinity if a chunk that could be cut is too long."""
    edges = [0, *(cut + 1 for cut in cuts), len(before) - 1]
    total = sum(scores[cut] for cut in cuts)
    for first, last in pairwise(edges):
        size = before[last] - before[first]
        if size <= costs.chunk_size:
            total -= costs.table[size]
            begins_inside = first > 0 and not headed[first - 1]
            if begins_inside and any(headed[first : last - 1]):
                total -= costs.mixed
        elif last > first + 1:
            return -np.inf
    return float(total)


def before_places(sizes: list[int]) -> list[int]:
    return [0, *np.cumsum(sizes).tolist()]


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[int], list[float], ChunkCosts, list[bool]]:
    scores = draw(st.lists(st.floats(-8, 8).map(lambda x: round(x, 2)), max_size=9))
    sizes = draw(st.lists(st.integers(0, 30), min_size=len(scores) + 1, max_size=len(scores) + 1))
    chunk_size = draw(st.integers(1, 60))
    target = draw(st.integers(1, chunk_size))
    low = draw(st.none() | st.integers(1, chunk_size))
    weight = draw(st.sampled_from([0.0, 1.0, 12.0]))
    mixed = draw(st.sampled_from([0.0, 3.0, 100.0]))
    headed = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    return sizes, scores, ChunkCosts(chunk_size, target, low, weight, mixed), headed


@given(problems())
@examples(100, long=300)
def test_the_chosen_tiling_has_the_best_value(
    problem: tuple[list[int], list[float], ChunkCosts, list[bool]],
):
    sizes, scores, costs, headed = problem
    before = before_places(sizes)
    values = (
        value(cuts, before, scores, costs, headed)
        for count in range(len(scores) + 1)
        for cuts in combinations(range(len(scores)), count)
    )
    cuts = tuple(best_cuts(sizes, scores, costs, headed))
    best = value(cuts, before, scores, costs, headed)
    assert best == pytest.approx(max(values), abs=1e-6)


def test_equal_scores_give_chunks_near_the_target() -> None:
    cuts = best_cuts([10] * 40, [0.0] * 39, ChunkCosts(200, 100))
    assert cuts == [9, 19, 29]


def test_chunks_below_the_minimum_are_made_only_where_nothing_else_fits() -> None:
    costs = ChunkCosts(100, 50, 40)
    assert best_cuts([50, 10, 50], [9.0, 9.0], costs) in ([0], [1])
    assert best_cuts([90, 20, 90], [0.0, 0.0], costs) == [0, 1]
