"""Windows score every token once they are done, and speculation changes nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.bert.windows import MovingWindows, OverlappingWindows, Window, Windows
from tests.profiles import examples


def score_of(window: Window, seed: int, rarity: float) -> np.ndarray:
    """Return scores that depend on the token and on where its window begins, as a model's do."""
    places = np.arange(window.start, window.stop, dtype=np.uint64)
    mixed = (places * np.uint64(2654435761) + np.uint64(window.start * 97 + seed)) % np.uint64(1009)
    return (mixed.astype(np.float32) / 500 - 1 - rarity).astype(np.float32)


def follow(windows: Windows, seed: int, rarity: float, most: int, order: list[int]) -> int:
    """Score all windows, those asked for together in a given order; return how many there were."""
    asked = 0
    while batch := windows.ask(most):
        assert 1 <= len(batch) <= most
        asked += len(batch)
        for window in sorted(batch, key=lambda w: order[w.start % len(order)]):
            windows.tell(window, score_of(window, seed, rarity))
    assert windows.done
    assert windows.ask(most) == []
    return asked


@given(
    st.integers(0, 600),
    st.integers(2, 60),
    st.integers(0, 10**6),
    st.floats(0, 1.2),
    st.floats(-0.5, 0.5),
    st.integers(1, 9),
    st.permutations(range(7)),
    st.data(),
)
@examples(50)
def test_moving_windows_on_lanes_are_those_of_one_walk(
    count, size, seed, rarity, threshold, most, order, data
) -> None:
    allowed = data.draw(
        st.none() | st.integers(1, 9).map(lambda step: np.arange(count) % step == 0)
    )
    one = MovingWindows(count, size=size, threshold=threshold, allowed=allowed)
    calls = follow(one, seed, rarity, 1, order)
    assert calls <= max(1, count)
    many = MovingWindows(count, size=size, threshold=threshold, allowed=allowed)
    follow(many, seed, rarity, most, order)
    assert one.starts == many.starts == sorted(set(one.starts))
    assert all(0 < start < count for start in one.starts)
    assert allowed is None or all(allowed[start] for start in one.starts)
    np.testing.assert_array_equal(one.scores, many.scores)


@given(
    st.integers(0, 400),
    st.integers(2, 60),
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.permutations(range(7)),
    st.data(),
)
@examples(50)
def test_overlapping_windows_average_all_windows_of_a_token(
    count, size, seed, most, order, data
) -> None:
    stride = data.draw(st.integers(1, size))
    windows = OverlappingWindows(count, size=size, stride=stride)
    follow(windows, seed, 0.0, most, order)
    sums, weights = np.zeros(count), np.zeros(count)
    start = 0
    while count:
        window = Window(start, min(start + size, count))
        length = window.stop - window.start
        near = np.minimum(np.arange(1, length + 1), np.arange(length, 0, -1))
        sums[window.start : window.stop] += near * score_of(window, seed, 0.0)
        weights[window.start : window.stop] += near
        if window.stop == count:
            break
        start += stride
    assert (weights > 0).all()
    np.testing.assert_allclose(windows.scores, sums / np.maximum(weights, 1), atol=1e-4)
