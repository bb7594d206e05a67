"""Models behind an API: the real packages, over HTTP, against a server on this machine."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lumber_core.errors import BadReplyError, MissingExtraError, ModelSettingsError
from lumber_core.llms import GeminiModel, LegacyGeminiModel, Model, OpenAIModel
from lumber_core.llms.retry import CallPolicy, RetryingModel
from lumber_core.lumber import Group, ModelJudge
from lumber_core.lumber.grouping import TextUnits
from lumber_core.lumber.protocol import read_answer
from lumber_core.spans import Span
from tests.core.llms.conftest import CHOICES, KEY, MODELS, SYSTEM, USER, model_at, need, status_of
from tests.loopback.faults import (
    Drop,
    Filtered,
    Malformed,
    Refusal,
    Says,
    Slow,
    Status,
    rejecting,
)

LOGGER = "lumber_core.llms"


def unit_of(text: str) -> int | None:
    return read_answer(text, CHOICES).unit


def three() -> Group:
    """Units 5 to 7 of a document."""
    starts = range(0, 32, 4)
    text = "".join(f"p{number}. " for number in range(len(starts)))
    return Group(TextUnits(text, [Span(start, start + 4) for start in starts]), 5, 8)


# What is asked and answered.


def test_the_answer_and_the_usage_come_back(api, serve, ask):
    server = serve("Answer: ID 7")
    completion = ask(model_at(server, api))
    assert unit_of(completion.text) == 7
    assert completion.finish_reason.casefold() == "stop"
    assert completion.prompt_tokens == len(f"{SYSTEM} {USER}".split())
    assert completion.completion_tokens in (2, 3)  # the server's words: in the schema's form or not
    assert server.count == 1


def test_the_system_text_comes_first_and_unchanged(api, serve, ask):
    server = serve()
    model = model_at(server, api)
    for user in (USER, USER + " Again."):
        ask(model, SYSTEM, user)
    assert [request.system for request in server.requests] == [SYSTEM, SYSTEM]
    assert [request.user for request in server.requests] == [USER, USER + " Again."]
    assert {request.model for request in server.requests} == {"a-model"}
    if api == "openai":
        roles = [message["role"] for message in server.requests[0].body["messages"]]
        assert roles == ["system", "user"]


@pytest.mark.parametrize(("temperature", "sent"), [(0.7, 0.7), (0, 0), (None, None)])
def test_the_temperature_is_sent_as_set(api, serve, ask, temperature, sent):
    server = serve()
    ask(model_at(server, api, temperature=temperature))
    assert server.requests[0].temperature == (sent if sent is None else pytest.approx(sent))


def test_the_temperature_is_that_of_the_paper_by_default(api, serve, ask):
    server = serve()
    ask(model_at(server, api))
    assert server.requests[0].temperature == pytest.approx(0.1)


def test_gemini_blocks_nothing_in_four_categories(serve, ask):
    need("gemini")
    server = serve()
    ask(model_at(server, "gemini"))
    settings = server.requests[0].body["safetySettings"]
    assert len(settings) == 4
    assert {setting["threshold"] for setting in settings} == {"BLOCK_NONE"}


def test_a_judge_reads_what_the_model_answers(api, serve):
    server = serve("Answer: ID 7")
    group = three()
    verdict = ModelJudge(model_at(server, api)).judge(group)
    assert (verdict.unit, verdict.outcome) == (7, "shift")
    assert "ID 7: p7." in server.requests[0].user


def test_models_follow_the_protocol(api, serve):
    assert isinstance(model_at(serve(), api), Model)


# Structured output.


def test_the_schema_allows_the_choices_and_none(schema_api, serve, ask):
    server = serve("Answer: ID 6")
    completion = ask(model_at(server, schema_api), choices=[6, 7, 12])
    assert server.requests[0].allowed == ["ID 6", "ID 7", "ID 12", "none"]
    assert unit_of(completion.text) == 6


def test_an_answer_of_none_in_the_schema_is_read(schema_api, serve, ask):
    completion = ask(model_at(serve("Answer: none"), schema_api))
    assert read_answer(completion.text, CHOICES).outcome == "no_shift"


@pytest.mark.parametrize(
    ("settings", "choices"),
    [({"structured": False}, CHOICES), ({}, ()), ({}, range(500))],
    ids=["switched off", "no choices", "more than a schema holds"],
)
def test_without_a_schema_the_answer_is_text(schema_api, serve, ask, settings, choices):
    server = serve("Answer: ID 7")
    completion = ask(model_at(server, schema_api, **settings), choices=choices)
    assert server.requests[0].allowed is None
    assert completion.text == "Answer: ID 7"


def test_the_schema_is_strict(serve, ask):
    need("openai")
    server = serve()
    ask(model_at(server, "openai"))
    form = server.requests[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["required"] == ["answer"]
    assert form["json_schema"]["schema"]["additionalProperties"] is False


# Parameters that a model does not take.


@pytest.mark.parametrize("rejected", ["temperature", "response_format"])
def test_a_rejected_parameter_is_left_out_from_then_on_and_logged_once(
    schema_api, serve, ask, caplog, rejected
):
    server = serve("Answer: ID 7", faults=rejecting(rejected))
    model = model_at(server, schema_api)
    with caplog.at_level(logging.WARNING, LOGGER):
        answers = [ask(model) for _ in range(3)]
    assert [unit_of(answer.text) for answer in answers] == [7, 7, 7]
    # The first question twice; OpenAI's servers may take a JSON object in place of a schema.
    times = 2 if (schema_api, rejected) == ("openai", "response_format") else 1
    assert server.count == 3 + times
    left_out = [request.parameter(rejected) is None for request in server.requests]
    assert left_out == [False] * times + [True] * 3
    kept = {"temperature", "response_format"} - {rejected}
    assert all(request.parameter(name) for name in kept for request in server.requests)
    (record,) = (record for record in caplog.records if record.name == LOGGER)
    assert "a-model" in record.getMessage()
    assert ("temperature" in record.getMessage()) == (rejected == "temperature")


def test_a_rejected_temperature_is_left_out_by_every_model(api, serve, ask):
    server = serve("Answer: ID 7", faults=rejecting("temperature"))
    model = model_at(server, api)
    assert [unit_of(ask(model).text) for _ in range(2)] == [7, 7]
    assert server.count == 3


def test_both_parameters_may_be_rejected(schema_api, serve, ask, caplog):
    server = serve("Answer: ID 7", faults=rejecting("temperature", "response_format"))
    model = model_at(server, schema_api)
    with caplog.at_level(logging.WARNING, LOGGER):
        assert [unit_of(ask(model).text) for _ in range(2)] == [7, 7]
    assert server.count == (5 if schema_api == "openai" else 4)
    assert len([record for record in caplog.records if record.name == LOGGER]) == 2


def test_threads_share_a_rejection_and_log_it_once(schema_api, serve, caplog):
    server = serve("Answer: ID 7", faults=rejecting("temperature"))
    model = model_at(server, schema_api)
    with caplog.at_level(logging.WARNING, LOGGER), ThreadPoolExecutor(8) as pool:
        completions = list(
            pool.map(lambda _: model.complete(SYSTEM, USER, choices=CHOICES), range(40))
        )
    assert {unit_of(completion.text) for completion in completions} == {7}
    assert 41 <= server.count <= 48  # at most the eight that were under way ask twice
    assert len([record for record in caplog.records if record.name == LOGGER]) == 1


def test_a_rejection_survives_pickling(schema_api, serve, ask):
    server = serve("Answer: ID 7", faults=rejecting("temperature"))
    model = model_at(server, schema_api)
    ask(model)
    ask(pickle.loads(pickle.dumps(model)))
    assert server.count == 3


def test_a_rejection_does_not_change_the_identity(schema_api, serve, ask):
    model = model_at(serve(faults=rejecting("temperature")), schema_api)
    before = model.identity
    ask(model)
    assert model.identity == before


@pytest.mark.parametrize(
    "fault",
    [
        Status(400, "The prompt is longer than the model's context.", parameter="messages"),
        Status(400, "Bad request"),
    ],
)
def test_another_bad_request_is_not_asked_again(api, serve, ask, fault):
    server = serve(faults=lambda request: fault)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each package's own error
        ask(model_at(server, api))
    assert status_of(caught.value) == 400
    assert server.count == 1


def test_a_parameter_that_was_not_sent_is_not_blamed(api, serve, ask):
    server = serve(faults=lambda request: Status(400, "temperature is wrong"))
    with pytest.raises(Exception) as caught:  # noqa: PT011
        ask(model_at(server, api, temperature=None))
    assert status_of(caught.value) == 400
    assert server.count == 1


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


@pytest.mark.parametrize("fault", [Refusal(), Filtered("prompt"), Filtered("answer")])
def test_a_judge_calls_both_refused(api, serve, fault):
    group = three()
    server = serve(faults=lambda request: fault)
    assert ModelJudge(model_at(server, api)).judge(group).outcome == "refused"
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


def test_wrong_ids_come_through_for_the_reader_to_judge(api, serve, ask):
    completion = ask(model_at(serve(faults={1: Says("Answer: ID 99")}), api))
    assert read_answer(completion.text, CHOICES).outcome == "outside"


# What goes wrong on the way.


@pytest.mark.parametrize("code", [401, 403, 404, 429, 500, 503])
def test_an_error_passes_through_with_its_status_and_is_not_retried(api, serve, ask, code):
    server = serve(faults=lambda request: Status(code))
    with pytest.raises(Exception) as caught:  # noqa: PT011
        ask(model_at(server, api))
    assert status_of(caught.value) == code
    assert type(caught.value).__module__.startswith(("openai", "google"))
    refreshed = api == "legacy" and code == 401  # google-auth tries to renew what it calls a token
    assert server.count == (3 if refreshed else 1)


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
        ask(model_at(server, api))
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
        openai_reply(message="Answer: ID 7"),
        openai_reply(message=[1]),
        openai_reply(choices=[None]),
        openai_reply(choices=["Answer: ID 7"]),
        openai_reply(choices=5),
        openai_reply(choices={"0": 1}),
        openai_reply(content=5),
        openai_reply(content={"text": "Answer: ID 7"}),
        openai_reply(content=[5]),
        openai_reply(content=[{"type": "text"}, None]),
        openai_reply().encode().replace(b"Answer", b"\xff\xfe"),
        "[" * 100_000,
        "5",
        '"Answer: ID 7"',
    ],
)
def test_a_malformed_reply_is_retried_and_ends_no_run(serve, ask, body):
    need("openai")
    server = serve("Answer: ID 7", faults={1: Malformed(body), 2: Malformed(body)})
    with pytest.raises(BadReplyError, match="a-model: the reply"):
        ask(model_at(server, "openai"))
    fast = CallPolicy(initial_backoff=0.001)
    assert unit_of(ask(RetryingModel(model_at(server, "openai"), fast)).text) == 7
    assert server.count == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([], ""),
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
        {"usage": "many"},
        {"usage": []},
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
        ask(model_at(server, "openai"))


# Many at once, and again.


def test_one_model_serves_several_event_loops(api, serve):
    server = serve("Answer: ID 7", delay=0.03)
    model = model_at(server, api)

    async def several() -> set[int | None]:
        asked = (model.acomplete(SYSTEM, USER, choices=CHOICES) for _ in range(8))
        return {unit_of(completion.text) for completion in await asyncio.gather(*asked)}

    for _ in range(3):
        assert asyncio.run(several()) == {7}
    assert server.count == 24
    assert server.most_at_once > 1


def test_async_clients_are_closed_with_their_loop(schema_api, serve):
    server = serve()
    model: Any = model_at(server, schema_api)
    clients = []

    async def one() -> None:
        await model.acomplete(SYSTEM, USER)
        clients.append(await model._async_clients.get())

    asyncio.run(one())
    asyncio.run(one())
    first, second = clients
    assert first is not second
    assert not model._async_clients._clients
    if schema_api == "openai":
        assert first.is_closed()


def test_async_calls_do_not_block_the_loop(api, serve):
    server = serve(faults={1: Slow(0.3)})
    model = model_at(server, api)

    async def ticks() -> int:
        asked = asyncio.create_task(model.acomplete(SYSTEM, USER))
        count = 0
        while not asked.done():
            count += 1
            await asyncio.sleep(0.01)
        return count

    assert asyncio.run(ticks()) > 3  # a call that blocks the loop leaves one or two


# Settings.


def test_the_base_url_decides_where_a_question_goes(api, serve, ask):
    one, other = serve("Answer: ID 6"), serve("Answer: ID 7")
    assert unit_of(ask(model_at(one, api)).text) == 6
    assert unit_of(ask(model_at(other, api)).text) == 7
    assert (one.count, other.count) == (1, 1)


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"])
def test_a_key_of_the_environment_is_not_sent_to_a_named_server(
    api, serve, ask, monkeypatch, variable
):
    monkeypatch.setenv(variable, KEY)
    server = serve("Answer: ID 7")
    assert unit_of(ask(model_at(server, api, api_key=None)).text) == 7
    assert KEY not in str(server.requests[0].headers)


def test_headers_of_the_environment_are_not_sent_to_a_named_server(serve, ask, monkeypatch):
    need("openai")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-planted")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-planted")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Key: gateway-planted\nX-Other: planted")
    server = serve("Answer: ID 7")
    assert unit_of(ask(model_at(server, "openai")).text) == 7
    assert "planted" not in str(server.requests[0].headers)
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
    ask(OpenAIModel("a-model", api_key=KEY))
    assert str(server.requests[1].headers).count("planted") == 4


def test_a_missing_key_says_what_to_do(schema_api, ask, monkeypatch):
    for variable in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    variable = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}[schema_api]
    for model in (MODELS[schema_api]("a-model"), RetryingModel(MODELS[schema_api]("a-model"))):
        with pytest.raises(ModelSettingsError, match=f"{variable}.*api_key="):
            ask(model)


def test_a_key_that_a_server_echoes_is_removed(api, serve, ask, caplog):
    key = "planted4711"  # written as nothing that looks like a key
    server = serve(faults=lambda request: Status(400, f"got headers {request.headers} and {key}"))
    with caplog.at_level(logging.DEBUG, "lumber_core"), pytest.raises(Exception) as caught:  # noqa: PT011
        ask(model_at(server, api, api_key=key))
    assert key not in f"{caught.value} {caught.value!r} {caplog.text}"
    verdict = None
    with pytest.raises(ModelSettingsError) as raised:
        verdict = ModelJudge(model_at(server, api, api_key=key)).judge(three())
    assert verdict is None
    assert key not in str(raised.value)


def test_a_key_that_is_passed_is_sent(api, serve, ask):
    server = serve()
    ask(model_at(server, api))
    assert KEY in str(server.requests[0].headers)


def test_no_key_is_shown(api, serve, ask, caplog):
    server = serve(faults={1: Status(403, "wrong key"), 2: Status(400, "temperature")})
    url = (server.openai_url if api == "openai" else server.url).replace("://", f"://user:{KEY}@")
    model = model_at(server, api)
    with_url = MODELS[api]("a-model", base_url=url, api_key=KEY)
    told = [repr(model), model.identity, repr(with_url), with_url.identity]
    with caplog.at_level(logging.DEBUG), pytest.raises(Exception) as caught:  # noqa: PT011
        ask(model)
    ask(model)
    assert KEY not in "".join([*told, str(caught.value), caplog.text])


def test_the_identity_tells_models_apart(api, serve):
    server = serve()
    identities = {
        model_at(server, api).identity,
        model_at(server, api, temperature=0.5).identity,
        model_at(serve(), api).identity,
        MODELS[api]("other", base_url=server.url).identity,
    }
    assert len(identities) == 4
    assert model_at(server, api).identity == model_at(server, api, api_key="other").identity


def test_the_query_of_a_url_tells_servers_apart_and_shows_nothing(api):
    def identity(query: str) -> str:
        return MODELS[api]("m", base_url=f"http://127.0.0.1:1/v1{query}").identity

    assert len({identity(""), identity("?deployment=a"), identity("?deployment=b")}) == 3
    assert identity(f"?deployment=a&api_key={KEY}") == identity("?deployment=a")
    assert KEY not in identity(f"?x={KEY}")


def test_a_model_is_pickled_before_and_after_it_was_asked(api, serve, ask):
    server = serve("Answer: ID 7")
    model = model_at(server, api)
    fresh = pickle.loads(pickle.dumps(model))
    ask(model)
    used = pickle.loads(pickle.dumps(model))
    for copy in (fresh, used):
        assert unit_of(ask(copy).text) == 7
        assert (repr(copy), copy.identity) == (repr(model), model.identity)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"base_url": "localhost:8000"}, ValueError, "base_url must look like"),
        ({"base_url": 8000}, TypeError, "base_url must be a str"),
        ({"api_key": b"key"}, TypeError, "api_key must be a str"),
        ({"api_key": ""}, ValueError, "api_key is empty"),
        ({"temperature": 3}, ValueError, "temperature must be from 0 to 2"),
        ({"temperature": float("nan")}, ValueError, "temperature must be a finite number"),
        ({"temperature": "hot"}, TypeError, "temperature must be a number"),
        ({"timeout": 0}, ValueError, "timeout must be a positive number"),
        ({"timeout": None}, TypeError, "timeout must be a number"),
    ],
)
def test_wrong_settings_are_refused_at_once(api, settings, error, message):
    with pytest.raises(error, match=message):
        MODELS[api]("a-model", **settings)


@pytest.mark.parametrize(("name", "error"), [("", ValueError), (None, TypeError)])
def test_a_model_needs_a_name(api, name, error):
    with pytest.raises(error, match="model"):
        MODELS[api](name)


# Clients of the user's own.


def test_own_openai_clients_are_used_without_retrying(serve):
    need("openai")
    import openai

    server = serve("Answer: ID 7", faults={1: Status(500), 4: Status(500)})
    settings = {"base_url": server.openai_url, "api_key": KEY, "max_retries": 5}
    client, async_client = openai.OpenAI(**settings), openai.AsyncOpenAI(**settings)
    model = OpenAIModel("a-model", client=client)
    with pytest.raises(openai.InternalServerError):
        model.complete(SYSTEM, USER)
    assert unit_of(model.complete(SYSTEM, USER).text) == 7
    assert unit_of(asyncio.run(model.acomplete(SYSTEM, USER)).text) == 7
    assert server.url in model.identity

    async_only = OpenAIModel("a-model", async_client=async_client)
    with pytest.raises(openai.InternalServerError):
        asyncio.run(async_only.acomplete(SYSTEM, USER))
    assert server.count == 4
    with pytest.raises(TypeError, match="only async_client"):
        async_only.complete(SYSTEM, USER)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)
    with pytest.raises(ValueError, match="has its own"):
        OpenAIModel("a-model", client=client, api_key=KEY)


def test_an_own_gemini_client_is_used(serve, ask):
    need("gemini")
    from google import genai

    server = serve("Answer: ID 7")
    client = genai.Client(api_key=KEY, http_options={"base_url": server.url})
    model = GeminiModel("a-model", client=client)
    assert unit_of(ask(model).text) == 7
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)
    with pytest.raises(ValueError, match="has its own"):
        GeminiModel("a-model", client=client, base_url=server.url)


@pytest.mark.legacy
def test_legacy_models_share_no_configuration(serve, ask):
    need("legacy")
    one, other = serve("Answer: ID 6"), serve("Answer: ID 7")
    first = LegacyGeminiModel("a-model", base_url=one.url, api_key="key-of-one")
    second = LegacyGeminiModel("a-model", base_url=other.url, api_key="key-of-other")
    assert [unit_of(ask(model).text) for model in (first, second, first)] == [6, 7, 6]
    assert {request.headers["x-goog-api-key"] for request in one.requests} == {"key-of-one"}


# Packages.


@pytest.mark.parametrize(
    ("blocked", "call", "extra"),
    [
        ("openai", "OpenAIModel('m')", "openai"),
        ("google.genai", "GeminiModel('m')", "gemini"),
        ("google.generativeai", "LegacyGeminiModel('m')", "gemini-legacy"),
        ("torch", "LocalModel('m')", "torch"),
    ],
)
def test_a_missing_package_names_the_extra(blocked: str, call: str, extra: str) -> None:
    code = f"""
import sys
sys.modules[{blocked!r}] = None
from lumber_core.errors import MissingExtraError
from lumber_core.llms import *
try:
    {call}
except MissingExtraError as error:
    print(error.extra, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{extra} ")
    assert f"pip install 'lumber-splitters[{extra}]'" in done.stdout
    assert issubclass(MissingExtraError, ImportError)


def test_making_models_imports_no_package(api: str, tmp_path: Path) -> None:
    name = MODELS[api].__name__
    code = f"""
import sys
from lumber_core.llms import {name}
print(repr({name}("m", api_key="k")), {name}("m").identity)
heavy = ("openai", "google.genai", "google.generativeai", "torch", "transformers", "httpx")
assert not set(heavy) & set(sys.modules), set(heavy) & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=tmp_path)
