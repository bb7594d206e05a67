"""Retries, rate limits and the classification of errors, without a network or long waits."""

from __future__ import annotations

import asyncio
import email.utils
import json
import logging
import time
from dataclasses import replace
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import pytest

from lumber_core import (
    BertJudge,
    CallPolicy,
    Completion,
    JudgementError,
    LumberChunker,
    ModelJudge,
    ModelUnavailableError,
    Usage,
)
from lumber_core.errors import ModelSettingsError
from lumber_core.llms.failures import retry_after, trouble_of
from lumber_core.llms.limits import RateLimiter
from lumber_core.llms.retry import RetryingModel
from tests.core.core_support import group
from tests.lexical_judge import LexicalJudge

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

    def complete(self, system, user, *, answers=None):
        self.times.append(time.monotonic())
        if self.errors:
            raise self.errors.pop(0)
        return Completion("Answer: none")

    async def acomplete(self, system, user, *, answers=None):
        return self.complete(system, user, answers=answers)


class Answering:
    """A model that gives some answers, one after the other, and then none."""

    identity = "answering"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked = 0

    def complete(self, system, user, *, answers=None):
        self.asked += 1
        return Completion(self.answers.pop(0) if self.answers else "Answer: none")

    async def acomplete(self, system, user, *, answers=None):
        return self.complete(system, user, answers=answers)


def ask(model: RetryingModel, way: str) -> Completion:
    if way == "sync":
        return model.complete("s", "u")
    return asyncio.run(model.acomplete("s", "u"))


both_ways = pytest.mark.parametrize("way", ["sync", "async"])


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (HttpError(401), "settings"),
        (HttpError(600), "transient"),
        (HttpError(999), "transient"),
        (HttpError(403), "settings"),
        (HttpError(404), "settings"),
        (HttpError(400), "settings"),
        (HttpError(422), "settings"),
        (HttpError(429), "transient"),
        (HttpError(408), "transient"),
        (HttpError(500), "transient"),
        (HttpError(529), "transient"),
        (HttpError(200), "transient"),
        (TimeoutError(), "transient"),
        (ConnectionResetError(), "transient"),
        (APIConnectionError(), "transient"),
        (json.JSONDecodeError("x", "", 0), "transient"),
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


def test_an_exhausted_credit_is_not_transient() -> None:
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
    assert retry_after(HttpError(429, retry_after="Sat, 21 Nov 2026 10:00:00 +99999999")) is None
    assert retry_after(HttpError(429, retry_after="1e999")) == 3600
    assert retry_after(HttpError(429, retry_after="nan")) == 0
    assert retry_after(HttpError(429)) is None
    assert retry_after(ValueError()) is None


@both_ways
def test_transient_errors_are_retried(way: str) -> None:
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
    ask(RetryingModel(model, replace(FAST, max_backoff=1)), way)
    assert model.times[1] - model.times[0] >= 0.15


def test_a_longer_retry_after_than_max_backoff_is_cut_short_with_a_warning(caplog) -> None:
    model = Flaky(HttpError(429, retry_after="3600"))
    with caplog.at_level(logging.WARNING, "lumber_core"):
        ask(RetryingModel(model, FAST), "sync")
    assert len(model.times) == 2
    (record,) = caplog.records
    assert "3600 s" in record.getMessage()
    assert "max_backoff" in record.getMessage()


@both_ways
def test_after_a_timeout_a_question_is_sent_once_more_and_not_at_once(way: str) -> None:
    class Busy(Flaky):
        def complete(self, system, user, *, answers=None):
            self.times.append(time.monotonic())
            time.sleep(0.1)
            raise TimeoutError

    model = Busy()
    policy = CallPolicy(initial_backoff=0.0)
    with pytest.raises(ModelUnavailableError, match="2 attempts"):
        ask(RetryingModel(model, policy), way)
    assert len(model.times) == 2
    assert model.times[1] - model.times[0] >= 0.2  # the request, and a pause as long


@both_ways
def test_the_retries_of_a_client_are_counted_among_the_attempts(way: str) -> None:
    sent = []
    for repeats in (0, 1, 2, 5, 9):
        model: Any = Flaky(*[HttpError(500)] * 99)
        model.client_retries = repeats
        with pytest.raises(ModelUnavailableError):
            ask(RetryingModel(model, replace(FAST, attempts=6)), way)
        sent.append(len(model.times) * (1 + repeats))
    assert sent == [6, 6, 6, 6, 10]


class TestGivingUp:
    """A model that left several questions in a row without an answer is not asked any more."""

    POLICY = CallPolicy(attempts=2, initial_backoff=0.001, max_backoff=0.2, give_up_after=3)

    def refused(self, patient: RetryingModel, way: str) -> str:
        with pytest.raises(ModelUnavailableError) as caught:
            ask(patient, way)
        return str(caught.value)

    @both_ways
    def test_questions_are_not_sent_any_more_with_one_warning(self, way: str, caplog) -> None:
        model = Flaky(*[HttpError(503)] * 99)
        patient = RetryingModel(model, replace(self.POLICY, max_backoff=60))
        with caplog.at_level(logging.WARNING, "lumber_core"):
            reasons = [self.refused(patient, way) for _ in range(9)]
        assert len(model.times) == 3 * 2
        assert all("2 attempts" in reason for reason in reasons[:3])
        assert all("3 questions in a row" in reason for reason in reasons[3:])
        assert all("HttpError 503" in reason for reason in reasons)
        (record,) = caplog.records
        assert "give_up_after" in record.getMessage()
        assert "HttpError 503" in record.getMessage()

    @both_ways
    def test_one_request_is_tried_after_a_pause_and_an_answer_ends_it(self, way: str) -> None:
        model = Flaky(*[HttpError(503)] * 7)
        patient = RetryingModel(model, self.POLICY)
        for _ in range(4):
            self.refused(patient, way)
        time.sleep(0.21)
        for _ in range(3):
            self.refused(patient, way)
        assert len(model.times) == 7
        time.sleep(0.41)  # twice as long
        assert [ask(patient, way).text for _ in range(2)] == ["Answer: none"] * 2

    def test_an_answer_between_failures_starts_the_count_anew(self) -> None:
        model = Flaky(*[HttpError(503)] * 4)
        patient = RetryingModel(model, self.POLICY)
        for _ in range(3):
            for _ in range(2):
                self.refused(patient, "sync")
            ask(patient, "sync")
            model.errors = [HttpError(503)] * 4
        assert len(model.times) == 3 * 5

    def test_questions_under_way_give_up_as_well(self) -> None:
        model = Flaky(*[HttpError(503)] * 999)
        patient = RetryingModel(model, replace(FAST, attempts=50, give_up_after=1))
        impatient = patient._breaker

        async def several() -> None:
            asked = [asyncio.ensure_future(patient.acomplete("s", "u")) for _ in range(4)]
            await asyncio.sleep(0.05)
            impatient.unanswered("nobody there")
            done = await asyncio.gather(*asked, return_exceptions=True)
            assert all(isinstance(error, ModelUnavailableError) for error in done)

        asyncio.run(several())
        assert len(model.times) < 4 * 50

    def test_a_walk_goes_on_without_the_model(self, caplog) -> None:
        text = "\n\n".join(f"Paragraph {n} has these words." for n in range(60))
        model = Flaky(*[HttpError(503)] * 999)
        judge = ModelJudge(model, policy=replace(self.POLICY, max_backoff=60))
        with caplog.at_level(logging.INFO, "lumber_core"):
            result = LumberChunker(judge, theta=30).segment(text)
        assert len(result.failures) > 10
        assert len(model.times) == 3 * 2
        causes = [one for one in caplog.records if one.levelno == logging.INFO]
        assert len(causes) == 3
        assert all("HttpError 503: status 503" in one.getMessage() for one in causes)

    @pytest.mark.parametrize("garbage", ["Lovely weather.", "Answer: ID 9999"])
    def test_unusable_answers_count_as_none(self, garbage: str, caplog) -> None:
        text = "\n\n".join(f"Paragraph {n} has these words." for n in range(60))
        model = Answering(*[garbage] * 99)
        judge = ModelJudge(model, policy=replace(self.POLICY, max_backoff=60))
        result = LumberChunker(judge, theta=30).segment(text)
        assert len(result.failures) > 10
        assert model.asked == 3 * 2, "each question once more, strictly"
        assert "3 questions in a row without a usable answer" in result.verdicts[-1].reason
        (record,) = [one for one in caplog.records if "give_up_after" in one.getMessage()]
        assert "unreadable: " in record.getMessage() or "outside: " in record.getMessage()

    def test_a_trial_is_one_request_and_a_usable_answer_ends_the_pause(self) -> None:
        model = Answering(*["?"] * 7, "Answer: none")
        judge = ModelJudge(model, policy=replace(self.POLICY, max_backoff=0.02))
        asked = group(["One.", "Two.", "Three."])
        assert [judge.judge(asked).outcome for _ in range(4)][2:] == ["unreadable", "unavailable"]
        time.sleep(0.03)
        assert judge.judge(asked).outcome == "unreadable"
        assert model.asked == 7
        time.sleep(0.05)
        assert judge.judge(asked).outcome == "no_shift"


def test_a_rate_limit_holds_back_all_calls() -> None:
    model = Flaky(HttpError(429, retry_after="0.15"))
    patient = RetryingModel(model, replace(FAST, max_backoff=1))

    async def two() -> None:
        first = asyncio.ensure_future(patient.acomplete("s", "u"))
        await asyncio.sleep(0.02)
        await asyncio.gather(first, patient.acomplete("s", "u"), patient.acomplete("s", "u"))

    asyncio.run(two())
    assert len(model.times) == 4
    assert min(model.times[1:]) - model.times[0] >= 0.15


def test_tokens_per_minute_are_counted() -> None:
    pace = RateLimiter(tokens_per_minute=60)
    assert pace.delay(characters=400) == 0
    assert 99 < pace.delay(characters=4) <= 100


@pytest.mark.parametrize(
    "settings",
    [
        {"attempts": 0},
        {"initial_backoff": -1},
        {"max_backoff": -1},
        {"give_up_after": 0},
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


class Recorded:
    """A limiter that lets everything pass and keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float]] = []

    def delay(self, characters: int) -> float:
        self.asked.append(("delay", characters))
        return 0.0

    def pause_left(self) -> float:
        return 0.0

    def pause(self, seconds: float) -> None:
        self.asked.append(("pause", seconds))


@both_ways
def test_a_limiter_of_ones_own_decides_when_calls_are_sent(way: str) -> None:
    judge = ModelJudge(Flaky(HttpError(429, retry_after="0")), policy=FAST)
    limiter = judge.limiter = Recorded()
    chunker = LumberChunker(judge)
    assert chunker.judge is judge
    if way == "sync":
        chunker.segment("One.\n\nTwo.")
    else:
        asyncio.run(chunker.asegment("One.\n\nTwo."))
    assert [name for name, _ in limiter.asked] == ["delay", "pause", "delay"]
    assert limiter.asked[0][1] > len("One.Two.")
