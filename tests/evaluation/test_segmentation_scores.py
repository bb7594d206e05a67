"""Segmentation scores over a corpus."""

from __future__ import annotations

import pytest

pytest.importorskip("nltk")

from lumber_evaluation.documents import Document
from lumber_evaluation.segmentation import score_segmentation


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


def test_cuts_count_for_the_unit_nearest_to_them() -> None:
    documents = [document("a", (0, 50))]
    assert score_segmentation(documents, [[0, 52]]).boundaries.hits == 1
    assert score_segmentation(documents, [[0, 61]]).boundaries.hits == 0


def test_no_document_is_an_error() -> None:
    with pytest.raises(ValueError, match="no document with reference segments"):
        score_segmentation([], [])
