"""Retries and rate limits for calls to a model."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
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
from lumber_core.forks import renew_after_fork
from lumber_core.llms.base import Completion, Model
from lumber_core.llms.failures import retry_after, status_of, trouble_of

logger = logging.getLogger(__name__)

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPolicy:
    """Retries and rate limits for calls to a model.

    Attributes:
        attempts: Maximum number of times one question is sent.
        initial_backoff: Maximum seconds before the second attempt; doubled for each further one.
            The wait is drawn at random below it. A server's Retry-After takes precedence.
        max_backoff: Maximum seconds between two attempts, unless Retry-After asks for more.
        rereads: Times the question is repeated, more strictly, after an unusable answer.
        requests_per_minute: Maximum calls per minute. None: no limit.
        tokens_per_minute: Maximum prompt tokens per minute. None: no limit.

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


class RateLimiter:
    """Delays calls to keep limits per minute, and pauses them if a server asks for it.

    Args:
        requests_per_minute: Maximum calls per minute, evenly spaced. None: no limit.
        tokens_per_minute: Maximum prompt tokens per minute, estimated as a quarter of the
            characters. None: no limit.
    """

    def __init__(
        self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self._per_request = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._per_token = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._next = 0.0
        self._resume = 0.0
        self._renew_lock()
        renew_after_fork(self, RateLimiter._renew_lock)

    def _renew_lock(self) -> None:
        self._lock = Lock()

    def delay(self, characters: int) -> float:
        """Reserve the next free slot for a prompt and return the seconds to wait for it."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            cost = max(self._per_request, self._per_token * characters / _CHARACTERS_PER_TOKEN)
            self._next = start + cost
        return start - now

    def held(self) -> float:
        """Return the seconds until calls may be sent again; 0 if they are not paused."""
        with self._lock:
            return max(0.0, self._resume - time.monotonic())

    def hold(self, seconds: float) -> None:
        """Pause all calls for some seconds."""
        with self._lock:
            self._resume = max(self._resume, time.monotonic() + seconds)

    def __getstate__(self) -> dict[str, Any]:
        return {"_per_request": self._per_request, "_per_token": self._per_token}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self.__dict__.update(state)


class RetryingModel:
    """A model whose transient errors are retried.

    A rate limit error pauses all calls made through this object: for the time in the server's
    Retry-After, or else for a random time that doubles with each attempt.

    Args:
        model: The model.
        policy: Retries and rate limits.
    """

    def __init__(self, model: Model, policy: CallPolicy | None = None) -> None:
        self._model = model
        self._policy = policy or CallPolicy()
        self._pace = RateLimiter(self._policy.requests_per_minute, self._policy.tokens_per_minute)

    @property
    def identity(self) -> str:
        """The identity of the wrapped model."""
        return self._model.identity

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Raises:
            ModelSettingsError: The model rejects the key, its name or the settings.
            ModelUnavailableError: All attempts failed.
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
        """Async version of `complete`."""
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
        """Sleep, and then until calls are no longer paused."""
        if seconds > 0:
            sleep(seconds)
        while (held := self._pace.held()) > 0:
            sleep(_spread(held))

    async def _asleep(self, seconds: float) -> None:
        if seconds > 0:
            await asyncio.sleep(seconds)
        while (held := self._pace.held()) > 0:
            await asyncio.sleep(_spread(held))

    def _explained(self, error: Exception) -> Exception:
        trouble = trouble_of(error)
        status = status_of(error)
        said = f"{type(error).__name__}{f' {status}' if status else ''}: {str(error)[:300]}"
        if trouble == "settings":
            return ModelSettingsError(
                f"the model rejected the call, and retrying will not help: {said}. Check the key, "
                "the model's name and the settings"
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


def _spread(seconds: float) -> float:
    """Return `seconds` plus up to a quarter, so that paused calls do not resume all at once."""
    return seconds * (1 + random.random() / 4)
