"""Asking a model again where that helps, without hammering its server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from lumber_core.checks import check_positive
from lumber_core.concurrency import sleep
from lumber_core.errors import ModelSettingsError, ModelUnavailableError
from lumber_core.llms.base import Completion, Model
from lumber_core.llms.failures import retry_after, status_of, trouble_of
from lumber_core.llms.rate_limiter import RateLimiter, spread

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPolicy:
    """How calls to a model are paced and repeated.

    Attributes:
        attempts: Most times one question is sent.
        initial_backoff: Seconds waited at most before the second attempt; doubled for each further
            one, and drawn at random below that. A server's Retry-After comes before it.
        max_backoff: Seconds waited at most between two attempts, Retry-After excepted.
        rereads: Times the model is asked more strictly after an answer that cannot be used.
        requests_per_minute: Most calls a minute. None sets no limit.
        tokens_per_minute: Most prompt tokens a minute. None sets no limit.

    Raises:
        TypeError: `attempts` is not a whole number.
        ValueError: A number is out of range.
    """

    attempts: int = 6
    initial_backoff: float = 1.0
    max_backoff: float = 60.0
    rereads: int = 1
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        check_positive("attempts", self.attempts)
        for name in ("initial_backoff", "max_backoff"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0 seconds, not {getattr(self, name)}")
        if self.rereads < 0:
            raise ValueError(f"rereads must be at least 0, not {self.rereads}")
        for name in ("requests_per_minute", "tokens_per_minute"):
            limit = getattr(self, name)
            if limit is not None and limit <= 0:
                raise ValueError(f"{name} must be above 0, or None for no limit, not {limit}")


class RetryingModel:
    """A model that is asked again after trouble that passes.

    A rate limit holds back all calls that go through this object, for as long as the server's
    Retry-After says or else for a random time that doubles with each attempt.

    Args:
        model: The model.
        policy: How often and how fast it may be asked.
    """

    def __init__(self, model: Model, policy: CallPolicy | None = None) -> None:
        self._model = model
        self._policy = policy or CallPolicy()
        self._pace = RateLimiter(self._policy.requests_per_minute, self._policy.tokens_per_minute)

    @property
    def identity(self) -> str:
        """The identity of the model behind."""
        return self._model.identity

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer `user` under the instructions of `system`.

        Raises:
            ModelSettingsError: The model refuses the key, the name or the settings.
            ModelUnavailableError: No answer came in any attempt.
        """
        try:
            for attempt in Retrying(**self._rules(), sleep=self._sleep):
                with attempt:
                    self._sleep(self._pace.delay(len(system) + len(user)))
                    return self._model.complete(system, user, choices=choices)
        except Exception as error:
            raise self._explained(error) from error
        raise AssertionError("tenacity either returns or raises")

    async def acomplete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer likewise, without blocking the event loop."""
        try:
            async for attempt in AsyncRetrying(**self._rules(), sleep=self._asleep):
                with attempt:
                    await self._asleep(self._pace.delay(len(system) + len(user)))
                    return await self._model.acomplete(system, user, choices=choices)
        except Exception as error:
            raise self._explained(error) from error
        raise AssertionError("tenacity either returns or raises")

    def _rules(self) -> dict[str, Any]:
        policy = self._policy
        backoff = wait_random_exponential(multiplier=policy.initial_backoff, max=policy.max_backoff)

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = retry_after(error) if isinstance(error, Exception) else None
            seconds = float(backoff(state)) if asked is None else asked
            if isinstance(error, Exception) and status_of(error) == 429:
                self._pace.hold(seconds)
            return seconds

        return {
            "stop": stop_after_attempt(policy.attempts),
            "wait": wait,
            "retry": retry_if_exception(_is_passing),
            "before_sleep": _log,
            "reraise": True,
        }

    def _sleep(self, seconds: float) -> None:
        """Sleep, and on as long as a rate limit holds all calls back."""
        if seconds > 0:
            sleep(seconds)
        while (held := self._pace.held()) > 0:
            sleep(spread(held))

    async def _asleep(self, seconds: float) -> None:
        if seconds > 0:
            await asyncio.sleep(seconds)
        while (held := self._pace.held()) > 0:
            await asyncio.sleep(spread(held))

    def _explained(self, error: Exception) -> Exception:
        trouble = trouble_of(error)
        status = status_of(error)
        said = f"{type(error).__name__}{f' {status}' if status else ''}: {str(error)[:300]}"
        if trouble == "settings":
            return ModelSettingsError(
                f"the model refuses the call, and would again: {said}. Check the key, the model's "
                "name and the settings"
            )
        if trouble == "passing":
            return ModelUnavailableError(
                f"no answer in {self._policy.attempts} attempts; the last one ended with {said}"
            )
        return error

    def __repr__(self) -> str:
        return repr(self._model)


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, Exception) and trouble_of(error) == "passing"


def _log(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    wait = state.next_action.sleep if state.next_action else 0.0
    logger.info(
        "attempt %d failed with %s; the next one in %.1f s",
        state.attempt_number,
        type(error).__name__,
        wait,
    )
