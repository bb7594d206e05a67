from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core.lumber.answer_parser import read_answer
from tests.core.core_support import PIECES, quick

CHOICES = range(3, 12)  # the units 3 to 11 may be named


@pytest.mark.parametrize(
    ("answer", "unit"),
    [
        ("Answer: ID 7", 7),
        ("answer: id 7", 7),
        ("ANSWER:ID 7.", 7),
        ("Answer: 7", 7),
        ("Answer:\n\nID 7", 7),
        ("Answer - ID 7", 7),
        ("Answer\uff1a ID 7", 7),
        ("Answer: ID7", 7),
        ("Answer: ID: 7", 7),
        ("Answer: ID #7", 7),
        ("Answer: paragraph 7", 7),
        ("Answer: the paragraph ID 7", 7),
        ("Answer: No. 7", 7),
        ("The answer is 7.", 7),
        ("The answer is ID 7, where the storm begins.", 7),
        ("Answer: ID 007", 7),
    ],
)
def test_the_answer_asked_for_is_read_in_many_spellings(answer, unit):
    assert read_answer(answer, CHOICES).unit == unit


@pytest.mark.parametrize(
    "answer",
    [
        "**Answer:** ID 7",
        "**Answer: ID 7**",
        "Answer: **ID 7**",
        "__Answer__: *ID* **7**",
        "`Answer: ID 7`",
        "```\nAnswer: ID 7\n```",
        "Answer: `ID 7`",
        "> Answer: ID 7",
        "- Answer: ID 7",
        "### Answer\nID 7",
        "Answer: [ID 7]",
        "Answer: <ID 7>",
        'Answer: "ID 7"',
        "Answer: $\\boxed{7}$",
        "<answer>ID 7</answer>",
        "<answer>7</answer>",
        "| Answer | ID 7 |",
    ],
)
def test_markup_around_an_answer_does_not_hide_it(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (7, "shift")


@pytest.mark.parametrize(
    "answer",
    [
        '{"answer": 7}',
        '{"answer": "ID 7"}',
        '{"ID": "7"}',
        '{"id": 7, "reason": "It moves from 1850 to 1910."}',
        '```json\n{\n  "answer": "ID 7"\n}\n```',
        'Here it is: {"paragraph": 7}',
        '{"result": {"id": 7}}',
        '{"unit": [7]}',
        '{"reason": "ID 5 goes on with ID 4", "id": 7}',
        "{'answer': 7}",
    ],
)
def test_json_is_read_fenced_or_not(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (7, "shift")


@pytest.mark.parametrize(
    ("answer", "unit"),
    [
        ("The scene changes at ID 7, in Paris.", 7),
        ("7", 7),
        (" 7.\n", 7),
        ("[7]", 7),
        ("**7**", 7),
        ("\uff17", 7),
        ("Answer: ID \uff17", 7),
        ("Answer: \uff29\uff24 7", 7),
        ("ID \u0667", 7),
        ("In 1850 it rains; in 1910 it does not: 7", 7),
        ("He wrote \u201cID 4: go on\u201d there, yet Answer: ID 7", 7),
    ],
)
def test_ids_in_prose_and_bare_numbers_are_read(answer, unit):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (unit, "shift")


@pytest.mark.parametrize(
    ("answer", "unit", "why", "others"),
    [
        ("Answer: ID 4? No. Answer: ID 7", 7, "last usable labelled answer", ["4"]),
        ("ID 4 goes on, ID 5 too, ID 7 turns", 7, "last usable ID", ["4", "5"]),
        ("- ID 4\n- ID 7", 7, "last usable ID", ["4"]),
        ("between 4 and 7", 7, "last usable bare number", ["4"]),
        ('{"answer": 4}\n{"answer": 7}', 7, "last usable", ["4"]),
        ("Answer: ID 7 (not ID 99)", 7, "labelled answer", []),
        ("Answer: ID 7. ID 8 goes on with it.", 7, "labelled answer", []),
        ("ID 7, not ID 99", 7, "last usable ID", ["99"]),
        ("Answer: ID 7\nAnswer: ID 99", 7, "last usable labelled answer", ["99"]),
    ],
)
def test_of_several_ids_the_reason_says_which_wins_and_why(answer, unit, why, others):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (unit, "shift")
    assert why in reading.reason
    assert all(other in reading.reason for other in others)


@pytest.mark.parametrize(
    "answer",
    [
        *("Answer: ID XX", "Answer: ID X", "ID XX", "Answer: ID n", "Answer: ID {n}"),
        *("Answer: ID <number>", "Reply with one line:\nAnswer: ID n", "**Answer: ID n**"),
    ],
)
def test_an_echoed_placeholder_is_unreadable_and_said_to_be_one(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (None, "unreadable")
    assert "placeholder" in reading.reason


def test_a_placeholder_echoed_before_the_answer_does_no_harm():
    assert read_answer("Answer: ID n\nAnswer: ID 7", CHOICES).unit == 7


@pytest.mark.parametrize(
    "answer",
    [
        *("Answer: ID 12", "Answer: ID 2", "ID 99", "99", "Answer: 0", "Answer: ID -7", "-7"),
        *("Answer: 1,234", "ID 1,007", '{"answer": 1007}', "Answer: ID 12 or ID 13", "ID 0"),
        *("Answer: ID 7,000,003", "Answer: ID \uff11\uff17"),
    ],
)
def test_an_id_that_was_not_shown_is_outside(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (None, "outside")
    assert "3 to 11" in reading.reason


@pytest.mark.parametrize(
    "answer",
    [
        *("Answer: none", "none", "None.", "**None**", "Answer: ID none", "Answer: **none**"),
        *('{"answer": null}', '{"answer": "none"}', '{"id": null}', "The answer is none."),
        *("Answer: None of them", "ID 4 and ID 5 belong together.\nAnswer: none"),
    ],
)
def test_an_answer_of_none_is_no_shift(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (None, "no_shift")


@pytest.mark.parametrize(
    ("answer", "unit"),
    [
        ("<think>ID 4? Or Answer: ID 5?</think>\nAnswer: ID 7", 7),
        ("<think>Answer: ID 4</think>7", 7),
        ("<thinking>\nAnswer: ID 4\n</thinking>\n\nID 7", 7),
        ("<THINK>ID 4</THINK><reasoning>ID 5</reasoning>ID 7", 7),
        # Templates that open the block in the prompt leave only its end in the answer.
        ("Hmm, Answer: ID 4? Rather not.\n</think>\n\nID 7", 7),
    ],
)
def test_reasoning_is_not_an_answer(answer, unit):
    assert read_answer(answer, CHOICES).unit == unit


@pytest.mark.parametrize(
    "answer", ["", "   \n", "<think>Answer: ID 7</think>", "<think>Answer: ID 7 or", "**", "..."]
)
def test_an_answer_without_content_is_unreadable(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (None, "unreadable")
    assert reading.reason


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "I\u2019m sorry, I cannot assist with this request.",
        "I am unable to continue with this text.",
        "I won't read this.",
        "This goes against my guidelines.",
    ],
)
def test_a_refusal_is_said_to_be_one(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (None, "refused")


def test_an_apology_before_an_answer_is_no_refusal():
    assert read_answer("I'm sorry, I was wrong. Answer: ID 7", CHOICES).unit == 7


@pytest.mark.parametrize(
    "answer",
    [
        "The text is about ships.",
        "It turns in the middle, about 4.5 pages in.",
        "Chapters 20, 30 and 40 differ.",
        "A4 and B7 are sizes of paper.",
    ],
)
def test_prose_without_a_usable_number_is_unreadable(answer):
    reading = read_answer(answer, CHOICES)
    assert (reading.unit, reading.outcome) == (None, "unreadable")


@pytest.mark.parametrize(
    "answer",
    [
        "ID " + "7" * 40,
        "Answer: ID " + "7" * 10_000,
        "7" * 10_000,
        "Answer: 1" + ",000" * 3_000,
        '{"answer": ' + "7" * 10_000 + "}",
        '{"id": 1e999}',
        '{"answer": ' + "[" * 200_000 + "}",
        "{" * 5_000 + '"answer": 4',
        "answer " * 2_000,
        "id " * 2_000,
        "Answer: " + "id " * 2_000,
        "<think>" * 1_000,
    ],
    ids=lambda answer: f"{answer[:20]}...",
)
def test_absurd_answers_name_no_unit_and_do_no_harm(answer):
    reading = read_answer(answer, range(10, 12))
    assert reading.unit is None
    assert reading.outcome in {"outside", "unreadable"}


WORDS = [
    *("Answer", "answer:", " is ", "ID", "id ", "n", "XX", "none", "null", " ", "\n", "**", "`"),
    *(
        "{",
        "}",
        '"',
        ":",
        ",",
        "[",
        "]",
        "-",
        ".",
        "7",
        "12",
        "1,000",
        "\uff17",
        "\u0667",
        "\u00b2",
    ),
    *("<think>", "</think>", "```json", "I'm sorry", '{"answer": ', '{"id": "', "true", "1e5"),
    *PIECES,
]


@given(
    answer=st.one_of(
        st.text(st.characters(exclude_categories=())),
        st.lists(st.sampled_from(WORDS), max_size=15).map("".join),
    ),
    first=st.integers(0, 9),
    size=st.integers(0, 9),
)
@example(answer="Answer: \u00b2", first=0, size=4)
@example(answer='{"answer": true}', first=0, size=4)
@quick
def test_whatever_is_said_the_reading_is_one_of_the_choices_or_none(answer, first, size):
    choices = range(first, first + size)
    reading = read_answer(answer, choices)
    assert reading.unit is None or reading.unit in choices
    assert (reading.outcome == "shift") == (reading.unit is not None)
    assert reading.outcome in {"shift", "no_shift", "outside", "unreadable", "refused"}
    assert reading.reason


@pytest.mark.parametrize("filler", [":", " ", "*: ", "answer: ", "is "])
def test_reading_takes_linear_time(filler: str) -> None:
    started = time.perf_counter()
    read_answer("Answer" + filler * 100_000, range(1, 9))
    assert time.perf_counter() - started < 20  # quadratic reading takes many minutes
