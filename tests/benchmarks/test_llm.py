"""The benchmark of language models: the scripted answers, and what splitters make of them."""

from functools import partial

import pytest

from benchmarks.suite.llm import SCENARIOS, Scenario, lumber, plain_loop, run, topic_change
from benchmarks.suite.texts import english

TEXT = english(6000)


def test_the_scripted_answer_is_the_first_passage_on_another_topic():
    question = "ID 3: In the harbour, a tug.\nID 4: A ferry.\nID 5: At the bakery a loaf."
    assert topic_change(question) == (5, 6)


def test_no_change_of_topic_gives_no_passage():
    assert topic_change("ID 0: In the harbour, a tug.\nID 1: The harbour.") == (None, 2)


@pytest.mark.parametrize("splitter", [plain_loop, partial(lumber, in_flight=4)])
def test_good_replies_find_where_the_topic_changes(splitter):
    outcome = run(splitter, [TEXT], Scenario())
    assert outcome.lost == 0
    assert outcome.said == "no failure"
    assert outcome.calls >= outcome.chunks > 2


def test_a_splitter_that_raises_has_lost_the_whole_text():
    outcome = run(plain_loop, [TEXT], SCENARIOS["all replies are refusals"])
    assert outcome.said == "raises TypeError"
    assert outcome.chunks == 0
    assert outcome.lost == len("".join(TEXT.split()))
