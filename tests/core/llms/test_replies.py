"""Replies that are refusals, malformed or missing, over HTTP, with the real packages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lumber_core.errors import BadReplyError
from lumber_core.llms.retry import CallPolicy, RetryingModel
from lumber_core.lumber import ModelJudge
from tests.core.llms.conftest import BARE, model_at, need, three, unit_of
from tests.loopback.faults import (
    Drop,
    Filtered,
    Malformed,
    Refusal,
    Slow,
    Status,
)

# Refusals and filters.


def test_a_refusal_is_a_completion_that_says_so(api, serve, ask):
    completion = ask(model_at(serve(faults={1: Refusal("I can't.")}), api))
    expected = ("I can't.", "refusal") if api == "openai" else ("", "SAFETY")
    assert (completion.text, completion.finish_reason) == expected


@pytest.mark.parametrize("what", ["prompt", "answer"])
def test_a_filter_is_a_completion_that_says_so(api, serve, ask, what):
    completion = ask(model_at(serve(faults={1: Filtered(what)}), api))
    gemini = {"prompt": "blocked: PROHIBITED_CONTENT", "answer": "SAFETY"}[what]
    assert completion.text == ""
    assert completion.finish_reason == ("content_filter" if api == "openai" else gemini)
    assert completion.prompt_tokens > 0


def test_a_filter_that_answers_with_an_error_is_a_completion_too(serve, ask):
    need("openai")
    server = serve(faults={1: Status(400, "blocked by policy", reason="content_filter")})
    completion = ask(model_at(server, "openai"))
    assert (completion.text, completion.finish_reason) == ("", "content_filter")
    assert server.count == 1


@pytest.mark.parametrize(
    "body",
    [
        '{"promptFeedback": {"blockReason": "OTHER"}}',
        '{"candidates": [{"index": 0, "finishReason": "RECITATION"}]}',
        '{"candidates": [{"index": 0, "finishReason": "SPII"}]}',
    ],
)
def test_geminis_other_reasons_are_refusals_too(serve, body):
    need("gemini")
    server = serve(faults=lambda request: Malformed(body))
    assert ModelJudge(model_at(server, "gemini")).judge(three()).outcome == "refused"
    assert server.count == 1


def test_geminis_thoughts_are_counted_but_not_read(serve, ask):
    need("gemini")
    parts = '[{"text": "Maybe ID 6?", "thought": true}, {"text": "Answer: ID 7"}]'
    usage = '{"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 20}'
    candidate = f'{{"content": {{"parts": {parts}}}, "finishReason": "STOP"}}'
    body = f'{{"candidates": [{candidate}], "usageMetadata": {usage}}}'
    completion = ask(model_at(serve(faults={1: Malformed(body)}), "gemini"))
    assert completion.text == "Answer: ID 7"
    assert (completion.prompt_tokens, completion.completion_tokens) == (9, 23)


# What goes wrong on the way.


def test_a_server_that_is_too_slow_times_out(api, serve, ask):
    server = serve(faults={1: Slow(3)})
    model = model_at(server, api, timeout=0.3)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        ask(model)
    chain = (caught.value, caught.value.__cause__, caught.value.__context__)
    assert any("time" in f"{type(error).__name__} {error}".casefold() for error in chain)
    assert server.count == 1


@pytest.mark.parametrize("where", ["before", "body"])
def test_a_dropped_connection_is_an_error_and_the_next_call_works(api, serve, ask, where):
    server = serve("Answer: ID 7", faults={1: Drop(where)})
    model = model_at(server, api)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        ask(model)
    assert not isinstance(caught.value, AttributeError | TypeError | KeyError)
    assert server.count == 1
    assert unit_of(ask(model).text) == 7


@pytest.mark.parametrize("body", ['{"choices": [{"mess', "<html>busy</html>", "{}", "[]", "null"])
def test_a_reply_that_is_no_completion_is_called_so(api, serve, ask, body):
    server = serve(faults={1: Malformed(body)})
    with pytest.raises(BadReplyError, match="a-model: the reply"):
        ask(model_at(server, api, **BARE), answers=None)
    assert server.count == 1


def openai_reply(**changes: Any) -> str:
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
    choice["message"] = {"role": "assistant", "content": "Answer: ID 7"}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    reply: dict[str, object] = {
        "id": "x",
        "object": "chat.completion",
        "choices": [choice],
        "usage": usage,
    }
    choice.update({name: value for name, value in changes.items() if name in ("finish_reason",)})
    if "message" in changes:
        choice["message"] = changes["message"]
        if changes["message"] is ...:
            del choice["message"]
    if "content" in changes:
        choice["message"]["content"] = changes["content"]
    reply.update({name: changes[name] for name in ("choices", "usage") if name in changes})
    return json.dumps(reply)


@pytest.mark.parametrize(
    "body",
    [
        openai_reply(message=None),
        openai_reply(message=...),
        openai_reply(choices=[None]),
        openai_reply(choices={"0": 1}),
        openai_reply(content=5),
        openai_reply().encode().replace(b"Answer", b"\xff\xfe"),
        "[" * 100_000,
        "5",
    ],
)
def test_a_malformed_reply_is_retried_and_ends_no_run(serve, ask, body):
    need("openai")
    server = serve("Answer: ID 7", faults={1: Malformed(body), 2: Malformed(body)})
    with pytest.raises(BadReplyError, match="a-model: the reply"):
        ask(model_at(server, "openai", **BARE), answers=None)
    patient = RetryingModel(model_at(server, "openai", **BARE), CallPolicy(initial_backoff=0.001))
    assert unit_of(ask(patient, answers=None).text) == 7
    assert server.count == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([], ""),
        ([{"type": "thinking", "thinking": "ID 6?"}, None], ""),
        ([{"type": "text", "text": "Answer: "}, {"type": "text", "text": "ID 7"}], "Answer: ID 7"),
        (
            [{"type": "thinking", "thinking": "ID 6?"}, {"type": "text", "text": "Answer: ID 7"}],
            "Answer: ID 7",
        ),
        (["Answer: ", "ID 7"], "Answer: ID 7"),
    ],
)
def test_the_text_parts_of_a_content_list_are_joined(serve, ask, content, text):
    need("openai")
    server = serve(faults={1: Malformed(openai_reply(content=content))})
    completion = ask(model_at(server, "openai"))
    assert completion.text == text
    assert (completion.prompt_tokens, completion.completion_tokens) == (12, 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"finish_reason": 5},
        {"finish_reason": None},
        {"usage": None},
        {"usage": {"prompt_tokens": "12", "completion_tokens": None}},
        {"usage": {"prompt_tokens": -1, "completion_tokens": {}}},
    ],
)
def test_an_answer_with_malformed_metadata_is_not_paid_for_twice(serve, ask, changes):
    need("openai")
    server = serve(faults={1: Malformed(openai_reply(**changes))})
    completion = ask(model_at(server, "openai"))
    assert completion.text == "Answer: ID 7"
    assert isinstance(completion.finish_reason, str)
    assert (completion.prompt_tokens, completion.completion_tokens) in ((12, 3), (0, 0))


def test_an_error_inside_a_good_reply_is_shown(serve, ask):
    need("openai")
    server = serve(faults={1: Malformed('{"error": {"message": "upstream is busy"}}')})
    with pytest.raises(BadReplyError, match="upstream is busy"):
        ask(model_at(server, "openai", **BARE), answers=None)
