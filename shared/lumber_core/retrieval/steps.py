"""Work in steps, each done at once or awaited, so that sync and async share its logic."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lumber_core.concurrency import in_thread

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Step(Generic[T]):
    """Something to wait for.

    Attributes:
        now: Does it.
        later: Returns it, to be awaited.
    """

    now: Callable[[], T]
    later: Callable[[], Awaitable[T]]


Steps = Generator[Step[Any], Any, R]
"""Yields steps, is sent the result of each, and returns its own."""


def in_background(function: Callable[[], T]) -> Step[T]:
    """Return a step that keeps an event loop free."""
    return Step(function, lambda: in_thread(function))


def run_steps(steps: Steps[R]) -> R:
    """Do steps, and return their result."""
    try:
        step = next(steps)
        while True:
            step = steps.send(step.now())
    except StopIteration as stopped:
        result: R = stopped.value
        return result


async def arun_steps(steps: Steps[R]) -> R:
    """Await steps, and return their result."""
    try:
        step = next(steps)
        while True:
            step = steps.send(await step.later())
    except StopIteration as stopped:
        result: R = stopped.value
        return result
