from typing import Any

import pytest

from lumber_core.lumber.answer_parser import read_answer, read_list
from lumber_core.segmentation import ParsedAnswer
from tests.growth import check_linear

CHOICES = range(3, 12)  # the units 3 to 11 may be named
WINDOW = range(1, 60)


def only_unit(parsed: ParsedAnswer) -> tuple[int | None, str]:
    """Return the unit that an answer about a group names, and the outcome."""
    assert len(parsed.starts) <= 1
    assert parsed.reason
    return min(parsed.starts, default=None), parsed.outcome


@pytest.mark.parametrize(
    "answer",
    [
        # Spellings.
        *("Answer: ID 7", "answer: id 7", "ANSWER:ID 7.", "Answer: 7", "Answer:\n\nID 7"),
        *("Answer - ID 7", "Answer\uff1a ID 7", "Answer: ID7", "Answer: ID: 7", "Answer: ID #7"),
        *("Answer: paragraph 7", "Answer: the paragraph ID 7", "Answer: No. 7", "Answer: ID 007"),
        *("The answer is 7.", "The answer is ID 7, where the storm begins."),
        *("Answer: ID \uff17", "Answer: \uff29\uff24 7", "ID \u0667", "\uff17"),
        *("Die Antwort lautet: ID 7.", "Odpov\u011b\u010f: ID 7"),
        *("\u0e04\u0e33\u0e15\u0e2d\u0e1a: ID 7", "id=7", "ID-7", "answer(id=7)"),
        # Markup.
        *(
            "\\[\n\\boxed{\\mathrm{ID 7}}\n\\]",
            "\\boxed{7}",
            "**Answer:** ID 7",
            "**Answer: ID 7**",
            "Answer: **ID 7**",
        ),
        "__Answer__: *ID* **7**",
        *("`Answer: ID 7`", "```\nAnswer: ID 7\n```", "Answer: `ID 7`", "> Answer: ID 7"),
        *("- Answer: ID 7", "### Answer\nID 7", "Answer: [ID 7]", "Answer: <ID 7>"),
        *('Answer: "ID 7"', "Answer: $\\boxed{7}$", "<answer>ID 7</answer>", "| Answer | ID 7 |"),
        # JSON.
        *('{"answer": 7}', '{"answer": "ID 7"}', '{"ID": "7"}', '{"unit": [7]}', "{'answer': 7}"),
        '{"id": 7, "reason": "It moves from 1850 to 1910."}',
        '{"reason": "ID 5 goes on with ID 4", "id": 7}',
        '```json\n{\n  "answer": "ID 7"\n}\n```',
        *('Here it is: {"paragraph": 7}', '{"result": {"id": 7}}'),
        # Prose and bare numbers.
        *("The scene changes at ID 7, in Paris.", "7", " 7.\n", "[7]", "**7**"),
        "It rains in 1850 and not in 1910.\n7",
        *("At ID 7, the scene turns to Paris.", "The story moves on to the trial (paragraph 7)."),
        "He wrote \u201cID 4: go on\u201d there, yet Answer: ID 7",
        "Answer: ID n\nAnswer: ID 7",
        "I'm sorry, I was wrong. Answer: ID 7",
        "ID 7\n\n**Explanation:** IDs 3-6 are about boats.",
        # Reasoning.
        "<think>ID 4? Or Answer: ID 5?</think>\nAnswer: ID 7",
        *("<think>Answer: ID 4</think>7", '<think>ID 4</think>```json\n{"id": 7}\n```'),
        "<thinking>\nAnswer: ID 4\n</thinking>\n\nID 7",
        "<THINK>ID 4</THINK><reasoning>ID 5</reasoning>ID 7",
        # Templates that open the block in the prompt leave only its end in the answer.
        "Hmm, Answer: ID 4? Rather not.\n</think>\n\nID 7",
        # Speech quoted from the document is not read as doubt or refusal.
        'The content turns at ID 7, where Ann says "I am sorry, I cannot help you".',
        "ID 7 begins a new scene: \u201cI might go, perhaps,\u201d said Tom.",
        "The content turns at ID 7.\n\nID 7: I'm sorry to say that the boat sank.",
    ],
)
def test_an_answer_is_read_in_any_form(answer):
    assert only_unit(read_answer(answer, CHOICES)) == (7, "shift")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Answer: ID 4? No. Answer: ID 7", "the labelled answer names 7; it also names 4"),
        ("ID 4 goes on, ID 5 too, ID 7 turns", "the ID in prose names 7"),
        ("The scene changes between ID 6 and ID 7.", "the ID in prose names 7"),
        ('{"answer": 4}\n{"answer": 7}', "the labelled answer names 7; it also names 4"),
        ("Answer: ID 7 (not ID 99)", "the labelled answer names 7"),
        ("Answer: ID 7. ID 8 goes on with it.", "the labelled answer names 7"),
        ("ID 7, not ID 99", "the ID alone names 7"),
        ("Answer: ID 7\nAnswer: ID 99", "the labelled answer names 7; it also names 99"),
    ],
)
def test_the_last_usable_id_counts_and_the_reason_names_the_others(answer, reason):
    reading = read_answer(answer, CHOICES)
    assert only_unit(reading) == (7, "shift")
    assert reading.reason == reason


NO_UNIT: dict[tuple[str, str], list[str]] = {
    ("unreadable", "placeholder"): [
        *("Answer: ID XX", "Answer: ID X", "ID XX", "Answer: ID n", "Answer: ID {n}"),
        *("Answer: ID <number>", "Reply with one line:\nAnswer: ID n", "**Answer: ID n**"),
    ],
    ("outside", "3 to 11"): [
        *("Answer: ID 12", "Answer: ID 2", "ID 99", "99", "Answer: 0", "Answer: ID -7", "-7"),
        *("Answer: 1,234", "ID 1,007", '{"answer": 1007}', "ID 0"),
        *("Answer: ID 7,000,003", "Answer: ID \uff11\uff17"),
    ],
    ("no_shift", ""): [
        *("Answer: none", "none", "None.", "**None**", "Answer: ID none", "Answer: **none**"),
        *('{"answer": null}', '{"answer": "none"}', '{"id": null}', "The answer is none."),
        "Answer: There is no content shift.",
        *("Answer: None of them", "ID 4 and ID 5 belong together.\nAnswer: none"),
    ],
    ("unreadable", ""): [
        *("", "   \n", "<think>Answer: ID 7</think>", "<think>Answer: ID 7 or", "**", "..."),
        *("The text is about ships.", "It turns in the middle, about 4.5 pages in."),
        *("A4 and B7 are sizes of paper.", "between 4 and 7", "- ID 4\n- ID 7"),
        *("I doubt that ID 7 starts something new.", "Answer: There is no shift before ID 7."),
        *("Answer: ID 4 or ID 7", "Chapters 4, 5 and 7 differ."),
        "It is the one after ID 27:\nID 30: The boat that I will not give you.",
    ],
    ("refused", ""): [
        "I'm sorry, but I can't help with that.",
        "I\u2019m sorry, I cannot assist with this request.",
        *("I am unable to continue with this text.", "I won't read this."),
        *("This goes against my guidelines.", '"I can\'t help with that."'),
        'Sorry, I can\'t say whether "Ann left" is it.',
    ],
}


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"), [(one, *end) for end, each in NO_UNIT.items() for one in each]
)
def test_an_answer_without_a_unit_has_a_reason(answer: str, outcome: str, reason: str) -> None:
    reading = read_answer(answer, CHOICES)
    assert only_unit(reading) == (None, outcome)
    assert reason in reading.reason


@pytest.mark.parametrize(
    "answer",
    [
        *("ID " + "7" * 40, "Answer: ID " + "7" * 10_000, "7" * 10_000),
        *("Answer: 1" + ",000" * 3_000, '{"answer": ' + "7" * 10_000 + "}", '{"id": 1e999}'),
        *('{"answer": ' + "[" * 200_000 + "}", "{" * 5_000 + '"answer": 4', "answer " * 2_000),
        *("id " * 2_000, "Answer: " + "id " * 2_000, "<think>" * 1_000),
    ],
    ids=lambda answer: f"{answer[:20]}...",
)
def test_absurd_answers_name_no_unit(answer):
    reading = read_answer(answer, range(10, 12))
    assert only_unit(reading) in {(None, "outside"), (None, "unreadable")}


@pytest.mark.parametrize("read", [read_answer, read_list])
@pytest.mark.parametrize(
    "filler", [":", " ", "\n", "*: ", "answer: ", "is ", "3, ", "wait, ", ", no"]
)
def test_reading_takes_linear_time(filler: str, read: Any) -> None:
    check_linear(
        lambda answer: read(answer, range(1, 9)), lambda n: f"Answer: ID 3{filler * n}x", 5_000
    )


@pytest.mark.parametrize(
    ("answer", "starts"),
    [
        *(("Answer: ID 3, ID 7, ID 12", (3, 7, 12)), ("**Answer:** ID 3, **ID 7**", (3, 7))),
        *(("Answer: 3,7 ,12", (3, 7, 12)), ("Answer: ID 12, ID 3, ID 3", (3, 12))),
        *(("Answer: ID 3, 7 and 12.", (3, 7, 12)), ("Answer:\n- ID 3\n- ID 7", (3, 7))),
        ("- ID 3: from boats (ID 1-2) to war\n- **ID 7**: 1914 begins\n\nIs it fine?", (3, 7)),
        ('[{"start": 3, "topic": "2 boats"}, {"start": 7, "topic": "war"}]', (3, 7)),
        *(("Answer:\n1. ID 3\n2. ID 7", (3, 7)), ("Answer: ID 3, ID 7 (dawn)", (3, 7))),
        ("Answer: ID 3, ID 7. ID 3 opens a scene.", (3, 7)),
        ("First thought.\nAnswer: ID 5\nNo:\nAnswer: ID 3, ID 7", (3, 7)),
        ("<think>Answer: ID 9</think>\nAnswer: ID 3", (3,)),
        ("ID 9? ...</think> ID 3, ID 7", (3, 7)),
        ('{"answer": ["ID 3", "ID 7"]}', (3, 7)),
        ('```json\n{"answer": [\n "ID 3",\n "ID 7"\n]}\n```', (3, 7)),
        ('["ID 3", "ID 7"]', (3, 7)),
        ('{"starts": [3, 7]}', (3, 7)),
        ('{"answer": [3, 7], "confidence": [8, 9]}', (3, 7)),
        ("Answer: [3], [7]", (3, 7)),
        ('[{"id": 3}, {"id": 7}]', (3, 7)),
        ("The new parts start at ID 3, ID 7 and ID 12.", (3, 7, 12)),
        ("Starts:\n1. **ID 3** - dawn\n2. **ID 7** - dusk\n\nAll others continue.", (3, 7)),
        ("3\n7\n12", (3, 7, 12)),
        ("Answer: ID 3 + ID 7", (3, 7)),
        ("Answer: ID 3, ID 7\n\n**Reasoning:** ID 3 is dawn, and IDs 8-11 go on.", (3, 7)),
        ("Answer: 3 = dawn, 7 = dusk", (3, 7)),
        ("\u2460 ID 3\uff1adawn\n\u2461 ID 7\uff1adusk", (3, 7)),
    ],
)
def test_lists_are_read_in_any_form(answer: str, starts: tuple[int, ...]) -> None:
    parsed = read_list(answer, WINDOW)
    assert (parsed.starts, parsed.outcome) == (starts, "shift")
    assert list(parsed.starts) == sorted(parsed.starts)


NO_LIST: dict[str, list[str]] = {
    "no_shift": [
        *("Answer: There are no shifts.", "Answer: There is no clear content change."),
        *("Answer: none", "none", '{"answer": []}', '{"answer": null}', '["none"]', "[]"),
    ],
    "unreadable": [
        *("", "ID 3 goes on from ID 2, but ID 7 turns", "No part starts at ID 3."),
        "ID 0: Emma Woodhouse, handsome\nID 1: She was the youngest",  # repeats the question
        "Answer: ID 3 because ID 2 ends, ID 7",
        "Answer: ID 3 - ID 7",  # may be meant as a range
        *("Answer: 3-7", "Answer: ID 3 (2 men leave), ID 7", "Answer: ID n, ID n, ID n"),
        *("It is 1984.", '{"other": [3]}', "ID 3 \u2713, ID 7 \u2717"),
    ],
    "refused": ["I'm sorry, but I can't help with that.", "<think>Hm</think>I cannot assist."],
}


@pytest.mark.parametrize(("answer", "outcome"), [(one, e) for e in NO_LIST for one in NO_LIST[e]])
def test_refusals_and_other_answers_without_a_list_are_distinguished(
    answer: str, outcome: str
) -> None:
    parsed = read_list(answer, WINDOW)
    assert (parsed.starts, parsed.outcome) == ((), outcome)
    assert parsed.reason


def test_units_that_were_not_offered_are_left_out_and_reported() -> None:
    partly_offered = read_list("Answer: ID 0, ID 3, ID 7", WINDOW)
    assert (partly_offered.starts, partly_offered.outcome) == ((3, 7), "shift")
    assert partly_offered.reason.endswith("it also names 0")
    mostly_others = read_list("Answer: ID 97, ID 98, ID 7", WINDOW)
    assert (mostly_others.starts, mostly_others.outcome) == ((), "outside")
    assert "97, 98, which is not one of 1 to 59" in mostly_others.reason
