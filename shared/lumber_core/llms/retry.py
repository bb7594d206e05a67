"""Retries failed calls to a model, and repeats questions whose replies are unusable."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from lumber_core.calls.deadlines import ask_within, run_for_loop
from lumber_core.calls.threads import sleep
from lumber_core.checks import check_number, check_positive
from lumber_core.errors import ModelSettingsError, ModelUnavailableError
from lumber_core.llms.call_limits import CircuitBreaker, RateLimiter
from lumber_core.llms.error_kinds import (
    client_retries_of,
    is_timeout,
    retry_after,
    status_of,
    trouble_of,
)
from lumber_core.llms.model import Answers, Completion, Model
from lumber_core.support.secrets import redact_errors, without_secrets
from lumber_core.support.wording import with_noun

logger = logging.getLogger(__name__)

T = TypeVar("T")

_MAX_TIMEOUTS = 2  # for one question: the server may still be busy with the first request
_MAX_FIRST_ANSWER_SECONDS = 10.0  # the URL of a model that has never answered may be wrong


@dataclass(frozen=True, kw_only=True)
class CallPolicy:
    """Retries and rate limits for calls to a model.

    Args:
        attempts: Maximum number of times one question is sent, at least once. After a timeout it is
            sent only once more. A model that has never answered is given up on after ten seconds,
            unless its server is busy. Retries inside a LangChain or LlamaIndex model count: with
            `max_retries=2` each call makes up to 3 attempts, so 6 attempts are 2 calls.
        initial_backoff: Maximum seconds before the second attempt; doubled for each further
            attempt. The wait is a random time up to this maximum. A server's Retry-After takes
            precedence; after a timeout the wait is at least as long as the request took.
        max_backoff: Maximum seconds between two attempts, whatever Retry-After asks for.
        give_up_after: Number of questions in a row without an answer after which calls pause, with
            one warning. A trial request is sent after `max_backoff` seconds, then after twice as
            long, and so on up to an hour; an answer ends the pause. Also, with Lumber's
            method `paper`: if this many answers at the start of a document are all unusable, the
            model is not asked about the rest of it. None: every question is asked.
        call_timeout: Maximum seconds for one call of a model without a `timeout` for whole replies:
            a LangChain or LlamaIndex model with its own retries, a model with your own client, or
            your own class. The call is then cancelled, or abandoned if it runs in a thread, and
            counts as a timeout. None: no limit.
        repeats: Maximum number of times a question is asked again after an unusable answer.
        requests_per_minute: Maximum calls per minute. None: no limit.
        tokens_per_minute: Maximum prompt tokens per minute. None: no limit.

    Raises:
        TypeError: A number has the wrong type.
        ValueError: A number is out of range.
    """

    attempts: int = 6
    initial_backoff: float = 1.0
    max_backoff: float = 60.0
    give_up_after: int | None = 3
    call_timeout: float | None = 600.0
    repeats: int = 1
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        check_positive("attempts", self.attempts)
        for name in ("initial_backoff", "max_backoff"):
            check_number(name, getattr(self, name), lambda s: s >= 0, "at least 0 seconds")
        if self.give_up_after is not None:
            check_positive("give_up_after", self.give_up_after)
        check_positive("repeats", self.repeats, least=0)
        for name in ("call_timeout", "requests_per_minute", "tokens_per_minute"):
            if (limit := getattr(self, name)) is not None:
                check_number(
                    name, limit, lambda number: number > 0, "above 0, or None for no limit"
                )


class RetryingModel:
    """A model whose transient errors are retried.

    A rate limit error pauses all calls made through this object: for the time in the server's
    Retry-After, or else for a random time that doubles with each attempt. After several questions
    in a row without an answer, calls are stopped (see `CallPolicy.give_up_after`).

    Args:
        model: The model. If it has an attribute `client_retries`, this is the number of times its
            client retries a request. If it has a method `estimate_retries`, this returns the number
            for a call that failed after some seconds. If its attribute `timeout` is a number, its
            calls end by themselves, and `CallPolicy.call_timeout` does not apply.
        policy: Retries and rate limits. None: the defaults of `CallPolicy`.
    """

    def __init__(self, model: Model, policy: CallPolicy | None = None) -> None:
        self._model = model
        self.policy = policy or CallPolicy()
        self._limiter = RateLimiter(self.policy.requests_per_minute, self.policy.tokens_per_minute)
        self._breaker = CircuitBreaker(self.policy.give_up_after, self.policy.max_backoff)
        self.has_answered = False  # True after any answer, even an unusable one

    @property
    def identity(self) -> str:
        """The identity of the wrapped model."""
        return self._model.identity

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Raises:
            ModelSettingsError: The model rejects the key, its name or the settings.
            ModelUnavailableError: All attempts failed, or calls are stopped.
        """
        policy, breaker = self.policy, self._breaker
        if not breaker.may_ask():
            questions = with_noun(policy.give_up_after or 0, "question")
            raise ModelUnavailableError(
                f"not asked, because the model did not answer {questions} in a row; "
                f"the last failure: {breaker.last_failure}"
            )
        is_trial = breaker.is_open
        first_began, timeouts, sent = 0.0, 0, 0
        for attempt in count(1):
            self._limiter.wait(len(system) + len(user))
            began = time.monotonic()
            first_began = first_began or began
            try:
                completion = self._ask(system, user, answers)
            except Exception as error:
                kind, summary = trouble_of(error), error_summary(error)
                if kind == "unknown":
                    raise
                if kind == "settings":
                    raise ModelSettingsError(
                        f"the model rejected the call, and retrying will not help: {summary}. "
                        "Check the key, the model's name and the settings"
                    ) from error
                timeouts += is_timeout(error)
                was_stopped = breaker.is_open and not is_trial  # by failures of other questions
                repeats, is_certain = self._count_client_retries(error, began)
                sent += 1 + repeats
                may_go_on = sent + 1 + repeats <= policy.attempts or (
                    # The client's retries may have ended before a server could start.
                    attempt == 1 < policy.attempts
                    and not (is_certain or self.has_answered)
                    and time.monotonic() - first_began < _MAX_FIRST_ANSWER_SECONDS
                )
                if is_trial or was_stopped or timeouts >= _MAX_TIMEOUTS or not may_go_on:
                    raise self._unavailable(sent, summary) from error
                seconds = self._pause_after(error, attempt, began)
                waited = time.monotonic() - first_began + seconds
                if self._may_be_misaddressed(error) and waited > _MAX_FIRST_ANSWER_SECONDS:
                    raise self._unavailable(sent, summary) from error
                logger.info(
                    "attempt %d failed; the next one in %.1f s. The cause: %s",
                    attempt,
                    seconds,
                    summary,
                )
                sleep(seconds)
            else:
                break
        self.has_answered = True
        breaker.record_answer()
        return completion

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""
        return await run_for_loop(self.complete, system, user, answers=answers)

    def _ask(self, system: str, user: str, answers: Answers | None) -> Completion:
        model = self._model
        has_timeout = isinstance(getattr(model, "timeout", None), int | float)
        limit = None if has_timeout else self.policy.call_timeout
        with redact_errors(model):
            return ask_within(limit, model.complete, model.acomplete, system, user, answers=answers)

    def _count_client_retries(self, error: Exception, began: float) -> tuple[int, bool]:
        """Return how often the client has retried a failed call, and whether that is certain."""
        if (stated := client_retries_of(error)) is not None:
            return stated, False
        estimate = getattr(self._model, "estimate_retries", None)
        if estimate is not None:
            return estimate(time.monotonic() - began), False
        return max(0, int(getattr(self._model, "client_retries", 0))), True

    def _may_be_misaddressed(self, error: Exception) -> bool:
        """Return whether the URL may be wrong: there was no answer yet, and no server is busy."""
        is_busy = is_timeout(error) or status_of(error) == 429 or retry_after(error) is not None
        return not (self.has_answered or is_busy)

    def _unavailable(self, attempts: int, summary: str) -> ModelUnavailableError:
        self._breaker.record_failure(summary)
        tries = with_noun(attempts, "attempt")
        url = getattr(self._model, "server", "")
        server = f" from {url}" if isinstance(url, str) and url else ""
        hint = "" if self.has_answered else "; the server has never answered: check its URL"
        return ModelUnavailableError(f"no answer in {tries}{server}; last error: {summary}{hint}")

    def _pause_after(self, error: Exception, attempt: int, began: float) -> float:
        """Return the seconds to pause after a failed attempt; after a 429 all calls pause."""
        max_seconds = self.policy.max_backoff
        doubled = self.policy.initial_backoff * 2.0 ** min(attempt - 1, 99)
        seconds = random.uniform(0, min(max_seconds, doubled))
        if (server_wait := retry_after(error)) is not None:
            seconds = min(server_wait, max_seconds)
            if server_wait > max_seconds:
                logger.warning(
                    "the server asks for a pause of %.0f s; trying again after %.0f s "
                    "(CallPolicy.max_backoff)",
                    server_wait,
                    seconds,
                )
        elif is_timeout(error):
            seconds = max(seconds, min(time.monotonic() - began, max_seconds))
        if status_of(error) == 429:
            self._limiter.pause(seconds)
        return seconds

    def __repr__(self) -> str:
        return repr(self._model)


def ask_until_usable(
    question: str,
    ask: Callable[[str], tuple[T, str]],
    *,
    repeats: int,
    request: Callable[[], str] = lambda: "Try again.",
) -> tuple[T, str]:
    """Ask a question, and repeat it with the fault of the reply until a reply is usable.

    `ask` sends a question and returns the content of the reply and its fault: "" if the question is
    not to be repeated. It is repeated at most `repeats` times, and then ends with the sentence
    that `request` returns. Returns the last result of `ask`.
    """
    prompt = question
    for _ in range(repeats + 1):
        value, fault = ask(prompt)
        if not fault:
            break
        prompt = f"{question}\n\nYour last reply could not be used: {fault}. {request()}"
    return value, fault


def error_summary(error: Exception) -> str:
    """Return the class, the status and the message of an error, without secrets."""
    status = status_of(error)
    kind = f"{type(error).__name__}{f' {status}' if status else ''}"
    return f"{kind}: {without_secrets(str(error))[:300]}"
