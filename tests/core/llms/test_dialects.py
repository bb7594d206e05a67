"""Servers that reject a request in any words get a simpler one; answers are short."""

import logging
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.core.llms.conftest import ANSWERS, LOG, SYSTEM, USER, model_at, status_of, three, unit_of
from tests.loopback.dialects import DIALECTS, Dialect
from tests.loopback.faults import Malformed, Status, cut, rejecting
from tests.loopback.server import LoopbackServer


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == LOG]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_a_server_gets_a_request_that_it_accepts(dialect: Dialect, serve: Any, ask: Any, caplog):
    server = serve("Answer: ID 7", faults=dialect)
    model = model_at(server, "openai")
    before = model.identity
    with caplog.at_level(logging.WARNING, LOG):
        answers = [ask(model) for _ in range(3)]
    assert [unit_of(answer.text) for answer in answers] == [7, 7, 7]
    bare = "max_tokens" in dialect.rejects
    rejected = 2 * (1 + bare)  # rejected for two questions, then remembered
    assert server.count == rejected + 3
    assert server.requests[-1].allowed is None
    assert server.requests[-1].max_tokens == (None if bare else 64)
    (warning,) = warnings(caplog)
    assert warning.startswith("a-model is asked for plain text")
    ask(pickle.loads(pickle.dumps(model)))
    assert server.count == rejected + 4
    assert model.identity == before


def test_a_rejected_temperature_is_left_out_by_every_model(api: str, serve: Any, ask: Any) -> None:
    server = serve("Answer: ID 7", faults=rejecting("temperature"))
    model = model_at(server, api)
    assert [unit_of(ask(model).text) for _ in range(3)] == [7, 7, 7]
    assert [r.temperature is None for r in server.requests] == [False, True, False, True, True]


def test_threads_share_a_learned_dialect_and_log_it_once(
    schema_api: str, serve: Any, caplog
) -> None:
    server = serve("Answer: ID 7", faults=rejecting("response_format"))
    model = model_at(server, schema_api)
    with caplog.at_level(logging.WARNING, LOG), ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(model.complete, SYSTEM, USER, answers=ANSWERS) for _ in range(40)]
        assert {unit_of(future.result().text) for future in futures} == {7}
    assert 42 <= server.count <= 49  # two to eight requests are sent twice
    assert len(warnings(caplog)) == 1


@pytest.mark.parametrize(
    ("code", "sent"), [(401, 1), (403, 1), (429, 1), (503, 1), (400, 3), (404, 3), (500, 3)]
)
def test_an_error_that_no_simpler_request_avoids_is_raised(code, sent, api, serve) -> None:
    faults = [Status(code)]
    server: LoopbackServer = serve("Answer: ID 7", faults=lambda _: faults[0] if faults else None)
    model = model_at(server, api)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each package has its own error
        model.complete(SYSTEM, USER, answers=ANSWERS)
    faults.clear()
    assert status_of(caught.value) == code
    assert type(caught.value).__module__.startswith(("openai", "google"))
    assert server.count == (3 if (api, code) == ("legacy", 401) else sent)  # renews a "token"
    model.complete(SYSTEM, USER, answers=ANSWERS)
    assert server.requests[-1].temperature == pytest.approx(0.1)  # still sent


@pytest.mark.parametrize("passing", [Status(500), Malformed("{}")])
def test_a_passing_error_of_the_first_request_does_not_change_later_requests(
    passing, api, serve, ask
) -> None:
    server = serve("Answer: ID 7", faults={1: passing})
    model = model_at(server, api)
    assert [unit_of(ask(model).text) for _ in range(3)] == [7, 7, 7]
    assert server.count == 4
    assert server.requests[0].body == server.requests[2].body == server.requests[3].body


def test_once_a_full_request_was_answered_an_error_is_not_about_its_form(api, serve, ask) -> None:
    server = serve("Answer: ID 7", faults={2: Status(500)})
    model = model_at(server, api)
    ask(model)
    with pytest.raises(Exception, match="500"):
        ask(model)
    ask(model)
    assert server.count == 3
    assert server.requests[0].body == server.requests[2].body


@pytest.mark.parametrize(
    ("settings", "answers", "sent"),
    [
        *(({}, ANSWERS, 64), ({}, None, None), ({"max_tokens": 9}, ANSWERS, 9)),
        *(({"max_tokens": 9}, None, 9), ({"max_tokens": None}, ANSWERS, None)),
    ],
)
def test_the_tokens_of_an_answer_are_limited(settings, answers, sent, schema_api, serve) -> None:
    server = serve()
    model_at(server, schema_api, **settings).complete(SYSTEM, USER, answers=answers)
    assert server.requests[0].max_tokens == sent


@pytest.mark.parametrize("content", [None, "", "<think>The first paragraph is about"])
def test_a_model_cut_off_while_thinking_gets_more_tokens(content, serve, ask) -> None:
    server = serve("Answer: ID 7", faults={1: cut(content)})
    model = model_at(server, "openai")
    completion = ask(model)
    assert unit_of(completion.text) == 7
    assert completion.completion_tokens > 64
    assert completion.prompt_tokens > 100
    ask(model)
    assert [request.max_tokens for request in server.requests] == [64, 8192, 8192]


def test_a_model_cut_off_in_a_long_answer_gets_no_more_tokens(serve: Any, ask: Any) -> None:
    server = serve(faults={1: cut("Well, that is an interesting question, and")})
    completion = ask(model_at(server, "openai"))
    assert completion.finish_reason == "length"
    assert server.count == 1


def test_an_answer_that_was_cut_off_is_reported(serve: Any) -> None:
    from lumber_core.lumber import ModelJudge

    server = serve(faults=lambda request: cut("Well, that is"))
    verdict = ModelJudge(model_at(server, "openai")).judge(three())
    assert verdict.outcome == "unreadable"
    assert "cut off" in verdict.reason
    assert "max_tokens" in verdict.reason
    server = serve(faults={1: cut("Answer: ID 7, because")})
    assert ModelJudge(model_at(server, "openai")).judge(three()).unit == 7
