"""Calls that end after a given time, whatever they wait for.

A socket's timeout is for one read: a server that sends a byte now and then never exceeds it.

- A coroutine is cancelled, which closes its connection.
- A function cannot be stopped. It runs in a thread of its own, which is abandoned: it holds neither
  its caller nor the end of the program. What it reads may end on its own (`end_reading_in_time`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, wait
from contextvars import ContextVar, copy_context
from functools import partial
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from lumber_core.support.concurrency import cancel_again

T = TypeVar("T")
P = ParamSpec("P")

_end: ContextVar[tuple[float, float] | None] = ContextVar("lumber_call_end", default=None)
"""When the current call has to end, by the monotonic clock, and the seconds that it was given."""


def end_reading_in_time(response: Any) -> None:
    """Let the body of a response of httpx be read no longer than the current call may take.

    An event hook for clients. Without it, an abandoned thread reads on for as long as a server
    sends a byte now and then.
    """
    read, end = response.iter_raw, _end.get()

    def read_in_time(chunk_size: int | None = None) -> Iterator[bytes]:
        for piece in read(chunk_size):
            if end is not None and time.monotonic() > end[0]:
                raise _timeout(end)  # nobody waits for it any more
            yield piece

    response.iter_raw = read_in_time


def call_within(
    seconds: float | None, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function in a thread of its own, and wait for it no longer than `seconds`.

    Args:
        seconds: The limit; no later than that of a call which this one is part of. None: that.
        function: The function.
        args: Its arguments.
        kwargs: Its keyword arguments.

    Raises:
        TimeoutError: It has not ended by then; its result is dropped.
    """
    end = _earlier_end(seconds)
    if end is None:
        return function(*args, **kwargs)
    future = _start(end, partial(function, *args, **kwargs))
    wait([future], end[0] - time.monotonic())
    if not future.done():
        raise _timeout(end)
    return future.result()


async def acall_within(
    seconds: float | None, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Async version of `call_within`; if the caller is cancelled, the thread is abandoned."""
    end = _earlier_end(seconds)
    future = asyncio.wrap_future(_start(end, partial(function, *args, **kwargs)))
    try:
        await asyncio.wait([future], timeout=end and end[0] - time.monotonic())
        if end is not None and not future.done():
            raise _timeout(end)
        return future.result()
    finally:
        future.cancel()  # if nobody waits for it, its error is not logged


def _start(end: tuple[float, float] | None, function: Callable[[], T]) -> Future[T]:
    """Call a function in a thread that holds nobody."""
    context, future = copy_context(), Future[T]()
    context.run(_end.set, end)
    future.set_running_or_notify_cancel()  # a caller that stops waiting does not cancel it

    def run() -> None:
        try:
            future.set_result(context.run(function))
        except BaseException as error:  # noqa: BLE001 - raised in the caller
            future.set_exception(error)

    Thread(target=run, name="lumber-call", daemon=True).start()
    return future


async def await_within(seconds: float | None, call: Callable[[], Awaitable[T]]) -> T:
    """Await what `call` returns no longer than `seconds`; then cancel it.

    If the caller is cancelled, the call is cancelled as well. If that yields a result all the same,
    because a thread has it, the result is returned and the cancellation takes effect at the
    caller's next `await`.

    Args:
        seconds: See `call_within`.
        call: Returns what is awaited, in a task of its own.

    Raises:
        TimeoutError: It has not ended by then.
    """
    end = _earlier_end(seconds)
    if end is None:
        return await call()
    found: list[T] = []
    abandoned = False

    async def run() -> None:
        try:
            # Kept here, because a task that is cancelled just before it ends has no result.
            found.append(await call())
        except Exception:
            if abandoned:  # nobody is told but asyncio, which would log it
                raise asyncio.CancelledError from None
            raise

    outside = _end.set(end)
    work = asyncio.ensure_future(run())  # which copies the context
    _end.reset(outside)
    cancelled = False
    while not work.done():
        try:
            done, _ = await asyncio.wait([work], timeout=max(0.0, end[0] - time.monotonic()))
        except asyncio.CancelledError:
            cancelled = True
            work.cancel()
            continue
        if not done:
            abandoned = True
            work.cancel()
            raise asyncio.CancelledError if cancelled else _timeout(end)
    if not found:
        work.result()  # raises
    if cancelled:
        cancel_again()
    return found[0]


def _earlier_end(seconds: float | None) -> tuple[float, float] | None:
    """Return when a call ends that may take `seconds` and is part of the current one."""
    ends = [] if seconds is None else [(time.monotonic() + seconds, seconds)]
    current = _end.get()
    return min(ends if current is None else [*ends, current], default=None)


def _timeout(end: tuple[float, float]) -> TimeoutError:
    return TimeoutError(f"no complete answer within {end[1]:g} s")
