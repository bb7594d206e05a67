"""A rate limit that all workers of a cluster share: one named actor hands out the slots."""

from __future__ import annotations

import pickle
from typing import Any

from lumber_core.chunking.base import Chunker
from lumber_core.llms.limits import CallLimiter
from lumber_core.lumber import LumberChunker, ModelJudge
from lumber_core.support.extras import load
from lumber_core.support.identity import settings_digest

# An actor ends with the handle of its creator, even if others have got one by its name.
_kept: list[Any] = []


class RateLimitActor:
    """Hands out slots for calls; runs as a Ray actor.

    Args:
        limiter: The limit.
    """

    def __init__(self, limiter: CallLimiter) -> None:
        self._limiter = limiter

    def delay(self, characters: int) -> float:
        """Reserve the next free slot for a prompt and return the seconds to wait for it."""
        return self._limiter.delay(characters)

    def pause_left(self) -> float:
        """Return the seconds until calls may be sent again."""
        return self._limiter.pause_left()

    def pause(self, seconds: float) -> None:
        """Pause the calls of all workers."""
        self._limiter.pause(seconds)


class SharedLimiter:
    """Asks the actor when a call may be sent; takes about a millisecond.

    Args:
        actor: A handle of a `RateLimitActor`.
    """

    def __init__(self, actor: Any) -> None:
        self._actor = actor
        self._get = load("ray", package="ray", extra="ray").get

    def delay(self, characters: int) -> float:
        """Reserve the next free slot for a prompt and return the seconds to wait for it."""
        return float(self._get(self._actor.delay.remote(characters)))

    def pause_left(self) -> float:
        """Return the seconds until calls may be sent again; 0 if they are not paused."""
        return float(self._get(self._actor.pause_left.remote()))

    def pause(self, seconds: float) -> None:
        """Pause the calls of all workers."""
        self._get(self._actor.pause.remote(seconds))


def asked_model(chunker: Chunker) -> ModelJudge | None:
    """Return the judge of a splitter if it asks a language model."""
    judge = chunker.judge if isinstance(chunker, LumberChunker) else None
    return judge if isinstance(judge, ModelJudge) else None


def rate_limit_actor(chunker: Chunker) -> Any:
    """Return the actor with the rate limit of a splitter's model; None if it asks none.

    Splitters of one Ray namespace with the same model and limits get the same actor. It uses no
    CPU. If it dies, Ray starts it again.
    """
    judge = asked_model(chunker)
    if judge is None:
        return None
    ray = load("ray", package="ray", extra="ray")
    key = settings_digest({"judge": judge.identity, "limiter": pickle.dumps(judge.limiter)})
    made = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(RateLimitActor)
    options = {"name": f"lumber-rate-limit-{key}", "get_if_exists": True}
    actor = made.options(**options).remote(judge.limiter)
    _kept.append(actor)
    return actor
