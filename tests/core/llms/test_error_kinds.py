"""Every way in which a server can fail, with the real packages, and the effect on one question.

One table for all of them: a passing fault is asked again, a refusal is a verdict, wrong settings
raise at once. `test_dialects` is about what servers reject, `test_stalled_servers` about time.
"""

import asyncio
import json
from typing import Any

import pytest

from lumber_core.errors import ModelSettingsError
from lumber_core.llms import CallPolicy
from lumber_core.llms.error_kinds import retry_after, trouble_of
from lumber_core.lumber import ModelJudge
from lumber_core.segmentation import Verdict
from tests.core.llms.conftest import BARE, model_at, three, unit_of
from tests.loopback.faults import Drop, Filtered, Malformed, Refusal, Slow, Status, rate_limited

POLICY = CallPolicy(attempts=3, initial_backoff=0.001, max_backoff=0.01, repeats=0)


def openai_reply(**changes: Any) -> str:
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
    choice["message"] = {"role": "assistant", "content": "Answer: ID 7"}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    reply: dict[str, Any] = {"id": "x", "object": "chat.completion", "choices": [choice]}
    choice |= {name: changes[name] for name in ("finish_reason", "message") if name in changes}
    if choice["message"] is ...:
        del choice["message"]
    if "content" in changes:
        choice["message"]["content"] = changes["content"]
    reply["usage"] = usage
    return json.dumps(reply | {key: changes[key] for key in ("choices", "usage") if key in changes})


ANY = ("openai", "gemini", "legacy")
OPENAI, GEMINI = ("openai",), ("gemini",)
PASSING: dict[str, tuple[Any, tuple[str, ...]]] = {
    "rate limit": (rate_limited(0.01), ANY),
    "server error": (Status(500), ANY),
    "overloaded": (Status(503), ANY),
    "dropped": (Drop("before"), ANY),
    "cut short": (Drop("body"), ANY),
    "half JSON": (Malformed('{"choices": [{"mess'), ANY),
    "no JSON": (Malformed("<html>busy</html>"), ANY),
    "empty object": (Malformed("{}"), ANY),
    "list": (Malformed("[]"), ANY),
    "null": (Malformed("null"), ANY),
    "number": (Malformed("5"), OPENAI),
    "deep": (Malformed("[" * 100_000), OPENAI),
    "bytes": (Malformed(openai_reply().encode().replace(b"Answer", b"\xff\xfe")), OPENAI),
    "error inside": (Malformed('{"error": {"message": "upstream is busy"}}'), OPENAI),
    "no message": (Malformed(openai_reply(message=...)), OPENAI),
    "null message": (Malformed(openai_reply(message=None)), OPENAI),
    "null choice": (Malformed(openai_reply(choices=[None])), OPENAI),
    "choices no list": (Malformed(openai_reply(choices={"0": 1})), OPENAI),
    "content no text": (Malformed(openai_reply(content=5)), OPENAI),
}
REFUSED: dict[str, tuple[Any, tuple[str, ...]]] = {
    "refusal": (Refusal("I can't."), ANY),
    "prompt filter": (Filtered("prompt"), ANY),
    "answer filter": (Filtered("answer"), ANY),
    "filter as error": (Status(400, "blocked by policy", reason="content_filter"), OPENAI),
    "other": (Malformed('{"promptFeedback": {"blockReason": "OTHER"}}'), GEMINI),
    "recitation": (Malformed('{"candidates": [{"finishReason": "RECITATION"}]}'), GEMINI),
    "personal data": (Malformed('{"candidates": [{"finishReason": "SPII"}]}'), GEMINI),
}
SETTINGS = {"key": 401, "forbidden": 403, "unknown model": 404, "bad request": 400}


def rows(table: dict[str, tuple[Any, tuple[str, ...]]]) -> list[Any]:
    return [
        pytest.param(api, fault, id=f"{api} {name}", marks=[pytest.mark.legacy] * (api == "legacy"))
        for name, (fault, apis) in table.items()
        for api in apis
    ]


def judge_with(model: Any, way: str, policy: CallPolicy = POLICY) -> Verdict:
    judge = model if isinstance(model, ModelJudge) else ModelJudge(model, policy=policy)
    return judge.judge(three()) if way == "sync" else asyncio.run(judge.ajudge(three()))


both_ways = pytest.mark.parametrize("way", ["sync", "async"])


@both_ways
@pytest.mark.parametrize(("api", "fault"), rows(PASSING))
def test_a_passing_fault_is_retried_and_a_lasting_one_becomes_a_verdict(serve, api, fault, way):
    faults = [fault]
    server = serve("Answer: ID 7", faults=lambda _: faults.pop() if faults else None)
    model = model_at(server, api, **BARE, **({} if api == "legacy" else {"structured": False}))
    judge = ModelJudge(model, policy=POLICY)
    verdict = judge_with(judge, way)
    assert (verdict.outcome, verdict.unit, verdict.usage.calls) == ("shift", 7, 1)
    faults[:] = [fault] * 3
    verdict = judge_with(judge, way)
    assert (verdict.outcome, verdict.unit) == ("unavailable", None)
    assert f"no answer in 3 attempts from {server.url}" in verdict.reason
    assert server.count == 2 + 3


@both_ways
@pytest.mark.parametrize(("api", "fault"), rows(REFUSED))
def test_a_refusal_becomes_a_verdict_after_one_request(serve: Any, api: str, fault: Any, way: str):
    server = serve("Answer: ID 7", faults={1: fault})
    verdict = judge_with(model_at(server, api), way)
    assert (verdict.outcome, verdict.unit) == ("refused", None)
    assert verdict.reason
    assert server.count == 1


@both_ways
@pytest.mark.parametrize("code", SETTINGS.values(), ids=SETTINGS)
def test_wrong_settings_raise_and_are_not_retried(serve: Any, api: str, code: int, way: str):
    server = serve(faults=lambda _: Status(code))
    model = model_at(server, api)
    with pytest.raises(ModelSettingsError, match=str(code)):
        judge_with(model, way)
    once = server.count
    with pytest.raises(ModelSettingsError):
        judge_with(model, way, CallPolicy(attempts=9))
    assert server.count == 2 * once


def caught(ask: Any, model: Any) -> Exception:
    with pytest.raises(Exception) as info:  # noqa: PT011 - each package has its own error
        ask(model)
    return info.value


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_read_from_the_error(api: str, serve: Any, ask: Any, as_date: bool) -> None:
    error = caught(ask, model_at(serve(faults={1: rate_limited(700, as_date=as_date)}), api))
    assert retry_after(error) == pytest.approx(700, abs=90)


def test_servers_that_are_slow_or_away_are_transient_errors(api: str, serve: Any, ask: Any) -> None:
    server = serve(faults={1: Slow(60)})
    assert trouble_of(caught(ask, model_at(server, api, timeout=0.5))) == "transient"
    assert server.count == 1
    model = model_at(server, api)
    server.stop()
    assert trouble_of(caught(ask, model)) == "transient"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([], ""),
        ([{"type": "thinking", "thinking": "ID 6?"}, None], "<think>ID 6?</think>"),
        ([{"type": "text", "text": "Answer: "}, {"type": "text", "text": "ID 7"}], "Answer: ID 7"),
        ([{"type": "thinking", "thinking": "ID 6?"}, "Answer: ", "ID 7"], "Answer: ID 7"),
    ],
)
def test_the_text_parts_of_a_content_list_are_joined(serve: Any, ask: Any, content: Any, text: str):
    reply = Malformed(openai_reply(content=content))
    completion = ask(model_at(serve(faults={1: reply}), "openai"))
    assert completion.text == text
    assert (completion.prompt_tokens, completion.completion_tokens) == (12, 3)


@pytest.mark.parametrize(
    "changes",
    [
        *({"finish_reason": 5}, {"finish_reason": None}, {"usage": None}),
        {"usage": {"prompt_tokens": "12", "completion_tokens": None}},
        {"usage": {"prompt_tokens": -1, "completion_tokens": {}}},
    ],
)
def test_an_answer_with_malformed_metadata_is_not_paid_for_twice(serve, ask, changes) -> None:
    server = serve(faults={1: Malformed(openai_reply(**changes))})
    completion = ask(model_at(server, "openai"))
    assert completion.text == "Answer: ID 7"
    assert isinstance(completion.finish_reason, str)
    assert (completion.prompt_tokens, completion.completion_tokens) in ((12, 3), (0, 0))
    assert server.count == 1


def test_geminis_thoughts_are_counted_but_not_read(serve: Any, ask: Any) -> None:
    parts = '[{"text": "Maybe ID 6?", "thought": true}, {"text": "Answer: ID 7"}]'
    usage = '{"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 20}'
    candidate = f'{{"content": {{"parts": {parts}}}, "finishReason": "STOP"}}'
    body = f'{{"candidates": [{candidate}], "usageMetadata": {usage}}}'
    completion = ask(model_at(serve(faults={1: Malformed(body)}), "gemini"))
    assert unit_of(completion.text) == 7
    assert (completion.prompt_tokens, completion.completion_tokens) == (9, 23)
