"""How answers about windows are read: lists of units, and nothing that is not one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.lumber.list_parser import read_list
from tests.profiles import examples

CHOICES = range(1, 60)


@pytest.mark.parametrize(
    ("answer", "starts"),
    [
        ("Answer: ID 3, ID 7!, ID 12", {3: False, 7: True, 12: False}),
        ("**Answer:** ID 3, **ID 7!**", {3: False, 7: True}),
        ("Answer: 3,7 ,12", {3: False, 7: False, 12: False}),
        ("Answer: ID 12, ID 3, ID 3!", {3: True, 12: False}),
        ("Answer: ID 3, 7 and 12.", {3: False, 7: False, 12: False}),
        ("Answer:\n- ID 3: a scene\n- ID 7: dawn", {3: False, 7: False}),
        ("Answer:\n1. ID 3\n2. ID 7!", {3: False, 7: True}),
        ("Answer: ID 3 (2 men leave), ID 7 (dawn)", {3: False, 7: False}),
        ("Answer: ID 3, ID 7. ID 3 opens a scene.", {3: False, 7: False}),
        ("First thought.\nAnswer: ID 5\nNo:\nAnswer: ID 3, ID 7", {3: False, 7: False}),
        ("<think>Answer: ID 9</think>\nAnswer: ID 3", {3: False}),
        ("ID 9? ...</think> ID 3, ID 7", {3: False, 7: False}),
        ('{"answer": ["ID 3", "ID 7!"]}', {3: False, 7: True}),
        ('```json\n{"answer": [\n "ID 3",\n "ID 7"\n]}\n```', {3: False, 7: False}),
        ('["ID 3", "ID 7"]', {3: False, 7: False}),
        ('{"starts": [3, 7]}', {3: False, 7: False}),
        ('[{"id": 3}, {"id": 7}]', {3: False, 7: False}),
        ("The new parts start at ID 3, ID 7 and ID 12.", {3: False, 7: False, 12: False}),
        ("3\n7\n12", {3: False, 7: False, 12: False}),
    ],
)
def test_lists_are_read_in_any_form(answer: str, starts: dict[int, bool]) -> None:
    parsed = read_list(answer, CHOICES)
    assert (parsed.starts, parsed.outcome) == (starts, "shift")
    assert list(parsed.starts) == sorted(parsed.starts)


@pytest.mark.parametrize(
    "answer", ["Answer: none", "none", '{"answer": []}', '{"answer": null}', '["none"]', "[]"]
)
def test_a_list_may_be_empty(answer: str) -> None:
    parsed = read_list(answer, CHOICES)
    assert (parsed.starts, parsed.outcome) == ({}, "no_shift")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "ID 3 goes on from ID 2, but ID 7 turns",
        "No part starts at ID 3.",
        "ID 0: Emma Woodhouse, handsome\nID 1: She was the youngest",  # the question repeated
        "Answer: ID 3 because ID 2 ends, ID 7",
        "Answer: ID 3 - ID 7",  # a range?
        "Answer: 3-7",
        "Answer: ID n, ID n!, ID n",
        "It is 1984.",
        '{"other": [3]}',
    ],
)
def test_what_is_no_list_is_not_read(answer: str) -> None:
    parsed = read_list(answer, CHOICES)
    assert (parsed.starts, parsed.outcome) == ({}, "unreadable")
    assert parsed.reason


@pytest.mark.parametrize(
    "answer", ["I'm sorry, but I can't help with that.", "<think>Hm</think>I cannot assist."]
)
def test_refusals_are_told_from_answers(answer: str) -> None:
    assert read_list(answer, CHOICES).outcome == "refused"


def test_units_that_were_not_offered_are_left_out_and_told() -> None:
    some = read_list("Answer: ID 0, ID 3, ID 7", CHOICES)
    assert (some.starts, some.outcome) == ({3: False, 7: False}, "shift")
    assert "and 0, which was not offered" in some.reason
    most = read_list("Answer: ID 97, ID 98, ID 7", CHOICES)
    assert (most.starts, most.outcome) == ({}, "outside")
    assert "97, 98, not of 1 to 59" in most.reason


@examples(100)
@given(st.lists(st.integers(1, 59), unique=True, min_size=1).map(sorted), st.data())
def test_a_list_that_was_cut_off_has_no_half_labels(units: list[int], data: st.DataObject) -> None:
    for form in ("Answer: {}", '{{"answer": [{}]}}'):
        label = '"ID {}"' if "[" in form else "ID {}"
        whole = form.format(", ".join(map(label.format, units)))
        end = data.draw(st.integers(0, len(whole) - 1))
        parsed = read_list(whole[:end], CHOICES, cut=True)
        known = [int(n) for n in re.findall(r"ID (\d+)\"?,", whole[:end])]
        if parsed.cut:
            assert list(parsed.starts) == known
        else:  # all of the list had come
            assert list(parsed.starts) == units


PIECES = [
    "ID 7",
    "Answer: ",
    "7",
    "!",
    ", ",
    *'()[]{}"\nx',
    '"answer": ',
    "- ",
    "1. ",
    "none",
    " and ",
]


@examples(200)
@given(st.lists(st.sampled_from(PIECES)))
def test_no_answer_raises_or_names_what_was_not_offered(pieces: list[str]) -> None:
    parsed = read_list("".join(pieces), CHOICES)
    assert set(parsed.starts) <= set(CHOICES)
    assert (parsed.outcome == "shift") == bool(parsed.starts)
    assert parsed.reason
