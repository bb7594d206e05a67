"""Calls that end at a deadline.

A socket's timeout applies to one read: a server that sends a byte now and then never exceeds it.
At a deadline of this module,

- a coroutine is cancelled, which closes its connection;
- a function, which cannot be stopped, is abandoned. It runs in a thread of its own: neither its
  caller nor the end of the program waits for it. Clients that read responses with
  `limit_reading` stop at the deadline.

Asynchronous methods run synchronous methods in a thread, so that both have one implementation;
only calls of a model or of a user's coroutine run on the event loop (`run_for_loop`, `ask_within`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar, copy_context
from functools import partial
from threading import Event, Thread
from typing import Any, ParamSpec, TypeVar

from lumber_core.calls.threads import end_sleep_on, start_in_thread, wait_for_first, wait_to_end
from lumber_core.errors import BadReplyError

ACCEPTED = {"Accept-Encoding": "gzip, deflate"}
"""The header for compressions that expand data to at most a thousand times its size."""
_MAX_BYTES_PER_UNPACKING = 4096  # compressed bytes, which expand to 4 MB at most
_MAX_REPLY_BYTES = 200_000_000  # the largest reply of OpenAI's embeddings has 130 MB of JSON

T = TypeVar("T")
P = ParamSpec("P")

_call_end: ContextVar[tuple[float, float] | None] = ContextVar("lumber_call_end", default=None)
"""When the current call has to end, by the monotonic clock, and its time limit in seconds."""


def limit_reading(response: Any) -> None:
    """Bound the time and the memory in which the body of a response of httpx is read.

    An event hook for clients. Without it, an abandoned thread keeps reading while a server sends a
    byte now and then, and a compressed reply may fill the memory. A compression that is not in
    `ACCEPTED` raises a BadReplyError.
    """
    read, unpack, end = response.iter_raw, response.iter_bytes, _call_end.get()
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "deflate"):
        raise BadReplyError(f"the reply is compressed by {encoding!r:.40}, which is not accepted")

    def read_in_time(chunk_size: int | None = None) -> Iterator[bytes]:
        for piece in read(chunk_size):
            if end is not None and time.monotonic() > end[0]:
                raise _timeout_error(end)  # the caller has stopped waiting
            for start in range(0, len(piece), _MAX_BYTES_PER_UNPACKING):
                yield piece[start : start + _MAX_BYTES_PER_UNPACKING]

    def unpack_within_limit(chunk_size: int | None = None) -> Iterator[bytes]:
        size = 0
        for piece in unpack(chunk_size):
            size += len(piece)
            if size > _MAX_REPLY_BYTES:
                raise BadReplyError(f"the reply has more than {_MAX_REPLY_BYTES:,} bytes")
            yield piece

    response.iter_raw, response.iter_bytes = read_in_time, unpack_within_limit


def call_within(
    seconds: float | None, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function in a thread of its own, and wait for it no longer than `seconds`.

    Without a limit, the function is called in the current thread. If calls are nested, the earliest
    deadline applies. After it a TimeoutError is raised, and the function's result is dropped.
    """
    end = _earliest_end(seconds)
    if end is None:
        return function(*args, **kwargs)
    future = _start_thread(end, partial(function, *args, **kwargs))
    if not wait_for_first([future], end[0] - time.monotonic()):
        raise _timeout_error(end)
    return future.result()


async def call_in_own_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a thread of its own, which is abandoned if the caller is cancelled."""
    call = partial(function, *args, **kwargs)
    return await asyncio.wrap_future(_start_thread(_call_end.get(), call))


def _start_thread(end: tuple[float, float] | None, function: Callable[[], T]) -> Future[T]:
    """Call a function in a thread that the end of the program does not wait for."""
    context, future = copy_context(), Future[T]()
    context.run(_call_end.set, end)
    future.set_running_or_notify_cancel()  # a caller that stops waiting does not cancel the call

    def run() -> None:
        try:
            future.set_result(context.run(function))
        except BaseException as error:  # noqa: BLE001 - raised in the caller
            future.set_exception(error)

    Thread(target=run, name="lumber-call", daemon=True).start()
    return future


def ask_within(
    seconds: float | None,
    function: Callable[P, T],
    afunction: Callable[P, Awaitable[T]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Call `function` as `call_within` does; in `run_for_loop`, await `afunction` on the loop.

    `afunction` is the asynchronous version, which is cancelled if it takes longer.
    """
    if (loop := _loop.get()) is None:
        return call_within(seconds, function, *args, **kwargs)
    return loop.call(_earliest_end(seconds), partial(afunction, *args, **kwargs))


async def run_for_loop(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a thread; its calls of `ask_within` are awaited on this event loop.

    If the caller is cancelled, these calls are cancelled, and no further calls begin. The function
    still waits for other work in threads, so that no answer is lost.
    """
    await asyncio.sleep(0)  # lets a pending cancellation take effect before the function is called
    loop, context = _Loop(), copy_context()
    context.run(_loop.set, loop)
    context.run(end_sleep_on, loop.stop)
    future = context.run(start_in_thread, partial(function, *args, **kwargs))
    if await wait_to_end(future, loop.cancel):
        future.exception()  # so that asyncio logs no error
        raise asyncio.CancelledError
    return future.result()


def is_for_loop() -> bool:
    """Return whether `run_for_loop` has called the current function."""
    return _loop.get() is not None


def stop_event() -> Event:
    """Return an event that is set when the caller of `run_for_loop` is cancelled."""
    loop = _loop.get()
    return Event() if loop is None else loop.stop


class _Loop:
    """An event loop that awaits calls for a thread; once `stop` is set, no further calls begin."""

    def __init__(self) -> None:
        self.stop = Event()
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    def cancel(self) -> None:
        self.stop.set()
        for task in self._tasks:
            task.cancel()

    def call(self, end: tuple[float, float] | None, work: Callable[[], Awaitable[T]]) -> T:
        """Await the result of `work` on the loop; called in a thread."""
        answer = Future[T]()
        started: list[asyncio.Task[None]] = []

        async def run() -> None:
            # Set here, because a task that is cancelled just before it ends has no result.
            answer.set_result(await work())

        def start() -> None:
            if self.stop.is_set():
                answer.set_exception(asyncio.CancelledError())
                return
            task = asyncio.ensure_future(run())
            started.append(task)
            self._tasks.add(task)
            task.add_done_callback(finish)

        def finish(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            error = asyncio.CancelledError() if task.cancelled() else task.exception()
            if not answer.done():
                answer.set_exception(error)

        context = copy_context()
        context.run(_call_end.set, end)
        context.run(_loop.set, None)  # code on the loop must not wait for the loop
        self._loop.call_soon_threadsafe(start, context=context)
        if end is not None and not wait_for_first([answer], end[0] - time.monotonic()):
            self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in started])
            raise _timeout_error(end)
        return answer.result()


_loop: ContextVar[_Loop | None] = ContextVar("lumber_loop", default=None)


def _earliest_end(seconds: float | None) -> tuple[float, float] | None:
    """Return when a call with this limit inside the current call has to end."""
    ends = [] if seconds is None else [(time.monotonic() + seconds, seconds)]
    current = _call_end.get()
    return min(ends if current is None else [*ends, current], default=None)


def _timeout_error(end: tuple[float, float]) -> TimeoutError:
    return TimeoutError(f"no complete answer within {end[1]:g} s")
