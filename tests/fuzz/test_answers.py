"""Any result of a model or judge is read as a choice, as none, or as a failure."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lumber_core import LumberChunker
from lumber_core.llms.model import Completion
from lumber_core.lumber.answer_parser import read_answer, read_list
from lumber_core.lumber.judges import ModelJudge, as_verdict
from lumber_core.segmentation import FAILURES, OUTCOMES, Verdict
from tests.core.core_support import group
from tests.core.lumber.support import ScriptedModel
from tests.fuzz.texts import texts
from tests.profiles import examples
from tests.tiling import check_tiling

WORDS = [
    *("Answer", "answer", "ANSWER:", "Answer: ID ", "ID", "id", "Id-", "paragraph ", "number "),
    *("No. ", "none", "null", "nowhere", "is", "the ", ":", "\uff1a", "=", "-", "\u2014", "*", "_"),
    *("`", '"', "{", "}", "[", "]", '{"answer": ', '"id": ', '"unit": null}', "```json\n", "\n```"),
    *(", ", "\n", "<think>", "</think>", "<reasoning>", "</REASONING>", "I'm sorry", "I cannot"),
    *("n", "xx", "0", "1", "2", "3", "12", "1,000", "-1", "3.5", "\u0663", "\u00b2", "9" * 30),
    *("ID n", " "),
]
answers = st.lists(
    st.sampled_from(WORDS) | st.integers(-5, 200).map(str) | st.text(max_size=6), max_size=30
).map("".join)


@given(answers, st.integers(0, 10**6), st.integers(0, 60))
@examples(80)
def test_any_answer_is_read_as_a_choice_or_as_none(answer: str, first: int, size: int) -> None:
    choices = range(first, first + size)
    reading, several = read_answer(answer, choices), read_list(answer, choices)
    assert len(reading.starts) <= 1
    for parsed in (reading, several):
        assert parsed.outcome in OUTCOMES - {"single", "unavailable"}
        assert bool(parsed.starts) == (parsed.outcome == "shift")
        assert set(parsed.starts) <= set(choices)
        assert parsed.reason


@given(texts, st.lists(answers, max_size=4), st.sampled_from(["paper", "published", "window"]))
@examples(60)
def test_any_texts_and_answers_keep_the_text_the_order_and_the_end(text, replies, method) -> None:
    model = ScriptedModel(*replies * 99)
    make = LumberChunker.as_published if method == "published" else LumberChunker
    options: dict[str, Any] = {"method": "window"} if method == "window" else {}
    segmentation = make(ModelJudge(model), theta=40, chunk_size=50, **options).segment(text)
    check_tiling(segmentation.spans, len(text))
    assert len(model.history) <= 2 * max(1, len(segmentation.verdicts))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | answers | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=4,
)


@given(
    st.lists(texts.filter(bool), min_size=2, max_size=4),
    st.builds(
        Completion,
        text=answers | anything,
        prompt_tokens=st.integers(0, 9) | anything,
        completion_tokens=st.integers(0, 9) | anything,
        finish_reason=st.sampled_from(["stop", "length", "content_filter", None]) | anything,
    ),
)
@examples(50)
def test_any_completion_lets_a_run_finish(units: list[str], completion: Any) -> None:
    offered = group(units, start=7)
    verdict = ModelJudge(ScriptedModel(*[completion] * 9)).judge(offered)
    assert as_verdict(offered, verdict) == verdict
    assert (verdict.unit is None) or verdict.unit in offered.choices
    json.dumps([verdict.reason, verdict.answer]).encode()


verdicts = st.builds(
    Verdict,
    start=anything,
    stop=anything,
    unit=st.integers(0, 9) | anything,
    outcome=st.sampled_from(sorted(OUTCOMES)) | anything,
    reason=answers | anything,
    answer=answers | anything,
    usage=anything,
)


@given(anything | st.integers(0, 9) | verdicts)
@examples(50)
def test_any_result_of_a_judge_becomes_a_valid_verdict(returned: Any) -> None:
    offered = group(["a", "b", "c"], start=2)
    verdict = as_verdict(offered, returned)
    assert (verdict.start, verdict.stop) == (offered.start, offered.stop)
    assert verdict.unit is None or verdict.unit in offered.choices
    assert verdict.unit is None or verdict.outcome not in FAILURES
    assert as_verdict(offered, verdict) == verdict
    assert json.dumps([verdict.reason, verdict.answer])
