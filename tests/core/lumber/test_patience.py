"""Retries, pacing and what errors mean, without a network and without waiting long."""

from __future__ import annotations

import asyncio
import email.utils
import json
import pickle
import time
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import pytest

from lumber_core import (
    BertJudge,
    CallPolicy,
    Completion,
    JudgementError,
    LexicalJudge,
    LumberChunker,
    ModelJudge,
    ModelSettingsError,
    ModelUnavailableError,
    Usage,
)
from lumber_core.llms.failures import retry_after, trouble_of
from lumber_core.llms.retry import RateLimiter, RetryingModel

FAST = CallPolicy(attempts=4, initial_backoff=0.001, max_backoff=0.01)


class HttpError(Exception):
    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"status {status}")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.response = SimpleNamespace(status_code=status, headers=named)


class APIConnectionError(Exception):
    """Named as clients name theirs, without a status."""


class Flaky:
    """A model that raises what it is given, one after the other, and then answers."""

    identity = "flaky"

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.times: list[float] = []

    def complete(self, system, user, *, choices=()):
        self.times.append(time.monotonic())
        if self.errors:
            raise self.errors.pop(0)
        return Completion("Answer: none")

    async def acomplete(self, system, user, *, choices=()):
        return self.complete(system, user, choices=choices)


def ask(model: RetryingModel, way: str) -> Completion:
    if way == "sync":
        return model.complete("s", "u")
    return asyncio.run(model.acomplete("s", "u"))


both_ways = pytest.mark.parametrize("way", ["sync", "async"])


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (HttpError(401), "settings"),
        (HttpError(403), "settings"),
        (HttpError(404), "settings"),
        (HttpError(400), "settings"),
        (HttpError(422), "settings"),
        (HttpError(429), "passing"),
        (HttpError(408), "passing"),
        (HttpError(500), "passing"),
        (HttpError(529), "passing"),
        (HttpError(200), "passing"),
        (TimeoutError(), "passing"),
        (ConnectionResetError(), "passing"),
        (APIConnectionError(), "passing"),
        (json.JSONDecodeError("x", "", 0), "passing"),
        (ValueError("a bug"), "unknown"),
        (KeyError("a bug"), "unknown"),
    ],
    ids=repr,
)
def test_what_errors_mean(error: Exception, trouble: str) -> None:
    assert trouble_of(error) == trouble


def test_a_status_may_be_anywhere_clients_put_it() -> None:
    for attributes in ({"status_code": 401}, {"code": 401}, {"code": HTTPStatus.UNAUTHORIZED}):
        error = Exception()
        error.__dict__.update(attributes)
        assert trouble_of(error) == "settings"


def test_no_credit_left_is_no_passing_trouble() -> None:
    error: Any = HttpError(429)
    error.code = "insufficient_quota"
    assert trouble_of(error) == "settings"


def test_retry_after_is_read_in_all_its_forms() -> None:
    assert retry_after(HttpError(429, retry_after="7")) == 7
    assert retry_after(HttpError(429, retry_after_ms="250")) == 0.25
    at = email.utils.formatdate(time.time() + 30, usegmt=True)
    assert 25 < (retry_after(HttpError(429, retry_after=at)) or 0) < 31
    assert retry_after(HttpError(429, retry_after="soon")) is None
    assert retry_after(HttpError(429, retry_after="-5")) == 0
    assert retry_after(HttpError(429)) is None
    assert retry_after(ValueError()) is None


@both_ways
def test_passing_trouble_is_waited_out(way: str) -> None:
    model = Flaky(HttpError(500), TimeoutError(), HttpError(429))
    assert ask(RetryingModel(model, FAST), way).text == "Answer: none"
    assert len(model.times) == 4


@both_ways
def test_attempts_are_limited_and_the_last_error_is_named(way: str) -> None:
    model = Flaky(*[HttpError(503)] * 9)
    with pytest.raises(ModelUnavailableError, match=r"4 attempts.*HttpError 503"):
        ask(RetryingModel(model, FAST), way)
    assert len(model.times) == 4


@both_ways
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_wrong_settings_raise_at_once(way: str, status: int) -> None:
    model = Flaky(HttpError(status))
    with pytest.raises(ModelSettingsError, match=f"{status}.*Check the key"):
        ask(RetryingModel(model, FAST), way)
    assert len(model.times) == 1


@both_ways
def test_a_fault_in_a_program_comes_through_as_it_is(way: str) -> None:
    model = Flaky(KeyError("a bug"))
    with pytest.raises(KeyError, match="a bug"):
        ask(RetryingModel(model, FAST), way)
    assert len(model.times) == 1


@both_ways
def test_retry_after_is_honoured(way: str) -> None:
    model = Flaky(HttpError(429, retry_after="0.15"))
    ask(RetryingModel(model, FAST), way)
    assert model.times[1] - model.times[0] >= 0.15


def test_a_rate_limit_holds_back_all_calls() -> None:
    model = Flaky(HttpError(429, retry_after="0.15"))
    patient = RetryingModel(model, FAST)

    async def two() -> None:
        first = asyncio.ensure_future(patient.acomplete("s", "u"))
        await asyncio.sleep(0.02)
        await asyncio.gather(first, patient.acomplete("s", "u"), patient.acomplete("s", "u"))

    asyncio.run(two())
    assert len(model.times) == 4
    assert min(model.times[1:]) - model.times[0] >= 0.15


def test_requests_per_minute_are_spaced() -> None:
    model = Flaky()
    patient = RetryingModel(model, CallPolicy(requests_per_minute=60 / 0.02))
    for _ in range(5):
        patient.complete("s", "u")
    assert model.times[-1] - model.times[0] >= 4 * 0.02 * 0.99


def test_tokens_per_minute_are_counted() -> None:
    pace = RateLimiter(tokens_per_minute=60)
    assert pace.delay(characters=400) == 0
    assert 99 < pace.delay(characters=4) <= 100


def test_a_pace_pickles_with_its_limits() -> None:
    pace = pickle.loads(pickle.dumps(RateLimiter(requests_per_minute=1)))
    pace.delay(0)
    assert pace.delay(0) > 50


@pytest.mark.parametrize(
    "settings",
    [
        {"attempts": 0},
        {"initial_backoff": -1},
        {"max_backoff": -1},
        {"rereads": -1},
        {"requests_per_minute": 0},
        {"tokens_per_minute": -3},
    ],
)
def test_policies_that_make_no_sense_are_refused(settings: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        CallPolicy(**settings)


class TestOnFailure:
    TEXT = "Ann has a red boat here.\n\nAnn sails the red boat.\n\nGrapes ripen in vineyards."

    def split(self, on_failure: str, *errors: Exception, **options):
        judge = ModelJudge(Flaky(*errors), policy=CallPolicy(attempts=1))
        return LumberChunker(judge, on_failure=on_failure, **options).segment(self.TEXT)

    def test_keep_group_ends_the_chunk_with_the_group(self) -> None:
        kept = self.split("keep_group", HttpError(503))
        assert len(kept.spans) == 1
        (failure,) = kept.failures
        assert failure.outcome == "unavailable"
        assert "503" in failure.reason
        assert "kept whole" in failure.reason

    def test_judge_locally_lets_the_bundled_model_decide(self) -> None:
        local = self.split("judge_locally", *[HttpError(503)] * 5)
        assert local.spans == LumberChunker(BertJudge()).segment(self.TEXT).spans
        assert all("judged locally" in failure.reason for failure in local.failures)

    def test_raise_raises(self) -> None:
        with pytest.raises(JudgementError, match=r"unavailable.*503"):
            self.split("raise", HttpError(503))

    def test_keep_group_makes_a_boundary_under_the_published_rules_too(self) -> None:
        text = "\n".join(f"Paragraph {n} is here." for n in range(40))
        judge = ModelJudge(Flaky(HttpError(503)), policy=CallPolicy(attempts=1))
        kept = LumberChunker.as_published(judge, theta=60, on_failure="keep_group").segment(text)
        assert kept.failures[0].unit == kept.failures[0].stop

    def test_wrong_settings_raise_whatever_is_asked_for(self) -> None:
        with pytest.raises(ModelSettingsError):
            self.split("judge_locally", HttpError(401))

    def test_an_unknown_policy_is_refused(self) -> None:
        with pytest.raises(ValueError, match="on_failure must be"):
            LumberChunker(LexicalJudge(), on_failure="ignore")

    def test_calls_that_came_to_nothing_cost_nothing(self) -> None:
        assert self.split("keep_group", HttpError(503)).usage == Usage()
