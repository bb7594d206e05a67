"""Retries: which failed calls to a model are sent again, and when."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any

from lumber_core.checks import check_not_negative, check_positive, number_that
from lumber_core.errors import ModelSettingsError, ModelUnavailableError
from lumber_core.llms.base import Answers, Completion, Model
from lumber_core.llms.failures import is_timeout, retry_after, status_of, trouble_of
from lumber_core.llms.limits import CallLimiter, CircuitBreaker, RateLimiter
from lumber_core.settings import Setting, Settings, documented, optional
from lumber_core.support.concurrency import as_async, run_at_once, sleep
from lumber_core.support.deadlines import await_within, call_within
from lumber_core.support.secrets import redact_errors, without_secrets

logger = logging.getLogger(__name__)

_MOST_TIMEOUTS = 2  # of one question: the server may still be busy with the first request


_check_seconds = number_that(lambda seconds: seconds >= 0, "at least 0 seconds")
_check_limit = number_that(lambda seconds: seconds > 0, "above 0, or None for no limit")
_check_rate = number_that(lambda rate: rate > 0, "above 0, or None for no limit")


@documented
class CallPolicy(Settings):
    """Retries and rate limits for calls to a model.

    Raises:
        TypeError: A number has the wrong type.
        ValueError: A number is out of range.
    """

    attempts: Annotated[
        int,
        Setting(
            "Maximum number of times one question is sent, at least once. After a timeout it is "
            "sent only once more.",
            check_positive,
            objects="Includes the retries of a LangChain or LlamaIndex model: if that has "
            "`max_retries=2`, 6 attempts are 2 calls of it.",
        ),
    ] = 6
    initial_backoff: Annotated[
        float,
        Setting(
            "Maximum seconds before the second attempt; doubled for each further one. The wait is "
            "drawn at random below it. A server's Retry-After takes precedence; after a timeout "
            "the wait is at least as long as the request took.",
            _check_seconds,
        ),
    ] = 1.0
    max_backoff: Annotated[
        float,
        Setting("Maximum seconds between two attempts, whatever Retry-After says.", _check_seconds),
    ] = 60.0
    give_up_after: Annotated[
        int | None,
        Setting(
            "Number of questions in a row without a usable answer after which the model is not "
            "asked any more, with one warning. A single request is sent again after `max_backoff` "
            "seconds, then after twice as long, and so on up to an hour; a usable answer ends the "
            "pause. None: every question is asked.",
            optional(check_positive),
        ),
    ] = 3
    call_timeout: Annotated[
        float | None,
        Setting(
            "Maximum seconds for one call of a model that sets no `timeout` on whole replies "
            "itself: a LangChain or LlamaIndex model, its own retries included, a model with a "
            "client of yours, or a class of your own. The call is then cancelled, or abandoned if "
            "it runs in a thread, and counts as a timeout. None: no limit.",
            optional(_check_limit),
        ),
    ] = 600.0
    rereads: Annotated[
        int,
        Setting(
            "Times the question is repeated, more strictly, after an unusable answer.",
            check_not_negative,
        ),
    ] = 1
    requests_per_minute: Annotated[
        float | None,
        Setting("Maximum calls per minute. None: no limit.", optional(_check_rate)),
    ] = None
    tokens_per_minute: Annotated[
        float | None,
        Setting("Maximum prompt tokens per minute. None: no limit.", optional(_check_rate)),
    ] = None


class RetryingModel:
    """A model whose transient errors are retried.

    A rate limit error pauses all calls made through this object: for the time in the server's
    Retry-After, or else for a random time that doubles with each attempt. After several questions
    in a row without a usable answer the model is not asked any more (see
    `CallPolicy.give_up_after`).

    Args:
        model: The model. Its attribute `client_retries`, if it has one, is the number of times its
            client repeats a request on its own. If its attribute `timeout` is a number, its calls
            end on their own, and `CallPolicy.call_timeout` does not apply.
        policy: Retries and rate limits.
        told_if_usable: Whether the caller tells of each answer if it is usable, with `tell_usable`.
            By default every answer is.

    Attributes:
        limiter: Decides when calls are sent; at first a rate limiter of this object alone.
    """

    def __init__(
        self, model: Model, policy: CallPolicy | None = None, *, told_if_usable: bool = False
    ) -> None:
        self._model = model
        self._told_if_usable = told_if_usable
        self._policy = policy or CallPolicy()
        self.limiter: CallLimiter = RateLimiter(
            self._policy.requests_per_minute, self._policy.tokens_per_minute
        )
        self._breaker = CircuitBreaker(self._policy.give_up_after, self._policy.max_backoff)

    @property
    def identity(self) -> str:
        """The identity of the wrapped model."""
        return self._model.identity

    @property
    def chooses_one(self) -> bool:
        """Whether the wrapped model chooses one of some answers, and writes nothing else."""
        return bool(getattr(self._model, "chooses_one", False))

    @property
    def is_given_up(self) -> bool:
        """Whether the model is not asked any more, except for trials."""
        return self._breaker.is_open

    def tell_usable(self, fault: str | None) -> None:
        """Record the answer to a question.

        Args:
            fault: Why it is not usable; None: it is.
        """
        if fault is None:
            self._breaker.answered()
        else:
            self._breaker.unanswered(without_secrets(fault))

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Raises:
            ModelSettingsError: The model rejects the key, its name or the settings.
            ModelUnavailableError: All attempts failed, or the model is not asked any more.
        """

        def complete(*args: Any, **kwargs: Any) -> Completion:
            return call_within(self._call_timeout, self._model.complete, *args, **kwargs)

        return run_at_once(self._ask(as_async(complete), as_async(sleep), system, user, answers))

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""

        async def complete(*args: Any, **kwargs: Any) -> Completion:
            call = partial(self._model.acomplete, *args, **kwargs)
            return await await_within(self._call_timeout, call)

        return await self._ask(complete, asyncio.sleep, system, user, answers)

    @property
    def _call_timeout(self) -> float | None:
        own = getattr(self._model, "timeout", None)
        return None if isinstance(own, int | float) else self._policy.call_timeout

    async def _ask(
        self,
        complete: Callable[..., Awaitable[Completion]],
        sleep: Callable[[float], Awaitable[None]],
        system: str,
        user: str,
        answers: Answers | None,
    ) -> Completion:
        if not self._breaker.allows():
            raise ModelUnavailableError(
                f"not asked, because the model left {self._policy.give_up_after} questions in a "
                f"row without a usable answer; the last failure: {self._breaker.last_failure}"
            )
        is_trial = self._breaker.is_open
        repeats = max(0, int(getattr(self._model, "client_retries", 0)))
        most = 1 if is_trial else max(1, self._policy.attempts // (1 + repeats))
        made = timeouts = 0
        while True:
            await self._wait_for_turn(sleep, len(system) + len(user))
            made += 1
            started = time.monotonic()
            try:
                with redact_errors(self._model):
                    completion = await complete(system, user, answers=answers)
            except Exception as error:
                trouble, summary = trouble_of(error), error_summary(error)
                if trouble == "unknown":
                    raise
                if trouble == "settings":
                    raise ModelSettingsError(
                        f"the model rejected the call, and retrying will not help: {summary}. "
                        "Check the key, the model's name and the settings"
                    ) from error
                timeouts += is_timeout(error)
                others_failed = self._breaker.is_open and not is_trial
                if made >= most or timeouts >= _MOST_TIMEOUTS or others_failed:
                    self._breaker.unanswered(summary)
                    many = "1 attempt" if made == 1 else f"{made} attempts"
                    raise ModelUnavailableError(
                        f"no answer in {many}; the last one: {summary}"
                    ) from error
                seconds = self._pause_after(error, made, time.monotonic() - started)
                logger.info(
                    "attempt %d failed; the next one in %.1f s. The cause: %s",
                    made,
                    seconds,
                    summary,
                )
                await sleep(seconds)
            else:
                if not self._told_if_usable:
                    self._breaker.answered()
                return completion

    async def _wait_for_turn(
        self, sleep: Callable[[float], Awaitable[None]], characters: int
    ) -> None:
        """Wait until a prompt of some length may be sent."""
        if (delay := self.limiter.delay(characters)) > 0:
            await sleep(delay)
        while (pause := self.limiter.pause_left()) > 0:
            # Up to a quarter more, so that paused calls do not resume all at once.
            await sleep(pause * (1 + random.random() / 4))

    def _pause_after(self, error: Exception, made: int, took: float) -> float:
        """Return the seconds between a failed attempt and the next; after a 429 all calls pause.

        Args:
            error: Why it failed.
            made: Attempts so far.
            took: Seconds that the last one took.
        """
        longest = self._policy.max_backoff
        doubled = self._policy.initial_backoff * 2.0 ** min(made - 1, 99)
        seconds = random.uniform(0, min(longest, doubled))
        if (asked := retry_after(error)) is not None:
            seconds = min(asked, longest)
            if asked > longest:
                logger.warning(
                    "the server asks for a pause of %.0f s; trying again after %.0f s "
                    "(CallPolicy.max_backoff)",
                    asked,
                    seconds,
                )
        elif is_timeout(error):
            seconds = max(seconds, min(took, longest))
        if status_of(error) == 429:
            self.limiter.pause(seconds)
        return seconds

    def __repr__(self) -> str:
        return repr(self._model)


def error_summary(error: Exception) -> str:
    """Return the class, the status and the message of an error, without secrets."""
    status = status_of(error)
    kind = f"{type(error).__name__}{f' {status}' if status else ''}"
    return f"{kind}: {without_secrets(str(error))[:300]}"
