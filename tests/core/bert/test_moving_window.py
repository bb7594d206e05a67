"""The moving window does not depend on a model: these tests use made-up scores."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.bert.moving_window import OverlappingWindows, Scores, TokenIds, read_moving, scan
from tests.profiles import examples


class MadeUp:
    """Scores that depend on the window as well as on the token, as a model's do."""

    def __init__(self, batch_size: int = 1, *, raised: float = 0.0) -> None:
        self.batch_size, self.raised = batch_size, raised
        self.calls: list[list[int]] = []

    def score(self, windows: Sequence[TokenIds], places: Sequence[Any]) -> list[Scores]:
        self.calls.append([int(window[0]) for window in windows])
        return [self.of(window)[at] for window, at in zip(windows, places, strict=True)]

    def of(self, window: TokenIds) -> Scores:
        shared = np.sin(window * 12.9898) * 43758.5453 % 1
        of_window = np.sin(window * 78.233 + int(window[0]) * 37.719) * 24634.6345 % 1
        return (1.6 * shared + 0.8 * of_window - 0.4 + self.raised).astype(np.float32)


def ids_of(count: int, seed: int = 0) -> TokenIds:
    return np.arange(seed % 7919, seed % 7919 + count, dtype=np.int32)


def published_walk(
    ids: TokenIds, size: int, t_c: float, score: Callable[[TokenIds], Scores], may_start: Any
) -> list[int]:
    """The paper's inference in a loop: one window, then from its last start or past its end."""
    starts: set[int] = set()
    begin = 0
    while begin < len(ids):
        t = score(ids[begin : begin + size])
        found_starts = [begin + i for i in range(len(t)) if t[i] > t_c and may_start[begin + i]]
        starts.update(start for start in found_starts if start > 0)
        if begin + size >= len(ids):
            break
        begin = found_starts[-1] if found_starts and found_starts[-1] > begin else begin + size
    return sorted(starts)


@examples(100, long=300)
@given(
    count=st.integers(0, 1500),
    size=st.integers(3, 60),
    seed=st.integers(0, 10**6),
    raised=st.floats(-1.6, 0) | st.just(9),
    every=st.sampled_from([1, 7]),
)
def test_moving_windows_find_the_same_starts_as_the_paper(count, size, seed, raised, every) -> None:
    ids, scorer = ids_of(count, seed), MadeUp(raised=raised)
    allowed = np.arange(count) % every == 0
    scores, starts = read_moving(scorer, ids, size=size, threshold=0.1, allowed=allowed)
    assert starts == published_walk(ids, size, 0.1, scorer.of, allowed)
    found = np.flatnonzero((scores > 0.1) & allowed).tolist()
    assert starts == [place for place in found if place > 0]


def test_a_long_text_is_scored_at_most_twice_over_even_if_all_tokens_start_chunks() -> None:
    scorer, allowed = MadeUp(raised=9), np.ones(5000, dtype=bool)
    _, starts = read_moving(scorer, ids_of(5000), size=50, threshold=0.0, allowed=allowed)
    assert len(scorer.calls) == -(-(5000 - 50) // 49) + 1
    assert starts == list(range(1, 5000))


@examples(60, long=150)
@given(
    count=st.integers(0, 900),
    size=st.integers(2, 60),
    part=st.floats(0.1, 1),
    seed=st.integers(0, 10**6),
    batch_size=st.integers(1, 8),
)
def test_overlapping_windows_average_by_distance_from_the_nearer_end(
    count: int, size: int, part: float, seed: int, batch_size: int
) -> None:
    stride = max(1, round(size * part))
    scorer, ids = MadeUp(batch_size), ids_of(count, seed)
    windows = OverlappingWindows(ids, size=size, stride=stride)
    scan(scorer, [windows])
    sums, weights = np.zeros(count), np.zeros(count)
    for start in range(0, max(1, count), stride):
        stop = min(start + size, count)
        nearer = np.minimum(np.arange(1, stop - start + 1), np.arange(stop - start, 0, -1))
        weights[start:stop] += nearer
        sums[start:stop] += nearer * (scorer.of(ids[start:stop]) if count else 0)
        if stop == count:
            break
    np.testing.assert_allclose(windows.scores, sums / np.maximum(weights, 1), atol=1e-4)


@examples(80)
@given(st.lists(st.integers(0, 150), max_size=9), st.integers(1, 7), st.integers(0, 99))
def test_texts_score_the_same_in_a_batch_as_separately(
    counts: list[int], batch_size: int, seed: int
):
    def make_windows(number: int, **options: object) -> OverlappingWindows:
        ids = ids_of(counts[number], seed + 1000 * number)
        is_place = np.arange(len(ids)) % 3 > 0
        return OverlappingWindows(ids, size=20, stride=11, wanted=is_place, **options)

    scores_by_text: dict[int, Scores] = {}
    pulled: list[int] = []

    def texts():
        for number in range(len(counts)):
            pulled.append(number)
            assert sum(n not in scores_by_text for n in pulled) <= batch_size
            yield make_windows(number, on_done=lambda t, n=number: scores_by_text.__setitem__(n, t))

    scorer = MadeUp(batch_size)
    scan(scorer, texts())
    assert sorted(scores_by_text) == list(range(len(counts)))
    assert all(len(call) <= batch_size for call in scorer.calls)
    for number in scores_by_text:
        window = make_windows(number)
        scan(MadeUp(), [window])
        np.testing.assert_array_equal(window.scores, scores_by_text[number])
        assert not np.isfinite(scores_by_text[number][::3]).any()


def test_short_texts_share_calls() -> None:
    scorer = MadeUp(3)
    scan(scorer, [OverlappingWindows(ids_of(5), size=20, stride=10) for _ in range(9)])
    assert len(scorer.calls) == 3
