"""Measures of boundaries and of retrieved references, on cases that can be worked out by hand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_evaluation.boundary_metrics import (
    BoundaryScore,
    boundary_score,
    nearest_units,
    pk_and_window_diff,
    score_segmentation,
)
from lumber_evaluation.dataset import Document, EvaluatedChunk, Question
from lumber_evaluation.retrieval import retrieve
from lumber_evaluation.retrieval.references import token_overlap
from tests.evaluation.retrieval_support import corpus_of, letters, split

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


@given(true=boundaries, predicted=boundaries)
def test_window_diff_and_pk_count_wrongly_divided_windows(
    true: set[int], predicted: set[int]
) -> None:
    units = 30
    k = min(max(1, round(units / (2 * (len(true) + 1)))), units - 1)
    windows = (range(i + 1, i + k + 1) for i in range(units - k))
    counts = [[len(ends.intersection(window)) for ends in (true, predicted)] for window in windows]
    wrong = sum(bool(a) != bool(b) for a, b in counts)
    different = sum(a != b for a, b in counts)
    measured = pk_and_window_diff(sorted(true), sorted(predicted), units=units)
    assert measured == pytest.approx((wrong / (units - k), different / (units - k)))


def test_perfect_agreement_and_short_texts_have_no_error() -> None:
    assert pk_and_window_diff([4, 8], [4, 8], units=12) == (0, 0)
    assert pk_and_window_diff([], [], units=1) == pk_and_window_diff([], [], units=0) == (0, 0)
    assert pk_and_window_diff([1], [], units=2) == (1, 1)


@pytest.mark.parametrize("wrong", [0, 12, -3])
def test_boundaries_outside_the_text_are_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 11"):
        pk_and_window_diff([4], [wrong], units=12)


def document(name: str, starts: tuple[int, ...], sentences: int = 10) -> Document:
    """A document whose sentences have ten characters each."""
    return Document(name, "x" * 10 * sentences, tuple(range(0, 10 * sentences, 10)), starts, "made")


def test_counts_are_summed_over_documents_and_windows_are_averaged() -> None:
    documents = [document("a", (0, 50)), document("b", (0, 20, 40))]
    scores = score_segmentation(documents, [[0, 50], [0, 20, 60, 80]])
    assert (scores.boundaries.hits, scores.boundaries.predicted) == (2, 4)
    assert scores.boundaries.recall == pytest.approx(2 / 3)
    assert scores.documents[0].pk == scores.documents[0].window_diff == 0
    assert scores.documents[1].pk > 0
    assert scores.pk == pytest.approx(scores.documents[1].pk / 2)
    assert scores.window_diff == pytest.approx(scores.documents[1].window_diff / 2)


# Excerpts at 2 to 6 and 8 to 10 of a text of 12 characters.
REFERRED = Question("q", "d", references=(Span(2, 6), Span(8, 10)))


def chunk(start: int, end: int, document: str = "d") -> EvaluatedChunk:
    return EvaluatedChunk(document, Span(start, end), "")


@pytest.mark.parametrize(
    ("chunks", "recall", "precision", "iou"),
    [
        ([chunk(2, 6), chunk(8, 10)], 1, 1, 1),
        ([chunk(0, 4)], 2 / 6, 2 / 4, 2 / 8),
        ([chunk(0, 12)], 1, 6 / 12, 6 / 12),
        # Characters 4 to 6 are retrieved twice: they take room twice and count once.
        ([chunk(2, 6), chunk(4, 8)], 4 / 6, 4 / 8, 4 / 10),
        ([chunk(6, 8)], 0, 0, 0),
        ([chunk(2, 6, "other")], 0, 0, 0),
        ([chunk(2, 6), chunk(2, 6, "other")], 4 / 6, 4 / 8, 4 / 10),
        ([], 0, 0, 0),
    ],
)
def test_token_overlap_has_the_values_worked_out_by_hand(chunks, recall, precision, iou) -> None:
    overlap = token_overlap(REFERRED, chunks)
    assert (overlap.recall, overlap.precision, overlap.iou) == pytest.approx(
        (recall, precision, iou)
    )


@pytest.mark.parametrize(
    ("spans", "gold"),
    [
        # The excerpt is 2 to 10.
        ([(0, 2), (2, 10), (10, 12)], (1,)),
        ([(0, 3), (3, 12)], (1,)),  # one character does not count
        ([(0, 6), (6, 12)], (0, 1)),  # each chunk has half of the excerpt
        ([(0, 4), (4, 8), (8, 12)], (0, 1, 2)),  # at least half of each chunk is excerpt
        *(([(0, 5), (5, 7), (7, 12)], (0, 1, 2)), ([(0, 12)], (0,)), ([(0, 2), (10, 12)], ())),
    ],
)
def test_a_chunk_answers_if_it_has_half_of_an_excerpt_or_is_half_excerpt(spans, gold) -> None:
    text = "abcdefghijkl"
    chunks = split(text, *spans)
    table = letters({c.text: 0.0 for c in chunks.chunks})
    question = Question("q", "d", references=(Span(2, 10),))
    assert retrieve(corpus_of(text, question), [chunks], table).questions[0].gold == gold


@given(st.sets(st.integers(1, 29)), st.integers(0, 28), st.integers(1, 30))
def test_some_chunk_answers_wherever_a_text_is_cut(cuts: set[int], start: int, length: int) -> None:
    text = "ab cd ef gh ij kl mn op qr st "
    reference = Span(start, min(start + length, len(text)))
    if not reference.of(text).strip():
        return
    edges = [0, *sorted(cuts), len(text)]
    chunks = split(text, *pairwise(edges))
    table = letters({c.text: 0.0 for c in chunks.chunks})
    question = Question("q", "d", references=(reference,))
    assert retrieve(corpus_of(text, question), [chunks], table).questions[0].gold


def test_token_overlap_is_given_at_every_cutoff() -> None:
    text = "abcdefghijkl"
    chunks = split(text, (0, 4), (4, 8), (8, 12))
    table = letters({"abcd": 0.9, "efgh": 0.1, "ijkl": 0.5})
    result = retrieve(corpus_of(text, REFERRED), [chunks], table)
    (question,) = result.questions
    assert [question.overlap(k).recall for k in (1, 2, 20)] == pytest.approx([2 / 6, 4 / 6, 1])
    assert question.overlap(2).precision == pytest.approx(4 / 8)
    assert question.overlap(2).iou == pytest.approx(4 / 10)
