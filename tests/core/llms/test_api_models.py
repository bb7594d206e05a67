"""Models behind an API: the real packages, over HTTP, against a server on this machine."""

import asyncio

import pytest

from lumber_core.lumber.prompt import possible_answers
from tests.core.llms.conftest import ANSWERS, SYSTEM, USER, model_at, unit_of

# What is asked and answered.


def test_the_answer_and_the_usage_are_returned(api, serve, ask):
    server = serve("Answer: ID 7")
    completion = ask(model_at(server, api))
    assert unit_of(completion.text) == 7
    assert completion.finish_reason.casefold() == "stop"
    assert completion.prompt_tokens == len(f"{SYSTEM} {USER}".split())
    # The server counts the words of the answer, as JSON of the schema or as text.
    assert completion.completion_tokens in (2, 3)
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


@pytest.mark.parametrize(
    ("settings", "sent"),
    [({}, 0.1), ({"temperature": 0}, 0), ({"temperature": None}, None)],
    ids=["that of the paper", "0", "the model's"],
)
def test_the_temperature_is_sent_as_set(api, serve, ask, settings, sent):
    server = serve()
    ask(model_at(server, api, **settings))
    assert server.requests[0].temperature == (sent if sent is None else pytest.approx(sent))


def test_gemini_is_asked_not_to_block_four_categories(serve, ask):
    server = serve()
    ask(model_at(server, "gemini"))
    settings = server.requests[0].body["safetySettings"]
    assert len(settings) == 4
    assert {setting["threshold"] for setting in settings} == {"BLOCK_NONE"}


def test_the_schema_allows_the_choices_and_none(schema_api, serve, ask):
    server = serve("Answer: ID 6")
    completion = ask(model_at(server, schema_api), answers=possible_answers([6, 7, 12]))
    assert server.requests[0].allowed == ["ID 6", "ID 7", "ID 12", "none"]
    assert unit_of(completion.text) == 6


@pytest.mark.parametrize(
    ("settings", "answers"),
    [({"structured": False}, ANSWERS), ({}, None), ({}, possible_answers(range(500)))],
    ids=["switched off", "any text", "more than a schema holds"],
)
def test_without_a_schema_the_answer_is_text(schema_api, serve, ask, settings, answers):
    server = serve("Answer: ID 7")
    completion = ask(model_at(server, schema_api, **settings), answers=answers)
    assert server.requests[0].allowed is None
    assert completion.text == "Answer: ID 7"


def test_the_schema_is_strict(serve, ask):
    server = serve()
    ask(model_at(server, "openai"))
    form = server.requests[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["required"] == ["answer"]
    assert form["json_schema"]["schema"]["additionalProperties"] is False


def test_one_model_serves_several_event_loops(api, serve):
    server = serve("Answer: ID 7", delay=0.03)
    model = model_at(server, api)

    async def several() -> set[int | None]:
        calls = (model.acomplete(SYSTEM, USER, answers=ANSWERS) for _ in range(8))
        return {unit_of(completion.text) for completion in await asyncio.gather(*calls)}

    for _ in range(3):
        assert asyncio.run(several()) == {7}
    assert server.count == 24
    assert server.most_at_once > 1
