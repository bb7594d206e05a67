"""Asking once where several callers want the same thing at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Lets the first caller find something, and others who want it meanwhile wait for it.

    If the first one fails, those who wait fail likewise; if it is cancelled or interrupted, one of
    them takes over. Threads and event loops may mix.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._sought: dict[str, Future[T]] = {}

    def once(self, name: str, find: Callable[[], T]) -> tuple[T, bool]:
        """Return what is found under a name, and whether this call was the one to find it."""
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
        """Do as `once`, without blocking the event loop."""
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
        """Return the future of what is sought, and whether the caller is the one to find it."""
        with self._lock:
            future = self._sought.get(name)
            if future is not None:
                return future, False
            future = self._sought[name] = Future()
            future.set_running_or_notify_cancel()  # one who stops waiting must not cancel it
            return future, True

    def _settle(self, name: str, future: Future[T], found: T) -> None:
        with self._lock:
            del self._sought[name]
        future.set_result(found)

    def _fail(self, name: str, future: Future[T], error: BaseException) -> None:
        with self._lock:
            del self._sought[name]
        # Who waits for it should look for itself, rather than inherit a cancellation.
        future.set_exception(error if isinstance(error, Exception) else _AbandonedError())


class _AbandonedError(Exception):
    """Whoever was looking gave up."""
