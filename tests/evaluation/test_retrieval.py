"""Ranks, Recall@k, DCG@k and token overlap, against cases worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_evaluation.dataset import Corpus, Document, Question, SplitDocument
from lumber_evaluation.retrieval import RetrievalResult, retrieve
from tests.evaluation.retrieval_support import Table, corpus_of, letters, question_with, split

FOUR = split("aabbccdd", (0, 2), (2, 4), (4, 6), (6, 8))


def retrieve_answer(answer: str, **similarities: float) -> RetrievalResult:
    return retrieve(corpus_of("aabbccdd", question_with(answer)), [FOUR], letters(similarities))


def test_the_rank_of_the_chunk_that_answers_gives_recall_and_dcg() -> None:
    result = retrieve_answer("cc", aa=0.9, bb=0.1, cc=0.5, dd=0.7)
    (question,) = result.questions
    assert question.retrieved == (0, 3, 2, 1)
    assert question.gold == (2,)
    assert question.first_hit == 3
    assert [question.recall(k) for k in (1, 2, 3, 5)] == [0, 0, 1, 1]
    # DCG at rank 3 is 1 / log2(3 + 1).
    assert [question.dcg(k) for k in (1, 2, 3, 5)] == [0, 0, 0.5, 0.5]


def test_a_second_chunk_that_answers_adds_nothing() -> None:
    overlapping = split("aabbcc", (0, 4), (2, 6), (4, 6))
    table = letters({"aabb": 0.5, "bbcc": 0.4, "cc": 0.9})
    result = retrieve(corpus_of("aabbcc", question_with("bb")), [overlapping], table)
    (question,) = result.questions
    assert question.gold == (0, 1)
    assert question.first_hit == 2
    assert question.dcg(20) == pytest.approx(1 / math.log2(3))
    assert question.recall(20) == 1


def test_the_answer_string_is_compared_case_insensitively() -> None:
    text = "Die STRASSE war leer. Es regnete."
    chunks = split(text, (0, 21), (21, len(text)))
    table = letters({text[:21]: 0.1, text[21:]: 0.9})
    result = retrieve(corpus_of(text, question_with("straße WAR")), [chunks], table)
    assert result.questions[0].gold == (0,)


def test_equal_texts_are_embedded_once_and_equally_similar() -> None:
    text = "aabbaa"
    table = letters({"aa": 0.3, "bb": 0.9})
    result = retrieve(
        corpus_of(text, question_with("aa")), [split(text, (0, 2), (2, 4), (4, 6))], table
    )
    assert sorted(table.documents) == ["aa", "bb"]
    assert result.questions[0].retrieved == (1, 0, 2)
    assert result.questions[0].gold == (0, 2)


def test_cosine_ignores_the_length_of_vectors_and_the_dot_product_does_not() -> None:
    vectors = {"q": [1.0, 0.0], "aa": [0.5, 0.0], "bb": [3.0, 3.0]}
    chunks = split("aabb", (0, 2), (2, 4))
    corpus = corpus_of("aabb", question_with("aa"))
    by_angle = retrieve(corpus, [chunks], Table(vectors, "cosine")).questions[0]
    by_product = retrieve(corpus, [chunks], Table(vectors, "dot")).questions[0]
    assert by_angle.retrieved == (0, 1)
    assert by_product.retrieved == (1, 0)


@pytest.mark.parametrize(("within", "ranks", "rank"), [(True, (2, 3), 2), (False, (1, 2, 0, 3), 4)])
def test_the_search_covers_one_document_or_all(within, ranks, rank) -> None:
    texts = {"one": "aabb", "two": "ccaa"}
    documents = tuple(Document(name, text, (0,), (0,), "") for name, text in texts.items())
    splits = [split(text, (0, 2), (2, 4), name=name) for name, text in texts.items()]
    corpus = Corpus("c", documents, (Question("q", "two", must_contain="aa"),))
    table = letters({"aa": 0.5, "bb": 0.9, "cc": 0.7})
    (question,) = retrieve(corpus, splits, table, within_document=within).questions
    assert question.retrieved == ranks
    assert question.gold == (3,)
    assert question.first_hit == rank


GUIDE = "# Harbour\n\n## Ferry\n\nAt six.\n\n## Lamps\n\nAt dusk.\n"


def test_headings_above_a_chunk_are_embedded_with_it_and_read_before_it() -> None:
    at = [GUIDE.index("At six"), GUIDE.index("## Lamps"), GUIDE.index("At dusk"), len(GUIDE)]
    chunks = split(GUIDE, (at[0], at[1] - 2), (at[1], at[2] - 2), (at[2], at[3] - 1))
    ferry, lamps = "Harbour > Ferry", "Harbour > Lamps"
    texts = (f"{ferry}\n\nAt six.", "Harbour\n\n## Lamps", f"{lamps}\n\nAt dusk.")
    table = letters(dict(zip(texts, (0.9, 0.5, 0.7), strict=True)))
    document = Document("d", GUIDE, (0,), (0,), "test", "markdown")
    corpus = Corpus("c", (document,), (question_with("six"),))
    result = retrieve(corpus, [chunks], table, context=True)
    assert result.questions[0].retrieved == (0, 2, 1)
    assert [str(chunk.context) for chunk in result.chunks] == [ferry, "Harbour", lamps]
    assert [chunk.text for chunk in result.chunks] == ["At six.", "## Lamps", "At dusk."]
    assert result.texts_embedded == 3


def test_surroundings_raise_chunks_next_to_the_answer() -> None:
    vectors = {"q": [1.0, 0.0, 0.0], "aa": [0.1, 0.0, 1.0], "bb": [0.9, 0.5, 0.0]}
    vectors |= {"cc": [0.0, 1.0, 0.0], "dd": [0.05, 1.0, 0.0]}
    text = "aabbcc" + "." * 4000 + "dd"
    chunks = split(text, (0, 2), (2, 4), (4, 6), (4006, 4008))
    corpus, table = corpus_of(text, question_with("aa")), Table(vectors, "cosine")
    plain = retrieve(corpus, [chunks], table)
    around = retrieve(corpus, [chunks], table, surroundings=True)
    assert plain.questions[0].retrieved == (1, 0, 3, 2)
    assert around.questions[0].retrieved == (1, 0, 2, 3)
    assert around.texts_embedded == plain.texts_embedded == 4


similarities = st.lists(st.integers(0, 4), min_size=1, max_size=40)


@given(similarities, st.data())
def test_ranks_equal_those_of_sorting_all_chunks(values: list[int], data: st.DataObject) -> None:
    gold = data.draw(st.sets(st.integers(0, len(values) - 1)))
    words = [f"w{number:02}{'x' if number in gold else 'y'}" for number in range(len(values))]
    text = "".join(words)
    chunks = split(text, *((4 * n, 4 * n + 4) for n in range(len(values))))
    table = letters(dict(zip(words, map(float, values), strict=True)))
    (result,) = retrieve(corpus_of(text, question_with("x")), [chunks], table).questions
    ranked = sorted(range(len(values)), key=lambda number: (-values[number], number))
    assert list(result.retrieved) == ranked[:20]
    hits = [rank for rank, number in enumerate(ranked, start=1) if number in gold]
    assert result.first_hit == min(hits, default=None)


def test_questions_without_references_have_no_token_overlap() -> None:
    result = retrieve_answer("cc", aa=0.9, bb=0.1, cc=0.5, dd=0.7)
    assert result.questions[0].overlaps == {}
    assert math.isnan(result.questions[0].overlap(5).iou)


def test_a_document_without_chunks_answers_nothing() -> None:
    result = retrieve(
        corpus_of("aabb", question_with("aa")), [SplitDocument("d", (), 0.0)], letters({})
    )
    assert result.questions[0].retrieved == ()
    assert result.questions[0].first_hit is None


def test_divided_answers_are_distinguished_from_missing_ones() -> None:
    table = letters({"aa": 0.1, "bb": 0.2, "cc": 0.9, "dd": 0.3})
    questions = [question_with(answer) for answer in ("cc", "bc", "x")]
    result = retrieve(corpus_of("aabbccdd", *questions), [FOUR], table)
    assert [question_result.is_cut_apart for question_result in result.questions] == [
        False,
        True,
        False,
    ]
    assert [question_result.is_absent for question_result in result.questions] == [
        False,
        False,
        True,
    ]
    assert [question_result.word_recall(300) for question_result in result.questions[:2]] == [1, 1]
