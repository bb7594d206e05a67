"""Locks, connections and pending work of forked processes.

A forked process has only the thread that forked. A lock that another thread of the parent held
stays locked forever in the child, and the work of that thread is never finished.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

_renewals: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()


def renew_after_fork(owner: T, renew: Callable[[T], None]) -> None:
    """Call `renew(owner)` in every process forked from now on, right after the fork.

    `renew` gives the owner new locks and connections. The owner is not kept alive, so pass a plain
    function or an unbound method, which holds no reference to it.
    """
    _renewals[owner] = renew


def _renew_all() -> None:
    for owner, renew in list(_renewals.items()):
        renew(owner)


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_renew_all)


class ForkSafeLock:
    """A lock that is unlocked in a forked process and in an unpickled copy."""

    def __init__(self) -> None:
        self._renew()
        renew_after_fork(self, ForkSafeLock._renew)

    def _renew(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[ForkSafeLock], tuple[()]]:
        return ForkSafeLock, ()
