import asyncio
import functools
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lumber_core import (
    BertJudge,
    CallPolicy,
    Group,
    Judge,
    LumberChunker,
    ModelJudge,
    PromptTemplate,
    Usage,
    Verdict,
)
from lumber_core.llms import Completion
from lumber_core.lumber.fallback import GuardedJudge, choose_judge
from lumber_core.lumber.judges import as_judge
from tests.core.core_support import group
from tests.core.lumber.support import ScriptedModel, judge_by_hash, story, warnings


def guard(judge: Any) -> GuardedJudge:
    return GuardedJudge(as_judge(judge), "keep_group")


FOUR = group(["One. ", "Two. ", "Three. ", "Four. "], start=5)


def third(offered: Group) -> int:
    return offered.start + 2


async def third_later(offered: Group) -> int:
    await asyncio.sleep(0)
    return offered.start + 2


class Third:
    def __call__(self, offered: Group) -> int:
        return offered.start + 2


class ThirdLater:
    async def __call__(self, offered: Group) -> int:
        return await third_later(offered)


class HasJudge:
    def judge(self, offered: Group) -> int:
        return offered.start + 2


class HasJudgeLater:
    async def judge(self, offered: Group) -> int:
        return await third_later(offered)


class Own(Judge):
    def judge(self, offered: Group) -> Verdict:
        return Verdict(offered.start, offered.stop, offered.start + 2, "shift", usage=Usage(1))


SYNC = [third, Third(), HasJudge(), Own(), functools.partial(third), lambda group: 7]
ASYNC = [third_later, ThirdLater(), HasJudgeLater(), functools.partial(third_later)]


@pytest.mark.parametrize("users_judge", SYNC + ASYNC)
def test_judges_of_every_shape_are_called_and_awaited(users_judge):
    expected = Verdict(5, 9, 7, "shift", usage=Usage(calls=1))
    assert asyncio.run(guard(users_judge).ajudge(FOUR)) == expected
    if users_judge in SYNC:
        assert guard(users_judge).judge(FOUR) == expected
    else:
        with pytest.raises(TypeError, match="asynchronous method"):
            guard(users_judge).judge(FOUR)


@pytest.mark.parametrize("users_judge", [None, 3, "judge", object(), Own, HasJudge])
def test_an_object_that_cannot_judge_is_refused(users_judge):
    with pytest.raises(TypeError, match="a judge must be"):
        as_judge(users_judge)


def test_the_judge_sees_unit_numbers_of_the_document_and_the_texts():
    seen: list[Group] = []
    as_judge(seen.append).judge(FOUR)
    (offered,) = seen
    assert (offered.start, offered.stop, len(offered)) == (5, 9, 4)
    assert offered.texts == ("One. ", "Two. ", "Three. ", "Four. ")
    assert list(offered.choices) == [6, 7, 8]


@pytest.mark.parametrize(
    ("returned", "unit", "outcome", "reason"),
    [
        *((6, 6, "shift", ""), (8, 8, "shift", ""), (np.int64(7), 7, "shift", "")),
        *((np.uint8(7), 7, "shift", ""), (None, None, "no_shift", ""), (5, None, "outside", "5")),
        *((9, None, "outside", "9"), (-1, None, "outside", "-1")),
        *((10**30, None, "outside", "1000"), ("7", None, "unreadable", "str")),
        *((7.0, None, "unreadable", "float"), ([7], None, "unreadable", "list")),
        (True, None, "unreadable", "bool"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_results_of_a_judge_become_verdicts(returned, unit, outcome, reason):
    verdict = guard(lambda offered: returned).judge(FOUR)
    assert (verdict.start, verdict.stop) == (5, 9)
    assert (verdict.unit, verdict.outcome, verdict.usage) == (unit, outcome, Usage(calls=1))
    assert reason in verdict.reason
    assert verdict.unit is None or type(verdict.unit) is int


WRONG: list[Verdict] = [
    Verdict(5, 9, 1.0, "shift"),  # type: ignore[arg-type]
    Verdict(5, 9, "1", "shift"),  # type: ignore[arg-type]
    Verdict(5, 9, 10**30, "shift"),
    Verdict(5, 9, 1, "perhaps"),  # type: ignore[arg-type]
    Verdict(5, 9, 1, ["shift"]),  # type: ignore[arg-type]
    Verdict(5, 9, 1, "shift", reason=3),  # type: ignore[arg-type]
    Verdict(5, 9, 1, "shift", answer=3),  # type: ignore[arg-type]
    Verdict(5, 9, 1, "shift", usage=3),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("returned", WRONG, ids=lambda w: f"{type(w.unit).__name__} {w.outcome}")
def test_a_wrong_verdict_of_a_custom_judge_does_not_end_the_run(tmp_path, returned):
    class Wrong(Judge):
        def judge(self, offered: Group) -> Verdict:
            return replace(returned, start=offered.start, stop=offered.stop)

    text = "One.\n\nTwo.\n\nThree."
    for store in (None, tmp_path / "answers.db", tmp_path / "answers.db"):
        chunker = LumberChunker(Wrong(), store=store, on_failure="keep_group")
        (verdict,) = chunker.segment(text).verdicts
        outcome = "outside" if returned.unit == 10**30 else "unreadable"
        assert (verdict.unit, verdict.outcome) == (None, outcome)
        assert verdict.reason.startswith(("the judge returned ", "the judge named "))


def test_numbers_of_any_library_in_a_verdict_are_stored(tmp_path):
    class Numpy:
        identity = "numpy"

        def judge(self, offered: Group) -> Verdict:
            return Verdict(offered.start, offered.stop, np.int64(1), "shift")  # type: ignore[arg-type]

    chunker = LumberChunker(Numpy(), store=tmp_path / "answers.db")
    assert chunker.segment("One.\n\nTwo.") == chunker.segment("One.\n\nTwo.")


def test_a_model_is_asked_with_the_prompt_and_its_answer_becomes_a_verdict():
    model = ScriptedModel(Completion("Answer: ID 7", 120, 4, "stop"))
    verdict = ModelJudge(model).judge(FOUR)
    usage = Usage(1, 120, 4)
    assert verdict == Verdict(5, 9, 7, "shift", verdict.reason, "Answer: ID 7", usage)
    assert verdict.reason
    assert model.history == [PromptTemplate().render(FOUR)]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        *(("Answer: none", "no_shift"), ("Answer: ID 5", "outside")),
        *(("It is a story.", "unreadable"), ("I'm sorry, I can't read this.", "refused")),
    ],
)
def test_a_verdict_without_a_unit_has_the_outcome_the_reason_and_the_answer(text, outcome):
    repeats = 1 if outcome == "refused" else 0  # a refusal is not asked about again
    verdict = ModelJudge(ScriptedModel(text), policy=CallPolicy(repeats=repeats)).judge(FOUR)
    assert (verdict.unit, verdict.outcome, verdict.answer) == (None, outcome, text)
    assert verdict.reason
    assert verdict.usage.calls == 1


@pytest.mark.parametrize("text", ["", "Answer: ID 7"])
@pytest.mark.parametrize(
    "finish", ["content_filter", "SAFETY", "FinishReason.SAFETY", "refusal", "PROHIBITED_CONTENT"]
)
def test_an_answer_that_the_provider_blocked_is_refused(finish, text):
    verdict = ModelJudge(ScriptedModel(Completion(text, 9, 0, finish))).judge(FOUR)
    assert (verdict.unit, verdict.outcome) == (None, "refused")
    assert finish in verdict.reason
    assert verdict.usage == Usage(1, 9, 0)


def test_a_model_may_name_only_the_choices_of_the_group():
    wider = group(["a", "b"], start=5, choices=range(5, 8))
    assert ModelJudge(ScriptedModel("Answer: ID 5")).judge(wider).unit == 5
    assert ModelJudge(ScriptedModel("Answer: ID 7")).judge(wider).unit == 7


@pytest.mark.parametrize(
    ("given", "message"),
    [
        *(((model,), "complete and acomplete") for model in (None, "gpt-4o", third)),
        ((ScriptedModel(), "Which? {paragraphs}"), r"PromptTemplate, not builtins\.str"),
    ],
)
def test_wrong_types_of_models_and_prompts_are_refused(given, message):
    with pytest.raises(TypeError, match=message):
        ModelJudge(*given)


def test_as_judge_wraps_a_model_and_defaults_to_the_bundled_judge():
    prompt = PromptTemplate(system="x")
    judge = choose_judge(ScriptedModel(), prompt, CallPolicy(repeats=0))
    assert isinstance(judge, ModelJudge)
    assert (judge.questions(FOUR)[0], judge.repeats) == ("x", 0)
    assert isinstance(choose_judge(None, None, None), BertJudge)
    assert guard(choose_judge(third, None, None)).judge(FOUR).unit == 7


@pytest.mark.parametrize("llm", [third, None])
def test_a_prompt_without_a_model_is_refused(llm):
    with pytest.raises(ValueError, match="prompt and policy need a language model"):
        choose_judge(llm, PromptTemplate(), None)
    with pytest.raises(ValueError, match="prompt and policy need a language model"):
        choose_judge(llm, None, CallPolicy())


@pytest.mark.parametrize("users_judge", [third, Third(), HasJudge(), third_later])
def test_judges_pickle_where_the_users_part_does(users_judge):
    copy = pickle.loads(pickle.dumps(as_judge(users_judge)))
    assert asyncio.run(guard(copy).ajudge(FOUR)).unit == 7


def test_an_unusable_answer_is_asked_about_again_more_strictly():
    model = ScriptedModel("It is a story.", "Answer: ID 99", "Answer: ID 7")
    verdict = ModelJudge(model, policy=CallPolicy(repeats=2)).judge(FOUR)
    assert (verdict.unit, verdict.outcome, verdict.usage.calls) == (7, "shift", 3)
    first, second, third_question = [user for _, user in model.history]
    assert second.startswith(first)
    assert "with n from 6 to 8" in second
    assert "names 99" in third_question


TEXT = story(300)


@pytest.mark.parametrize(
    ("judge", "position"),
    [
        (lambda group: group.choices[0], "the first unit offered"),
        (lambda group: group.choices[-1], "the last unit offered"),
        (lambda group: None, "no unit"),
        (judge_by_hash, None),
        (lambda group: -1, None),  # failures are reported in another warning
    ],
)
@pytest.mark.parametrize("published", [False, True])
def test_a_judge_that_always_names_the_same_position_is_reported(
    judge, position, published, caplog
):
    make = LumberChunker.as_published if published else LumberChunker
    make(judge, theta=120, on_failure="keep_group").segment(TEXT)
    reports = [warning for warning in warnings(caplog) if "larger model" in warning]
    assert len(reports) == (position is not None)
    assert all(f"named {position}, as small language models do" in warning for warning in reports)


@pytest.mark.parametrize(
    ("judge", "position"),
    [
        (lambda window: [*window.choices], "every unit"),
        (lambda window: [*window.choices][:2], "the first unit offered"),
        (lambda window: [*window.choices][1::3], None),
    ],
)
def test_fewer_windows_suffice_to_report_a_constant_position(
    judge: object, position: str | None, caplog
) -> None:
    chunker = LumberChunker(judge, theta=60, method="window")
    chunker.window_tokens = 1000
    assert 3 <= len(chunker.segment(TEXT).verdicts) < 10
    assert [f"named {position}," in warning for warning in warnings(caplog)] == [True] * bool(
        position
    )


def test_few_groups_and_a_judge_without_choices_are_not_reported(caplog) -> None:
    def first(group: Group) -> Verdict:
        return Verdict(group.start, group.stop, group.choices[0], "shift")

    LumberChunker(first, theta=60).segment(story(12))  # has too few groups
    LumberChunker(first, theta=60).segment(TEXT)  # groups have two or three units
    assert warnings(caplog) == []
