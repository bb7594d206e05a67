"""When the next call may go out: one pace shared by all calls to a model."""

from __future__ import annotations

import random
import time
from threading import Lock
from typing import Any

_CHARACTERS_PER_TOKEN = 4


class RateLimiter:
    """Holds calls back where a server asked for it, and within limits per minute.

    Args:
        requests_per_minute: Most calls a minute, evenly spaced. None sets no limit.
        tokens_per_minute: Most prompt tokens a minute, estimated as a quarter of the characters.
            None sets no limit.
    """

    def __init__(
        self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self._per_request = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._per_token = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._lock = Lock()
        self._next = 0.0
        self._resume = 0.0

    def delay(self, characters: int) -> float:
        """Return the seconds to wait before sending a prompt, and take the place in the row."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            cost = max(self._per_request, self._per_token * characters / _CHARACTERS_PER_TOKEN)
            self._next = start + cost
        return start - now

    def held(self) -> float:
        """Return the seconds until calls may go out again; 0 where nothing holds them."""
        with self._lock:
            return max(0.0, self._resume - time.monotonic())

    def hold(self, seconds: float) -> None:
        """Let no call go out for some seconds."""
        with self._lock:
            self._resume = max(self._resume, time.monotonic() + seconds)

    def __getstate__(self) -> dict[str, Any]:
        return {"_per_request": self._per_request, "_per_token": self._per_token}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self.__dict__.update(state)


def spread(seconds: float) -> float:
    """Return `seconds` and up to a quarter more, so that calls held together part again."""
    return seconds * (1 + random.random() / 4)
