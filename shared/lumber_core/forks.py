"""Locks, connections and pending work of forked processes.

A forked process has only the thread that forked. A lock that another thread of the parent held
stays locked forever in the child, and the work of that thread is never finished.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

_renewals: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()


def renew_after_fork(owner: T, renew: Callable[[T], None]) -> None:
    """Call `renew(owner)` in every process forked from now on, right after the fork.

    Args:
        owner: The object; it is not kept alive.
        renew: Gives the object new locks and connections. It must not hold a reference to the
            object, so pass a plain function or an unbound method.
    """
    _renewals[owner] = renew


def _after_fork() -> None:
    for owner, renew in list(_renewals.items()):
        renew(owner)


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_after_fork)
