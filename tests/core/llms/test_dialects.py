"""Parameters that servers reject are left out, whatever words they use; answers are short."""

from __future__ import annotations

import json
import logging
import pickle
from typing import Any

import pytest

from lumber_core.llms import OpenAIModel
from tests.core.llms.conftest import (
    ANSWERS,
    KEY,
    LOGGER,
    SYSTEM,
    USER,
    model_at,
    need,
    three,
    unit_of,
)
from tests.loopback.dialects import DIALECTS, Dialect, azure, llama_cpp_python
from tests.loopback.faults import Malformed, Reply, Status


@pytest.fixture(autouse=True)
def _openai() -> None:
    need("openai")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.__name__)
def test_a_rejected_parameter_is_left_out_whatever_the_server(
    dialect: Dialect, serve: Any, ask: Any, caplog: pytest.LogCaptureFixture
) -> None:
    rejected, form = DIALECTS[dialect]
    server = serve("Answer: ID 7", faults=dialect)
    model = model_at(server, "openai")
    with caplog.at_level(logging.WARNING, LOGGER):
        answers = [ask(model) for _ in range(3)]
    assert [unit_of(answer.text) for answer in answers] == [7, 7, 7]
    assert server.count == rejected + 3  # rejected once, and remembered
    assert server.requests[-1].body.get("response_format", {"type": "text"})["type"] == form
    said = [record.getMessage() for record in caplog.records if record.name == LOGGER]
    assert len(said) == len(set(said)) == len({one.split()[4] for one in said})
    assert bool(said) == bool(rejected)
    ask(pickle.loads(pickle.dumps(model)))
    assert server.count == rejected + 4


def test_a_json_object_comes_with_the_schema_where_that_is_known(serve: Any) -> None:
    """llama.cpp keeps to a schema beside the type; OpenAI itself rejects one there."""
    import openai

    server = serve("Answer: ID 7", faults=llama_cpp_python)
    own = OpenAIModel("m", client=openai.OpenAI(base_url=server.openai_url, api_key=KEY))
    for model in (model_at(server, "openai"), own):
        model.complete(SYSTEM, USER, answers=ANSWERS)
    rejected, with_schema, _, without = (r.body["response_format"] for r in server.requests)
    schema = rejected["json_schema"]["schema"]
    assert with_schema == {"type": "json_object", "schema": schema}
    assert schema["properties"]["answer"]["enum"][-1] == "none"
    assert without == {"type": "json_object"}


def test_azure_with_a_client_of_ones_own(serve: Any) -> None:
    import openai

    server = serve("Answer: ID 7", faults=azure)
    model = OpenAIModel("m", client=openai.OpenAI(base_url=server.openai_url, api_key=KEY))
    for _ in range(2):
        assert unit_of(model.complete(SYSTEM, USER, answers=ANSWERS).text) == 7
    assert server.count == 4  # the schema and the newer name of the limit were rejected
    assert server.requests[-1].body["max_tokens"] == 64


@pytest.mark.parametrize(
    "fault",
    [
        Status(500, "the temperature of the GPU is critical"),
        Status(500, "out of memory while evaluating the grammar"),
        Status(503, "response_format is not supported"),
        Status(429, "max_tokens is invalid"),
        Status(401, "temperature is not allowed"),
    ],
)
def test_trouble_that_only_mentions_a_parameter_changes_nothing(fault: Status, serve: Any) -> None:
    server = serve("Answer: ID 7", faults={1: fault})
    model = model_at(server, "openai")
    with pytest.raises(Exception, match=str(fault.code)):
        model.complete(SYSTEM, USER, answers=ANSWERS)
    model.complete(SYSTEM, USER, answers=ANSWERS)
    first, second = server.requests
    assert first.body == second.body


def test_a_json_object_is_asked_for_in_words_too(serve: Any, ask: Any) -> None:
    rejects_schema = Reply(400, json.dumps({"error": {"message": "json_schema: unsupported"}}))
    server = serve("Answer: ID 7", faults={1: rejects_schema})
    assert unit_of(ask(model_at(server, "openai")).text) == 7
    first, second = server.requests
    assert "JSON" not in first.user
    assert second.user.startswith(first.user)
    asked = '\n\nReply with the JSON object {"answer": "ID n"}, or {"answer": "none"}.'
    assert second.user.endswith(asked)  # OpenAI rejects the request otherwise


# How much a model may write.


@pytest.mark.parametrize(
    ("name", "settings", "answers", "sent"),
    [
        ("gpt-4o-mini", {}, ANSWERS, 64),
        ("gpt-4o-mini", {}, None, None),
        ("o3-mini", {}, ANSWERS, 8192),
        ("openai/gpt-5-nano", {}, ANSWERS, 8192),
        ("Qwen/Qwen3-4B-Thinking-2507", {}, ANSWERS, 8192),
        ("o3-mini", {"max_tokens": 9}, ANSWERS, 9),
        ("gpt-4o-mini", {"max_tokens": 9}, None, 9),
        ("gpt-4o-mini", {"max_tokens": None}, ANSWERS, None),
    ],
)
def test_the_tokens_of_an_answer_are_limited(
    name: str, settings: Any, answers: Any, sent: int | None, serve: Any
) -> None:
    server = serve()
    model = OpenAIModel(name, base_url=server.openai_url, **settings)
    model.complete(SYSTEM, USER, answers=answers)
    assert server.requests[0].max_tokens == sent


def test_gemini_is_limited_as_well(serve: Any, ask: Any) -> None:
    need("gemini")
    server = serve()
    ask(model_at(server, "gemini"))
    assert server.requests[0].max_tokens == 64


def cut(content: str | None) -> Malformed:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "length", "message": message}
    usage = {"prompt_tokens": 100, "completion_tokens": 64}
    return Malformed(json.dumps({"choices": [choice], "usage": usage}))


@pytest.mark.parametrize("content", [None, "", "<think>The first paragraph is about"])
def test_a_model_that_was_cut_off_while_thinking_may_write_more(
    content: str | None, serve: Any, ask: Any
) -> None:
    server = serve("Answer: ID 7", faults={1: cut(content)})
    model = model_at(server, "openai")
    completion = ask(model)
    assert unit_of(completion.text) == 7
    assert completion.completion_tokens > 64
    assert completion.prompt_tokens > 100
    ask(model)
    assert [request.max_tokens for request in server.requests] == [64, 8192, 8192]


def test_a_model_that_rambles_is_not_asked_to_ramble_more(serve: Any, ask: Any) -> None:
    server = serve(faults={1: cut("Well, that is an interesting question, and")})
    completion = ask(model_at(server, "openai"))
    assert completion.finish_reason == "length"
    assert server.count == 1


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "many"])
def test_a_wrong_limit_is_refused(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="max_tokens"):
        OpenAIModel("m", max_tokens=wrong)


def test_identities_differ_by_the_limit() -> None:
    assert OpenAIModel("m", max_tokens=9).identity != OpenAIModel("m").identity


def test_an_answer_that_was_cut_off_is_said_to_be(serve: Any) -> None:
    from lumber_core.lumber import ModelJudge

    server = serve(faults=lambda request: cut("Well, that is"))
    verdict = ModelJudge(model_at(server, "openai")).judge(three())
    assert verdict.outcome == "unreadable"
    assert "cut off" in verdict.reason
    assert "max_tokens" in verdict.reason
    server = serve(faults={1: cut("Answer: ID 7, because")})
    assert ModelJudge(model_at(server, "openai")).judge(three()).unit == 7
