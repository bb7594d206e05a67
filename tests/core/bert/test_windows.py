"""Windows know no model: everything here runs on made-up scores."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.bert.windows import MovingWindows, OverlappingWindows, Window, Windows
from tests.profiles import examples


def made_up_scores(window: Window, *, seed: int, rarity: float) -> np.ndarray:
    """Scores that depend on the window as well as on the token, as a model's do."""
    places = np.arange(window.start, window.stop)
    shared = np.sin(places * 12.9898 + seed % 7919) * 43758.5453 % 1
    own = np.sin(places * 78.233 + window.start * 37.719 + seed % 7907) * 24634.6345 % 1
    return (1.6 * shared + 0.8 * own - 0.4 * rarity - 0.4).astype(np.float32)


def published_walk(count: int, size: int, threshold: float, score) -> tuple[list[int], int]:
    """The paper's inference in a loop: one window, then from its last start or past its end."""
    starts: list[int] = []
    position = asked = 0
    while position < count:
        window = Window(position, min(position + size, count))
        asked += 1
        t = score(window)
        found = [window.start + i for i in range(len(t)) if t[i] > threshold]
        starts += [start for start in found if start > 0 and start not in starts]
        if window.stop == count:
            break
        position = found[-1] if found and found[-1] > position else window.stop
    return sorted(starts), asked


def run(windows: Windows, score, most: int, shuffle: random.Random | None = None) -> int:
    asked = 0
    while batch := windows.ask(most):
        assert len(batch) <= most
        asked += len(batch)
        if shuffle is not None:
            shuffle.shuffle(batch)
        for window in batch:
            windows.tell(window, score(window))
    assert windows.done
    return asked


@examples(300)
@given(
    count=st.integers(0, 1500),
    size=st.integers(3, 60),
    seed=st.integers(0, 10**6),
    rarity=st.floats(0, 4),
    threshold=st.floats(-0.5, 0.5),
    most=st.integers(1, 16),
)
def test_moving_windows_on_lanes_find_what_the_paper_finds(
    count: int, size: int, seed: int, rarity: float, threshold: float, most: int
) -> None:
    def score(window: Window) -> np.ndarray:
        return made_up_scores(window, seed=seed, rarity=rarity)

    expected, calls = published_walk(count, size, threshold, score)
    one = MovingWindows(count, size=size, threshold=threshold)
    assert run(one, score, 1) == calls
    many = MovingWindows(count, size=size, threshold=threshold)
    run(many, score, most, shuffle=random.Random(seed))
    assert one.starts == many.starts == expected
    np.testing.assert_array_equal(one.scores, many.scores)


@examples(100)
@given(count=st.integers(1, 800), seed=st.integers(0, 10**6), most=st.integers(1, 9))
def test_scores_of_moving_windows_explain_their_starts(count: int, seed: int, most: int) -> None:
    windows = MovingWindows(count, size=31)
    run(windows, lambda w: made_up_scores(w, seed=seed, rarity=3), most)
    above = [int(place) for place in np.flatnonzero(windows.scores > 0) if place > 0]
    assert windows.starts == above


def test_tokens_that_may_not_start_a_chunk_never_do() -> None:
    allowed = np.zeros(200, dtype=bool)
    allowed[::7] = True
    windows = MovingWindows(200, size=20, allowed=allowed)
    run(windows, lambda w: np.ones(w.stop - w.start, np.float32), 4)
    assert windows.starts == list(range(7, 200, 7))


def test_a_start_at_the_first_token_of_every_window_does_not_hold_the_walk() -> None:
    def only_first(window: Window) -> np.ndarray:
        scores = np.full(window.stop - window.start, -1, np.float32)
        scores[0] = 1
        return scores

    windows = MovingWindows(100, size=10)
    assert run(windows, only_first, 1) == 10
    assert windows.starts == list(range(10, 100, 10))


def test_a_long_text_is_scored_at_most_twice_over_even_if_all_tokens_start_chunks() -> None:
    windows = MovingWindows(5000, size=50)
    asked = run(windows, lambda w: np.ones(w.stop - w.start, np.float32), 1)
    assert asked == -(-(5000 - 50) // 49) + 1
    assert windows.starts == list(range(1, 5000))


def test_eight_lanes_need_a_fraction_of_the_rounds() -> None:
    alone = lanes = 0
    one, many = MovingWindows(9000, size=50), MovingWindows(9000, size=50)
    for windows, most in ((one, 1), (many, 8)):
        while batch := windows.ask(most):
            alone, lanes = (alone + 1, lanes) if most == 1 else (alone, lanes + 1)
            for window in batch:
                windows.tell(window, made_up_scores(window, seed=5, rarity=4.4))
    assert one.starts == many.starts
    assert lanes < alone / 3


@examples(150)
@given(
    count=st.integers(0, 900),
    size=st.integers(2, 60),
    part=st.floats(0.1, 1),
    seed=st.integers(0, 10**6),
    most=st.integers(1, 8),
)
def test_overlapping_windows_average_by_distance_from_the_nearer_end(
    count: int, size: int, part: float, seed: int, most: int
) -> None:
    stride = max(1, round(size * part))
    windows = OverlappingWindows(count, size=size, stride=stride, threshold=0.1)

    def score(window: Window) -> np.ndarray:
        return made_up_scores(window, seed=seed, rarity=0.5)

    run(windows, score, most)
    sums, weights = np.zeros(count), np.zeros(count)
    for start in range(0, max(1, count), stride):
        stop = min(start + size, count)
        for place in range(start, stop):
            weights[place] += min(place - start + 1, stop - place)
        nearer = np.minimum(np.arange(1, stop - start + 1), np.arange(stop - start, 0, -1))
        sums[start:stop] += nearer * score(Window(start, stop))
        if stop == count:
            break
    if count:
        np.testing.assert_allclose(windows.scores, sums / weights, atol=1e-4)
    clear = np.abs(windows.scores - 0.1) > 1e-4
    expected = [p for p in np.flatnonzero(windows.scores > 0.1) if p > 0]
    assert [p for p in windows.starts if clear[p]] == [p for p in expected if clear[p]]


def test_overlapping_windows_see_every_token() -> None:
    windows = OverlappingWindows(1000, size=253, stride=127)
    seen = np.zeros(1000)
    while batch := windows.ask(3):
        for window in batch:
            seen[window.start : window.stop] += 1
            windows.tell(window, np.zeros(window.stop - window.start, np.float32))
    assert seen.min() >= 1
    assert seen.max() <= 2


@pytest.mark.parametrize("kind", [MovingWindows, OverlappingWindows])
def test_bad_arguments_are_refused_with_a_reason(kind: type) -> None:
    more = {"stride": 5} if kind is OverlappingWindows else {}
    with pytest.raises(ValueError, match="number of tokens in the text"):
        kind(-1, size=10, **more)
    with pytest.raises(ValueError, match="at least 2 tokens"):
        kind(5, size=1, **more)
    with pytest.raises(ValueError, match="3 entries"):
        kind(5, size=10, allowed=np.ones(3, dtype=bool), **more)
    windows = kind(20, size=10, **more)
    (window,) = windows.ask(1)
    with pytest.raises(ValueError, match="expected 10 scores"):
        windows.tell(window, np.zeros(9, np.float32))


def test_a_stride_beyond_the_window_is_refused() -> None:
    with pytest.raises(ValueError, match="between 1 and the window's size"):
        OverlappingWindows(100, size=10, stride=11)


def test_overlapping_windows_refuse_to_be_told_twice() -> None:
    windows = OverlappingWindows(20, size=10, stride=5)
    (window,) = windows.ask(1)
    windows.tell(window, np.zeros(10, np.float32))
    with pytest.raises(ValueError, match="told before"):
        windows.tell(window, np.zeros(10, np.float32))
