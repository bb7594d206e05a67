"""Retries, rate limits and the classification of errors, without a network or long waits."""

import asyncio
import logging
from dataclasses import replace
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
    Segmentation,
    Usage,
)
from lumber_core.llms.call_limits import RateLimiter
from lumber_core.llms.retry import RetryingModel
from tests.core.core_support import group
from tests.core.llms.test_client_errors import APIConnectionError, http
from tests.core.lumber.support import ScriptedModel, warnings

FAST = CallPolicy(attempts=4, initial_backoff=0.001, max_backoff=0.01)
MANY = "\n\n".join(f"Paragraph {n} has these words." for n in range(60))


class HttpError(Exception):
    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"status {status}")
        self.response: Any = vars(http(status, **headers))["response"]


def ask(model: RetryingModel) -> Completion:
    return model.complete("s", "u")


def ask_once(judge: ModelJudge) -> None:
    """Ask once, so that a later fault concerns a question and not the model."""
    assert not judge.judge(group(["One.", "Two."])).failed


class Clock:
    """A clock that only pauses and failing calls move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("lumber_core.llms.retry.sleep", self.advance)
        monkeypatch.setattr("lumber_core.llms.call_limits.sleep", self.advance)
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr("lumber_core.llms.retry.time", clock)
        monkeypatch.setattr("lumber_core.llms.call_limits.time", clock)
        monkeypatch.setattr("random.uniform", lambda low, high: high)
        monkeypatch.setattr("random.random", lambda: 1.0)

    def advance(self, seconds: float) -> None:
        self.now += seconds


def test_a_longer_retry_after_than_max_backoff_is_cut_short_with_a_warning(caplog) -> None:
    model = ScriptedModel(HttpError(429, retry_after="3600"))
    ask(RetryingModel(model, FAST))
    assert len(model.times) == 2
    (warning,) = warnings(caplog)
    assert "3600 s" in warning
    assert "max_backoff" in warning


def test_after_a_timeout_a_question_is_sent_once_more_and_not_at_once(monkeypatch) -> None:
    clock = Clock(monkeypatch)

    class Busy(ScriptedModel):
        def complete(self, system, user, *, answers=None):
            self.times.append(clock.now)
            clock.advance(5)
            raise TimeoutError

    model = Busy()
    with pytest.raises(ModelUnavailableError, match="2 attempts"):
        ask(RetryingModel(model, CallPolicy(initial_backoff=0.0)))
    assert len(model.times) == 2
    assert model.times[1] - model.times[0] == 10  # the request and an equally long pause


@pytest.mark.parametrize(("repeats", "sent"), [(0, 6), (1, 6), (5, 6), (9, 10)])
def test_the_retries_of_a_client_are_counted_among_the_attempts(repeats: int, sent: int) -> None:
    model: Any = ScriptedModel(*[HttpError(500)] * 99)
    model.client_retries = repeats
    with pytest.raises(ModelUnavailableError):
        ask(RetryingModel(model, replace(FAST, attempts=6)))
    assert len(model.times) * (1 + repeats) == sent


def test_the_pause_before_a_late_attempt_is_max_backoff(monkeypatch) -> None:
    Clock(monkeypatch)
    model = RetryingModel(ScriptedModel(), FAST)
    pause = model._pause_after(HttpError(500), attempt=1100, began=0.0)  # 2.0**1024 is too large
    assert pause == FAST.max_backoff


class TestFirstQuestion:
    """A model that never answered soon raises an error, because its URL may be wrong."""

    def split(self, model: ScriptedModel, way: str, **settings: Any) -> Segmentation:
        chunker = LumberChunker(ModelJudge(model), theta=30, **settings)
        if way == "sync":
            return chunker.segment(MANY)
        return asyncio.run(chunker.call_async(chunker.segment, MANY))

    @pytest.mark.parametrize("on_failure", ["judge_locally", "raise"])
    @pytest.mark.parametrize("way", ["sync", "async"])
    def test_a_server_that_is_down_ends_the_run(self, way, on_failure, monkeypatch, caplog) -> None:
        clock = Clock(monkeypatch)

        class Down(ScriptedModel):
            server = "http://127.0.0.1:9/v1"

        model = Down(*[APIConnectionError("refused")] * 99)
        with pytest.raises(ModelUnavailableError, match=r"http://127\.0\.0\.1:9/v1.*refused"):
            self.split(model, way, on_failure=on_failure)
        assert len(model.history) == 4  # pauses of 1, 2 and 4 s; the next would take 8 s
        assert clock.now - 1000 == 7
        assert warnings(caplog) == []

    def test_servers_that_take_long_to_connect_are_tried_for_ten_seconds(self, monkeypatch) -> None:
        clock = Clock(monkeypatch)

        class Far(ScriptedModel):
            def complete(self, system, user, *, answers=None):
                clock.advance(5)
                return super().complete(system, user, answers=answers)

        model = Far(*[APIConnectionError()] * 99)
        with pytest.raises(ModelUnavailableError):
            self.split(model, "sync")
        assert len(model.history) == 2

    def test_a_busy_server_is_waited_for(self, monkeypatch) -> None:
        clock = Clock(monkeypatch)
        model = ScriptedModel(*[HttpError(429)] * 3, HttpError(503, retry_after="20"), "Answer: 2")
        assert self.split(model, "sync").failures == ()
        assert clock.now - 1000 == 1 + 2 + 4 + 20

    @pytest.mark.parametrize("way", ["sync", "async"])
    def test_an_outage_after_an_answer_becomes_a_verdict(self, way: str, monkeypatch) -> None:
        Clock(monkeypatch)
        model = ScriptedModel("Lovely weather.", *[APIConnectionError()] * 99)
        first, *_ = self.split(model, way).failures
        assert first.outcome == "unavailable"
        assert len(model.history) == 1 + 3 * 6


class TestGivingUp:
    """A model that leaves several questions in a row unanswered is not asked any more."""

    POLICY = CallPolicy(attempts=2, initial_backoff=0.001, max_backoff=0.2, give_up_after=3)

    def refused(self, patient: RetryingModel) -> str:
        with pytest.raises(ModelUnavailableError) as caught:
            ask(patient)
        return str(caught.value)

    def split(self, model: ScriptedModel) -> Segmentation:
        judge = ModelJudge(model, policy=replace(self.POLICY, max_backoff=60))
        ask_once(judge)
        model.times.clear()
        return LumberChunker(judge, theta=30).segment(MANY)

    def test_questions_are_not_sent_any_more_with_one_warning(self, caplog) -> None:
        model = ScriptedModel(*[HttpError(503)] * 99)
        patient = RetryingModel(model, replace(self.POLICY, max_backoff=60))
        reasons = [self.refused(patient) for _ in range(9)]
        assert len(model.times) == 3 * 2
        assert all("2 attempts" in reason for reason in reasons[:3])
        assert all("3 questions in a row" in reason for reason in reasons[3:])
        assert all("HttpError 503" in reason for reason in reasons)
        (warning,) = warnings(caplog)
        assert "give_up_after" in warning
        assert "HttpError 503" in warning

    def test_after_a_pause_one_request_is_tried_and_an_answer_resumes_all(
        self, monkeypatch
    ) -> None:
        clock = Clock(monkeypatch)
        model = ScriptedModel(*[HttpError(503)] * 7)
        patient = RetryingModel(model, self.POLICY)
        for pause, questions, sent in ((0, 4, 6), (0.21, 3, 7), (0.39, 1, 7)):
            clock.advance(pause)
            for _ in range(questions):
                self.refused(patient)
            assert len(model.times) == sent
        clock.advance(0.02)  # 0.41 s: the second pause is twice as long
        assert [ask(patient).text for _ in range(2)] == ["Answer: none"] * 2

    def test_an_answer_between_failures_starts_the_count_again(self) -> None:
        model = ScriptedModel(*[*[HttpError(503)] * 4, "Answer: none"] * 3)
        patient = RetryingModel(model, self.POLICY)
        for _ in range(3):
            for _ in range(2):
                self.refused(patient)
            ask(patient)
        assert len(model.times) == 3 * 5

    def test_questions_under_way_give_up_as_well(self) -> None:
        model = ScriptedModel(*[HttpError(503)] * 999)
        patient = RetryingModel(model, replace(FAST, attempts=50, give_up_after=1))

        async def several() -> list[Any]:
            calls = [asyncio.ensure_future(patient.acomplete("s", "u")) for _ in range(4)]
            while len(model.times) < 8:
                await asyncio.sleep(0)
            patient._breaker.record_failure("nobody there")
            return await asyncio.gather(*calls, return_exceptions=True)

        assert {type(error) for error in asyncio.run(several())} == {ModelUnavailableError}
        assert len(model.times) < 4 * 50

    def test_a_walk_continues_without_the_model(self, caplog) -> None:
        model = ScriptedModel("Answer: none", *[HttpError(503)] * 999)
        with caplog.at_level(logging.INFO, "lumber_core"):
            assert len(self.split(model).failures) > 10
        assert len(model.times) == 3 * 2
        causes = [record for record in caplog.records if record.levelno == logging.INFO]
        assert len(causes) == 3
        assert all("HttpError 503: status 503" in record.getMessage() for record in causes)

    @pytest.mark.parametrize(
        ("garbage", "outcome"), [("Lovely weather.", "unreadable"), ("Answer: 999", "outside")]
    )
    def test_unusable_answers_do_not_count_as_answers(
        self, garbage: str, outcome: str, caplog
    ) -> None:
        model = ScriptedModel("Answer: none", *[garbage] * 99)
        result = self.split(model)
        assert len(result.failures) > 10
        assert len(model.times) == 3 * 2, "each question once more, strictly"
        assert [verdict.outcome for verdict in result.verdicts[2:4]] == [outcome, "unavailable"]
        assert "give_up_after" in result.verdicts[-1].reason
        assert "unavailable" in warnings(caplog)[-1]

    def test_a_usable_answer_among_the_first_lets_all_be_asked(self) -> None:
        model = ScriptedModel("Answer: none", *["Lovely."] * 5, "Answer: none", *["Lovely."] * 99)
        assert len(self.split(model).failures) > 10
        assert len(model.times) > 3 * 10


def test_a_rate_limit_holds_back_all_calls(caplog) -> None:
    caplog.set_level(logging.INFO, "lumber_core")
    model = ScriptedModel(HttpError(429, retry_after="0.15"))
    patient = RetryingModel(model, replace(FAST, max_backoff=1))

    async def three() -> None:
        first = asyncio.ensure_future(patient.acomplete("s", "u"))
        while not caplog.records:  # until the rate limit is logged
            await asyncio.sleep(0)
        await asyncio.gather(first, patient.acomplete("s", "u"), patient.acomplete("s", "u"))

    asyncio.run(three())
    assert len(model.times) == 4
    assert min(model.times[1:]) - model.times[0] >= 0.15


def test_other_calls_resume_at_most_a_quarter_later_than_a_pause_ends(monkeypatch) -> None:
    clock, limiter = Clock(monkeypatch), RateLimiter()
    limiter.pause(8)
    limiter.wait(characters=4)
    assert clock.now - 1000 == 8 + 2


def test_tokens_per_minute_are_counted() -> None:
    pace = RateLimiter(tokens_per_minute=60)
    assert pace.delay(characters=400) == 0
    assert 30 < pace.delay(characters=4) <= 100


@pytest.mark.parametrize(
    "settings",
    [
        *({"attempts": 0}, {"initial_backoff": -1}, {"max_backoff": -1}, {"give_up_after": 0}),
        *({"repeats": -1}, {"requests_per_minute": 0}, {"tokens_per_minute": -3}),
    ],
)
def test_invalid_policies_are_refused(settings: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        CallPolicy(**settings)


class TestOnFailure:
    TEXT = "Ann has a red boat here.\n\nAnn sails the red boat.\n\nGrapes ripen in vineyards."

    def judge(self, *errors: Exception) -> ModelJudge:
        judge = ModelJudge(ScriptedModel("Answer: none", *errors), policy=CallPolicy(attempts=1))
        ask_once(judge)
        return judge

    def split(self, on_failure: str, *errors: Exception) -> Segmentation:
        return LumberChunker(self.judge(*errors), on_failure=on_failure).segment(self.TEXT)

    def test_keep_group_ends_the_chunk_with_the_group(self) -> None:
        segmentation = self.split("keep_group", HttpError(503))
        assert len(segmentation.spans) == 1
        (failure,) = segmentation.failures
        assert failure.outcome == "unavailable"
        assert "503" in failure.reason
        assert "kept whole" in failure.reason
        assert segmentation.usage == Usage()  # a failed call costs nothing

    def test_judge_locally_lets_the_bundled_model_decide(self) -> None:
        judge = self.judge(*[HttpError(503)] * 99)
        local = LumberChunker(judge, theta=60).segment(MANY)
        segmentation = LumberChunker(judge, theta=60, on_failure="keep_group").segment(MANY)
        assert local.spans == LumberChunker(BertJudge(), theta=60).segment(MANY).spans
        assert local.spans != segmentation.spans
        assert all("judged locally" in failure.reason for failure in local.failures)

    def test_the_policy_raise_raises_an_error(self) -> None:
        with pytest.raises(JudgementError, match=r"unavailable.*503"):
            self.split("raise", HttpError(503))

    def test_keep_group_makes_a_boundary_under_the_published_rules_too(self) -> None:
        judge = self.judge(HttpError(503))
        segmentation = LumberChunker.as_published(judge, theta=60, on_failure="keep_group").segment(
            MANY
        )
        assert segmentation.failures[0].unit == segmentation.failures[0].stop
