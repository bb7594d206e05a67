from __future__ import annotations

import asyncio
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Group, LumberChunker, Usage
from lumber_core.lumber import LexicalJudge
from tests.core.core_support import document, group, nasty_texts, quick

SEA = [
    "The captain steered the vessel across the stormy ocean toward the harbour.",
    "Sailors on the vessel pulled the ropes while the ocean struck the captain.",
    "From the harbour the sailors saw the vessel and its captain in the ocean.",
]
BREAD = [
    "A baker kneads the dough with flour and yeast before heating the oven.",
    "When the dough has risen, the baker dusts flour on it and opens the oven.",
    "Good flour and fresh yeast give the baker a light dough from a hot oven.",
]
CHINESE_SEA = ["\u8239\u957f\u9a7e\u8239\u51fa\u6d77\uff0c\u6d77\u6d6a\u5f88\u5927\u3002"] * 3
CHINESE_BREAD = ["\u9762\u5305\u5e08\u63c9\u9762\u56e2\uff0c\u70e4\u7bb1\u5f88\u70ed\u3002"] * 3


@pytest.mark.parametrize(
    "sides",
    [(SEA, BREAD), (BREAD, SEA), (CHINESE_SEA, CHINESE_BREAD), (SEA, BREAD[:2])],
    ids=["sea", "bread", "chinese", "uneven"],
)
def test_an_obvious_change_of_topic_is_found(sides):
    before, after = sides
    verdict = LexicalJudge().judge(group([*before, *after], start=20))
    assert (verdict.unit, verdict.outcome) == (20 + len(before), "shift")
    assert "depth" in verdict.reason
    assert verdict.usage == Usage(calls=1)


@pytest.mark.parametrize(
    "texts",
    [
        SEA[:1] * 6,
        ["", "", ""],
        ["  ", "\n\n"],
        ["!!!", "???", "..."],
        ["a an of", "to by in", "at on it"],
    ],
    ids=["identical", "empty", "blank", "marks", "short words"],
)
def test_texts_that_do_not_differ_have_no_shift(texts):
    verdict = LexicalJudge().judge(group(texts))
    assert (verdict.unit, verdict.outcome) == (None, "no_shift")
    assert not verdict.failed


def test_of_two_changes_the_deeper_one_is_named():
    mixed = [*SEA, SEA[0] + " " + BREAD[0], *SEA, *BREAD, *BREAD]
    assert LexicalJudge().judge(group(mixed)).unit == 7


def test_upper_and_lower_case_are_one_word():
    texts = [SEA[0], SEA[0].upper(), BREAD[0].upper(), BREAD[0]]
    assert LexicalJudge().judge(group(texts)).unit == 2


def test_only_units_that_may_be_named_are_named():
    whole = document([*SEA, *BREAD])
    assert LexicalJudge().judge(Group(whole, 0, 6, range(4, 6))).unit in (4, 5, None)
    published = Group(whole, 0, 6, range(7))
    assert LexicalJudge().judge(published).unit == 3


@given(st.lists(nasty_texts, min_size=2, max_size=8), st.integers(0, 4), st.integers(1, 30))
@quick
def test_the_judge_names_a_choice_or_none_whatever_the_texts(texts, start, block):
    asked = group(texts, start)
    verdict = LexicalJudge(block=block).judge(asked)
    assert verdict.unit is None or verdict.unit in asked.choices
    assert (verdict.start, verdict.stop) == (asked.start, asked.stop)
    assert not verdict.failed


def test_sync_async_and_pickled_judges_agree():
    judge, asked = LexicalJudge(block=40), group([*SEA, *BREAD])
    assert judge.judge(asked) == asyncio.run(judge.ajudge(asked))
    assert pickle.loads(pickle.dumps(judge)).judge(asked) == judge.judge(asked)
    assert repr(judge) == "LexicalJudge(block=40)"


def test_a_document_is_split_at_its_turn():
    text = "\n\n".join([*SEA, *BREAD])
    chunks = LumberChunker(LexicalJudge()).segment(text).chunks(text)
    assert chunks[0] == "\n\n".join(SEA) + "\n\n"


@pytest.mark.parametrize(
    ("block", "error"), [(0, ValueError), (-1, ValueError), (2.5, TypeError), ("9", TypeError)]
)
def test_a_block_that_makes_no_sense_is_refused_by_name(block, error):
    with pytest.raises(error, match="block must be"):
        LexicalJudge(block=block)
