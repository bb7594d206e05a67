"""Limits calls to a model: a rate limiter and a circuit breaker."""

from __future__ import annotations

import logging
import random
import time
from typing import Any

from lumber_core.calls.forks import ForkSafeLock
from lumber_core.calls.threads import sleep
from lumber_core.support.wording import with_noun

logger = logging.getLogger(__name__)

_CHARACTERS_PER_TOKEN = 4  # about the average of English
_MAX_PAUSE_SECONDS = 3600.0  # a server that has recovered is noticed within an hour


class RateLimiter:
    """Delays calls to stay within limits per minute, and pauses them if a server asks for it.

    Calls are evenly spaced. Prompt tokens are estimated as a quarter of the characters.
    """

    def __init__(
        self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self._per_request = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._per_token = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._next_slot = 0.0
        self._resume_at = 0.0
        self._lock = ForkSafeLock()
        self._limits = requests_per_minute, tokens_per_minute

    def wait(self, characters: int) -> None:
        """Wait until a prompt may be sent: for its slot, and for the end of a pause."""
        if (delay := self.delay(characters)) > 0:
            sleep(delay)
        while (pause := self._resume_at - time.monotonic()) > 0:
            # Each call waits up to a quarter longer, so that calls do not all resume together.
            sleep(pause * (1 + random.random() / 4))

    def delay(self, characters: int) -> float:
        """Reserve the next free slot for a prompt and return the seconds to wait for it."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next_slot)
            cost = max(self._per_request, self._per_token * characters / _CHARACTERS_PER_TOKEN)
            self._next_slot = start + cost
        return start - now

    def pause(self, seconds: float) -> None:
        """Pause all calls for some seconds."""
        with self._lock:
            self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        return RateLimiter, self._limits


class CircuitBreaker:
    """Stops calls to a model that gave no answer to `limit` questions in a row; None: never.

    After `pause` seconds a trial request may be sent. Each time it fails, the pause is doubled.
    """

    def __init__(self, limit: int | None, pause: float) -> None:
        self._limit = limit
        self._first_pause = pause
        self._lock = ForkSafeLock()
        self._close()

    def _close(self) -> None:
        self._failures = 0
        self._pause = self._first_pause
        self._probe_at = 0.0
        self.last_failure = ""

    @property
    def is_open(self) -> bool:
        """Whether calls are stopped."""
        return self._limit is not None and self._failures >= self._limit

    def may_ask(self) -> bool:
        """Return whether a question may be sent; while calls are stopped, only trial requests."""
        with self._lock:
            if not self.is_open:
                return True
            now = time.monotonic()
            if now < self._probe_at:
                return False
            self._probe_at = now + self._pause
            return True

    def record_answer(self) -> None:
        """Record an answer: calls are allowed again."""
        with self._lock:
            if self.is_open:
                logger.info("the model answers again")
            self._close()

    def record_failure(self, failure: str) -> None:
        """Record that a question got no answer in any attempt."""
        with self._lock:
            was_open = self.is_open
            self.last_failure = failure
            self._failures += 1
            if not self.is_open:
                return
            if was_open:
                self._pause = min(2 * self._pause, _MAX_PAUSE_SECONDS)
            self._probe_at = time.monotonic() + self._pause
            if not was_open:
                logger.warning(
                    "the model did not answer %s in a row, so it is not "
                    "asked for the next %.0f s (CallPolicy.give_up_after). The last failure: %s",
                    with_noun(self._failures, "question"),
                    self._pause,
                    failure,
                )

    def __reduce__(self) -> tuple[Any, ...]:
        return CircuitBreaker, (self._limit, self._first_pause)
