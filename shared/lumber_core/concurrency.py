"""Concurrency: equal requests made once, a client per event loop, a sleep that can be ended."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any, Generic, TypeVar

from lumber_core.forks import renew_after_fork

T = TypeVar("T")
Client = TypeVar("Client")


class SingleFlight(Generic[T]):
    """Lets concurrent requests for the same thing share one piece of work.

    The first caller does the work and the others wait for its result. If it fails, they fail with
    the same error; if it is cancelled or interrupted, one of them takes over. Threads and event
    loops may mix.
    """

    def __init__(self) -> None:
        self._start()
        renew_after_fork(self, SingleFlight._start)

    def _start(self) -> None:
        self._lock = Lock()
        self._sought: dict[str, Future[T]] = {}

    def once(self, name: str, find: Callable[[], T]) -> tuple[T, bool]:
        """Return what `find` returns, and whether this call was the one that ran it."""
        while True:
            future, mine = self._claim(name)
            if not mine:
                try:
                    return future.result(), False
                except _AbandonedError:
                    continue
            try:
                found = find()
            except BaseException as error:
                self._fail(name, future, error)
                raise
            self._settle(name, future, found)
            return found, True

    async def aonce(self, name: str, find: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """Async version of `once`."""
        while True:
            future, mine = self._claim(name)
            if not mine:
                try:
                    return await asyncio.wrap_future(future), False
                except _AbandonedError:
                    continue
            try:
                found = await find()
            except BaseException as error:
                self._fail(name, future, error)
                raise
            self._settle(name, future, found)
            return found, True

    def _claim(self, name: str) -> tuple[Future[T], bool]:
        """Return the future for a name, and whether the caller is the one to set it."""
        with self._lock:
            future = self._sought.get(name)
            if future is not None:
                return future, False
            future = self._sought[name] = Future()
            future.set_running_or_notify_cancel()  # a caller that stops waiting must not cancel it
            return future, True

    def _settle(self, name: str, future: Future[T], found: T) -> None:
        with self._lock:
            del self._sought[name]
        future.set_result(found)

    def _fail(self, name: str, future: Future[T], error: BaseException) -> None:
        with self._lock:
            del self._sought[name]
        # The callers that wait should try on their own rather than inherit a cancellation.
        future.set_exception(error if isinstance(error, Exception) else _AbandonedError())


class _AbandonedError(Exception):
    """The caller that did the work gave up."""


class PerLoop(Generic[Client]):
    """Keeps one client per event loop, because connections belong to the loop that opened them.

    A client is closed when its loop shuts down its asynchronous generators, as `asyncio.run` does
    at its end: one of them holds the client.

    Args:
        make: Creates a client.
        close: Closes a client.
    """

    def __init__(
        self, make: Callable[[], Client], close: Callable[[Client], Awaitable[Any]]
    ) -> None:
        self._make = make
        self._close = close
        self._clients: dict[
            asyncio.AbstractEventLoop, tuple[Client, AsyncGenerator[None, None]]
        ] = {}
        self._lock = Lock()

    async def get(self) -> Client:
        """Return the running loop's client."""
        loop = asyncio.get_running_loop()
        with self._lock:
            known = self._clients.get(loop)
        if known is None:
            client = self._make()
            keeper = self._keeping(loop, client)
            known = client, keeper
            with self._lock:
                for gone in [other for other in self._clients if other.is_closed()]:
                    del self._clients[gone]
                self._clients[loop] = known
            await anext(keeper)  # it awaits nothing before its yield, so no other task runs
        return known[0]

    async def _keeping(
        self, loop: asyncio.AbstractEventLoop, client: Client
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with self._lock:
                self._clients.pop(loop, None)
            await self._close(client)


_thread = threading.local()


class Stopped(BaseException):
    """The work of a thread is no longer wanted.

    Not an `Exception`, so that no handler of ordinary errors catches and retries it.
    """


def end_sleep_on(stop: threading.Event) -> None:
    """Make `sleep` in this thread raise `Stopped` as soon as `stop` is set."""
    _thread.stop = stop


def sleep(seconds: float) -> None:
    """Sleep.

    tenacity's `sleep_using_event` would return early and send one more attempt; this raises.

    Raises:
        Stopped: The event passed to `end_sleep_on` in this thread was set.
    """
    stop: threading.Event | None = getattr(_thread, "stop", None)
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        raise Stopped
