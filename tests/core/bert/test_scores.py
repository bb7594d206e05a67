"""Scores of stretches of text, as a splitter that weighs places needs them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import BertChunker
from lumber_core.bert import TokenScores
from lumber_core.bert.moving_window import scan
from lumber_core.bert.scores import cuts_above, place_scores, windows_of
from lumber_core.text.places import find_places
from tests.profiles import examples


def made_up(gaps: list[int], seed: int) -> TokenScores:
    """Tokens of one character each, with gaps between them."""
    starts = np.cumsum(gaps, dtype=np.int32) if gaps else np.zeros(0, np.int32)
    t = np.random.default_rng(seed).normal(size=len(gaps)).astype(np.float32)
    return TokenScores(starts, starts + 1, t)


@examples(200)
@given(
    gaps=st.lists(st.integers(1, 5), max_size=60),
    offsets=st.sets(st.integers(0, 200), max_size=20),
    seed=st.integers(0, 1000),
)
def test_a_stretch_scores_the_highest_of_its_first_tokens(
    gaps: list[int], offsets: set[int], seed: int
) -> None:
    scores = made_up(gaps, seed)
    places = sorted(offsets)
    found = scores.at(places)
    assert found.shape == (len(places),)
    for place, stop, t in zip(places, [*places[1:], 10**6][: len(places)], found, strict=True):
        inside = scores.t[(scores.starts >= place) & (scores.starts < stop)][:6]
        assert t == (inside.max() if len(inside) else -np.inf)


def test_labels_do_not_hide_the_start_behind_them() -> None:
    starts = np.asarray([0, 4, 10, 11, 12, 14], dtype=np.int32)  # "One two. \n[5] Software"
    t = np.asarray([0.0, -2.0, -4.6, -3.0, -3.0, 3.6], dtype=np.float32)
    scores = TokenScores(starts, starts + 1, t)
    assert scores.at([0, 10]).tolist() == pytest.approx([0.0, 3.6])


@pytest.mark.parametrize("offsets", [[3, 3], [5, 2], [0, 4, 4]])
def test_offsets_must_ascend(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="strictly ascending"):
        made_up([1, 1, 1], 0).at(offsets)


def test_scoring_only_the_first_tokens_changes_no_score(exported: Path, prose: list[str]) -> None:
    model = BertChunker(str(exported)).load()
    text = " ".join(prose[:30])
    places = find_places(text)
    made: list[TokenScores] = []
    for asked in (None, places):
        scan(model.scorer, [windows_of(model, text, asked, made.append)])
    whole, part = made
    np.testing.assert_array_equal(place_scores(part, places), place_scores(whole, places))
    scored = np.isfinite(part.t)
    np.testing.assert_array_equal(part.t[scored], whole.t[scored])
    assert len(places) < scored.sum() < len(scored)
    threshold = float(np.median(place_scores(whole, places)))
    cuts = cuts_above(threshold, model, whole, places)
    assert 3 < len(cuts) < len(places)
    assert cuts_above(threshold, model, part, places) == cuts
