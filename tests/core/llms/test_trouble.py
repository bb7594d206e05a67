"""Errors of the real packages are classified: transient ones and wrong settings."""

from __future__ import annotations

import pytest

from lumber_core.errors import ModelSettingsError, ModelUnavailableError
from lumber_core.llms import CallPolicy
from lumber_core.llms.failures import retry_after, trouble_of
from lumber_core.llms.retry import RetryingModel
from tests.core.llms.conftest import model_at
from tests.loopback.faults import Drop, Malformed, Slow, Status, rate_limited

PASSING = {
    "rate limit": rate_limited(),
    "server error": Status(500),
    "overloaded": Status(503),
    "dropped": Drop("before"),
    "cut short": Drop("body"),
    "no JSON": Malformed(),
    "empty JSON": Malformed("{}"),
    "slow": Slow(2),
}
SETTINGS = {
    "key": Status(401),
    "forbidden": Status(403),
    "unknown model": Status(404),
    "bad request": Status(400),
}


def caught(ask, model) -> Exception:
    with pytest.raises(Exception) as info:  # noqa: PT011 - each package's own error
        ask(model)
    return info.value


@pytest.mark.parametrize("trouble", PASSING)
def test_transient_errors_are_recognised(api, serve, ask, trouble):
    server = serve(faults=lambda request: PASSING[trouble])
    model = model_at(server, api, timeout=0.3 if trouble == "slow" else 30)
    assert trouble_of(caught(ask, model)) == "transient"
    asked = server.count
    patient = RetryingModel(model, CallPolicy(attempts=3, initial_backoff=0.0))
    assert isinstance(caught(ask, patient), ModelUnavailableError)
    sent = 2 if trouble == "slow" else 3  # a server that is too slow may still be busy
    assert server.count == (1 + sent) * asked


@pytest.mark.parametrize("trouble", SETTINGS)
def test_wrong_settings_are_recognised(api, serve, ask, trouble):
    server = serve(faults=lambda request: SETTINGS[trouble])
    model = model_at(server, api)
    assert trouble_of(caught(ask, model)) == "settings"
    asked = server.count
    assert isinstance(caught(ask, RetryingModel(model)), ModelSettingsError)
    assert server.count == 2 * asked


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_read_from_the_error(api, serve, ask, as_date):
    error = caught(ask, model_at(serve(faults={1: rate_limited(700, as_date=as_date)}), api))
    assert retry_after(error) == pytest.approx(700, abs=90)


def test_an_unreachable_server_is_a_transient_error(api, serve, ask):
    server = serve()
    model = model_at(server, api)
    server.stop()
    assert trouble_of(caught(ask, model)) == "transient"
