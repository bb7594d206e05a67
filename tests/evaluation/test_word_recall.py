"""Recall of the reference text at equal amounts retrieved, against cases worked out by hand."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_core.text.outline import Context
from lumber_evaluation.dataset import Document, EvaluatedChunk, Question
from lumber_evaluation.retrieval import retrieve
from lumber_evaluation.retrieval.word_recall import WordRecall
from tests.evaluation.retrieval_support import corpus_of, letters, split

TEXT = "one two three four  five six\nseven eight nine ten"


def recall_of(*spans: tuple[int, int], text: str = TEXT) -> WordRecall:
    chunks = [EvaluatedChunk("d", Span(*span), text[slice(*span)]) for span in spans]
    return WordRecall({"d": Document("d", text, (0,), (0,), "")}, chunks)


def question_about(*words: str, text: str = TEXT) -> Question:
    spans = tuple(Span(text.index(word), text.index(word) + len(word)) for word in words)
    return Question("q", "d", references=spans)


@pytest.mark.parametrize(
    ("budget", "ranked", "share"),
    [
        (4, [0, 1], 0.5),  # four words: one two three four
        (5, [0, 1], 1.0),
        (2, [1, 0], 0.5),  # two words: five six
        (3, [1, 0], 0.5),  # three words: five six one
        (6, [1, 0], 1.0),
        (1, [2], 0.0),
    ],
)
def test_chunks_are_read_best_first_up_to_the_budget(budget, ranked, share) -> None:
    read = recall_of((0, 20), (20, 29), (29, len(TEXT)))
    assert read(question_about("four", "five"), ranked, budget) == share


def test_text_that_two_chunks_share_takes_room_twice_and_counts_once() -> None:
    read = recall_of((0, 13), (4, 19))  # "one two three" and "two three four"
    assert read(question_about("three"), [0, 1], 5) == 1
    assert read(question_about("four"), [0, 1], 5) == 0
    assert read(question_about("four"), [0, 1], 6) == 1


def test_trimmed_white_space_does_not_lower_recall() -> None:
    trimmed = recall_of((0, 18), (20, 28))
    assert trimmed(question_about("four  five"), [0, 1], 6) == 1


def test_the_best_of_several_places_of_a_string_counts() -> None:
    text = "The STRASSE. Nothing. The straße was long."
    read = recall_of((0, 12), (13, 21), (22, len(text)), text=text)
    question = Question("q", "d", must_contain="straße")
    assert [read(question, [n], 5) for n in range(3)] == [1, 0, 1]
    assert read(Question("q", "d", must_contain="straße was"), [0, 1], 9) == 0
    assert math.isnan(read(Question("q", "d", must_contain="road"), [0], 5))


def test_words_of_a_context_use_the_budget_before_the_text() -> None:
    above = Context(("Tides", "North Quay"))  # "Tides > North Quay", four words
    chunks = [EvaluatedChunk("d", Span(0, 13), TEXT[:13], above)]
    chunks.append(EvaluatedChunk("d", Span(20, 28), TEXT[20:28]))
    read = WordRecall({"d": Document("d", TEXT, (0,), (0,), "")}, chunks)
    assert read.words == [7, 2]
    assert [read(question_about("one"), [0, 1], budget) for budget in (3, 4, 5)] == [0, 0, 1]
    assert [read(question_about("five"), [0, 1], budget) for budget in (7, 8)] == [0, 1]


def test_chunks_of_other_documents_take_room() -> None:
    documents = {name: Document(name, TEXT, (0,), (0,), "") for name in "de"}
    chunks = [EvaluatedChunk(name, Span(0, 7), TEXT[:7]) for name in "ed"]
    read = WordRecall(documents, chunks)
    assert [read(question_about("one"), [0, 1], budget) for budget in (2, 3)] == [0, 1]


@given(
    cuts=st.sets(st.integers(1, len(TEXT) - 1), max_size=8),
    order=st.randoms(use_true_random=False),
    budget=st.integers(1, 40),
)
def test_more_words_never_recall_less_and_all_words_recall_all(cuts, order, budget) -> None:
    edges = [0, *sorted(cuts), len(TEXT)]
    spans = [s for s in pairwise(edges) if TEXT[slice(*s)].strip()]
    read = recall_of(*spans)
    ranked = list(range(len(spans)))
    order.shuffle(ranked)
    question = question_about("two three", "nine")
    assert read(question, ranked, budget) <= read(question, ranked, budget + 1)
    assert read(question, ranked, sum(read.words)) == 1
    every = sum(read.words)
    assert sum(read.words[n] for n in ranked[: read.depth(ranked, budget)]) >= min(budget, every)


def test_small_chunks_are_read_until_the_words_are_used_up() -> None:
    text = " ".join(f"w{number:03}" for number in range(400))
    chunks = split(text, *((5 * n, min(5 * n + 5, len(text))) for n in range(400)))
    table = letters({text[5 * n : 5 * n + 5]: -float(n) for n in range(400)})
    question = Question("q", "d", references=(Span(5 * 299, 5 * 299 + 4),))
    beyond = Question("q", "d", references=(Span(5 * 300, 5 * 300 + 4),))
    result = retrieve(corpus_of(text, question, beyond), [chunks], table)
    assert [question_result.word_recall(300) for question_result in result.questions] == [1, 0]
    assert [question_result.word_recall(600) for question_result in result.questions] == [1, 1]
    assert len(result.questions[0].retrieved) == 20
    with pytest.raises(ValueError, match="300, 600, 1200"):
        result.questions[0].word_recall(50)
