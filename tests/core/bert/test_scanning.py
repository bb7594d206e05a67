"""Several texts are scored in shared calls of the model, with the same result as one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumber_core.bert.scanning import Scan, padded_batch, scan

from lumber_core.bert.windows import MovingWindows, OverlappingWindows, Positions, Scores, TokenIds
from tests.profiles import examples

SIZE = 8


class MadeUp:
    """A scorer whose scores depend on the whole window, as a model's do."""

    def __init__(self, at_once: int, *, across_texts: bool = True) -> None:
        self.at_once = at_once
        self.across_texts = across_texts
        self.calls: list[int] = []

    def score(
        self, windows: Sequence[TokenIds], places: Sequence[Positions] | None = None
    ) -> list[Scores]:
        assert places is not None
        assert 0 < len(windows) <= self.at_once
        self.calls.append(len(windows))
        whole = [np.sin(ids * 78.233 + ids.sum() * 37.719).astype(np.float32) for ids in windows]
        return [t[at] for t, at in zip(whole, places, strict=True)]


def scores_of(texts: Sequence[TokenIds], scorer: MadeUp, *, moving: bool) -> list[Scores]:
    def windows(count: int) -> MovingWindows | OverlappingWindows:
        if moving:
            return MovingWindows(count, size=SIZE, threshold=0.9)
        return OverlappingWindows(count, size=SIZE, stride=SIZE // 2)

    readings = [Scan(ids, windows(len(ids))) for ids in texts]
    scan(scorer, readings)
    return [reading.windows.scores for reading in readings]


@examples(100)
@given(
    lengths=st.lists(st.integers(0, 60), max_size=12),
    at_once=st.integers(1, 9),
    across=st.booleans(),
    moving=st.booleans(),
)
def test_scores_are_those_of_each_text_alone(
    lengths: list[int], at_once: int, across: bool, moving: bool
) -> None:
    texts = [np.arange(length, dtype=np.int32) + 100 * n for n, length in enumerate(lengths)]
    together = scores_of(texts, MadeUp(at_once, across_texts=across), moving=moving)
    for text, found in zip(texts, together, strict=True):
        (alone,) = scores_of([text], MadeUp(1), moving=moving)
        np.testing.assert_array_equal(found, alone)


def test_short_texts_share_calls_where_the_model_gains_from_it() -> None:
    texts = [np.arange(5, dtype=np.int32)] * 10
    shared, single = MadeUp(4), MadeUp(4, across_texts=False)
    scores_of(texts, shared, moving=False)
    scores_of(texts, single, moving=False)
    assert shared.calls == [4, 4, 2]
    assert single.calls == [1] * 10


@pytest.mark.parametrize("moving", [False, True])
def test_no_more_texts_are_in_work_than_windows_in_a_call(moving: bool) -> None:
    in_work, most = 0, 0

    def done() -> None:
        nonlocal in_work
        in_work -= 1

    def texts() -> Iterator[Scan]:
        nonlocal in_work, most
        for number in range(100):
            count = (number * 7) % 30
            kind = MovingWindows if moving else OverlappingWindows
            options = {} if moving else {"stride": SIZE // 2}
            in_work += 1
            most = max(most, in_work)
            ids = np.arange(count, dtype=np.int32) + number
            yield Scan(ids, kind(count, size=SIZE, **options), on_done=done)

    scan(MadeUp(4), texts())
    assert in_work == 0
    assert most <= 4 + 4  # a text without tokens has no window, but waits for the call all the same


def test_a_batch_is_padded_and_masked() -> None:
    ids, mask = padded_batch([np.array([7, 8]), np.array([9])], 1, 2)
    assert ids.tolist() == [[1, 7, 8, 2], [1, 9, 2, 0]]
    assert mask.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
