"""Concurrency: single-flight requests, work in threads, sleep that ends early, batches."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import islice
from threading import Event, Lock
from typing import Any, Generic, ParamSpec, TypeVar

from lumber_core.calls.forks import renew_after_fork

T = TypeVar("T")
P = ParamSpec("P")


class SingleFlight(Generic[T]):
    """Lets concurrent requests for the same result share one computation.

    The first caller does the work and the others wait for its result. If the work fails, they fail
    with the same error; if it is cancelled or interrupted, one of them takes over. The work must
    not request its own result: it would wait forever.
    """

    def __init__(self) -> None:
        self._start()
        renew_after_fork(self, SingleFlight._start)

    def _start(self) -> None:
        self._lock = Lock()
        self._running: dict[Hashable, Future[T]] = {}

    def once(self, name: Hashable, find: Callable[[], T]) -> tuple[T, bool]:
        """Return the result of `find`, and whether this call ran it."""
        while True:
            with self._lock:
                if (running := self._running.get(name)) is None:
                    future = self._running[name] = Future()
                    # A caller that stops waiting does not cancel the work.
                    future.set_running_or_notify_cancel()
                    break
            with suppress(_AbandonedError):
                return running.result(), False
        try:
            future.set_result(result := find())
            return result, True
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else _AbandonedError())
            raise
        finally:
            with self._lock:
                self._running.pop(name, None)  # None: a forked process has an empty dict


class _AbandonedError(Exception):
    """The caller that did the work gave up."""


# More threads than are ever in use: work that waits for a free thread could wait forever.
_MAX_THREADS = 1024


@cache
def _thread_pool(_process: int) -> ThreadPoolExecutor:
    """Return the thread pool of a process; a forked process needs its own."""
    return ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="lumber")


def start_in_thread(
    function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> asyncio.Future[T]:
    """Call a function in a thread, without delay.

    Unlike `asyncio.to_thread`, it does not use the event loop's default threads, which may all be
    waiting for the function. A `StopIteration`, which futures cannot hold, becomes a RuntimeError,
    as in a coroutine.
    """

    def call() -> T:
        try:
            return function(*args, **kwargs)
        except StopIteration as error:
            raise RuntimeError(f"{function!r} raised StopIteration") from error

    context = copy_context()
    pool = _thread_pool(os.getpid())
    return asyncio.get_running_loop().run_in_executor(pool, context.run, call)


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a thread and wait for it, even if the caller is cancelled meanwhile.

    A thread cannot be stopped, and its result may have been paid for. A cancellation takes effect
    at the caller's next `await`.
    """
    await asyncio.sleep(0)  # lets a pending cancellation take effect before the function is called
    future = start_in_thread(function, *args, **kwargs)
    cancelled = await wait_to_end(future)
    task = asyncio.current_task()
    if cancelled and task is not None:
        if sys.version_info >= (3, 11):
            task.uncancel()  # because the next line counts the same cancellation
        task.cancel()
    return future.result()


async def wait_to_end(
    future: asyncio.Future[Any], on_cancel: Callable[[], object] = lambda: None
) -> bool:
    """Wait for a future even if the caller is cancelled, and return whether it was.

    `on_cancel` is called for each cancellation.
    """
    cancelled = False
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:  # noqa: PERF203 - each cancellation is handled
            cancelled = True
            on_cancel()
    return cancelled


_UNINTERRUPTED_SECONDS = 0.5  # Ctrl-C takes effect within this time


def wait_for_first(futures: Collection[Future[T]], seconds: float | None = None) -> set[Future[T]]:
    """Wait until a future is done, at most `seconds`, and return the futures that are done.

    A single long wait would miss Ctrl-C if it is pressed in the instant before the wait begins,
    and on Windows always.
    """
    end = float("inf") if seconds is None else time.monotonic() + seconds
    while True:
        remaining = max(0.0, end - time.monotonic())
        pause = min(remaining, _UNINTERRUPTED_SECONDS)
        done, _ = wait(futures, pause, return_when=FIRST_COMPLETED)
        if done or pause == remaining:
            return done


_stop: ContextVar[Event | None] = ContextVar("lumber_stop", default=None)


class Stopped(BaseException):
    """The work of a thread is no longer needed.

    Not an `Exception`, so that no handler of ordinary errors catches and retries it.
    """


def end_sleep_on(stop: Event) -> None:
    """Make `sleep` in this context raise `Stopped` as soon as `stop` is set."""
    _stop.set(stop)


def sleep(seconds: float) -> None:
    """Sleep; raise `Stopped` when the event passed to `end_sleep_on` in this context is set."""
    stop = _stop.get()
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        raise Stopped


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items, which are read on demand; the last list may be shorter."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
