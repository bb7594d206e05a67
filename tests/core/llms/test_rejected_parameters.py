"""Parameters that a model or its server rejects are left out, over HTTP, with the real packages."""

from __future__ import annotations

import logging
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.core.llms.conftest import ANSWERS, LOGGER, SYSTEM, USER, model_at, status_of, unit_of
from tests.loopback.faults import (
    Status,
    rejecting,
)


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
            pool.map(lambda _: model.complete(SYSTEM, USER, answers=ANSWERS), range(40))
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
