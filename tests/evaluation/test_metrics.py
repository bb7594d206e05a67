"""Boundary measures, on cases that can be worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_evaluation.boundary_metrics import (
    BoundaryScore,
    boundary_score,
    nearest_units,
    pk,
    score_segmentation,
    window_diff,
    window_length,
)
from lumber_evaluation.dataset import Document

boundaries = st.sets(st.integers(1, 29), max_size=12)


def test_exact_matches_are_counted() -> None:
    score = boundary_score([3, 7, 20], [3, 8, 20, 25])
    assert score == BoundaryScore(hits=2, predicted=4, reference=3)
    assert score.precision == 0.5
    assert score.recall == pytest.approx(2 / 3)
    assert score.f1 == pytest.approx(4 / 7)


def test_offsets_go_to_the_nearest_unit() -> None:
    units = [0, 10, 20, 30]
    assert nearest_units([0, 4, 11, 15, 26, 99], units) == [1, 2, 3]
    assert nearest_units([], units) == []


@given(true=boundaries, said=boundaries)
def test_windows_are_counted_that_are_wrongly_told_apart(true: set[int], said: set[int]) -> None:
    units = 30
    k = min(window_length(sorted(true), units=units), units - 1)
    counts = [
        [sum(i < b <= i + k for b in each) for each in (true, said)] for i in range(units - k)
    ]
    wrong = sum(bool(a) != bool(b) for a, b in counts)
    different = sum(a != b for a, b in counts)
    assert pk(sorted(true), sorted(said), units=units) == pytest.approx(wrong / (units - k))
    found = window_diff(sorted(true), sorted(said), units=units)
    assert found == pytest.approx(different / (units - k))


def test_perfect_agreement_is_zero_and_short_texts_are_no_error() -> None:
    assert pk([4, 8], [4, 8], units=12) == window_diff([4, 8], [4, 8], units=12) == 0
    assert pk([], [], units=1) == window_diff([], [], units=0) == 0
    assert pk([1], [], units=2) == 1


@pytest.mark.parametrize("wrong", [0, 12, -3])
def test_boundaries_outside_the_text_are_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 11"):
        pk([4], [wrong], units=12)


def document(name: str, starts: tuple[int, ...], sentences: int = 10) -> Document:
    """A document whose sentences have ten characters each."""
    return Document(name, "x" * 10 * sentences, tuple(range(0, 10 * sentences, 10)), starts, "made")


def test_counts_of_all_documents_come_together_and_windows_are_averaged() -> None:
    documents = [document("a", (0, 50)), document("b", (0, 20, 40))]
    scores = score_segmentation(documents, [[0, 50], [0, 20, 60, 80]])
    assert (scores.boundaries.hits, scores.boundaries.predicted) == (2, 4)
    assert scores.boundaries.recall == pytest.approx(2 / 3)
    assert scores.documents[0].pk == scores.documents[0].window_diff == 0
    assert scores.documents[1].pk > 0
    assert scores.pk == pytest.approx(scores.documents[1].pk / 2)
    assert scores.window_diff == pytest.approx(scores.documents[1].window_diff / 2)
