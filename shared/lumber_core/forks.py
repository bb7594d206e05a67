"""Locks, connections and pending work of forked processes.

A forked process has only the thread that forked. A lock that another thread of the parent held
stays locked forever in the child, and the work of that thread is never finished.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import get_ident
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

_renewals: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()
_pauses: WeakKeyDictionary[Any, Callable[[Any], Callable[[], None] | None]] = WeakKeyDictionary()
_resumes: dict[int, list[Callable[[], None]]] = {}  # by thread, while it forks


def renew_after_fork(owner: T, renew: Callable[[T], None]) -> None:
    """Call `renew(owner)` in every process forked from now on, right after the fork.

    Args:
        owner: The object; it is not kept alive.
        renew: Gives the object new locks and connections. It must not hold a reference to the
            object, so pass a plain function or an unbound method.
    """
    _renewals[owner] = renew


def pause_during_fork(owner: T, pause: Callable[[T], Callable[[], None] | None]) -> None:
    """Call `pause(owner)` in this process right before every fork from now on.

    Args:
        owner: The object; it is not kept alive.
        pause: Prepares the object for the fork, and returns a function that is called in the
            parent right after the fork; None if nothing is to be done there. Like `renew`, it must
            not hold a reference to the object.
    """
    _pauses[owner] = pause


def _before_fork() -> None:
    resumes = _resumes.setdefault(get_ident(), [])
    for reference in _pauses.keyrefs():  # a copy: other threads make such objects meanwhile
        owner = reference()
        if owner is not None and (resume := _pauses[owner](owner)) is not None:
            resumes.append(resume)


def _after_fork_in_parent() -> None:
    for resume in _resumes.pop(get_ident()):
        resume()


def _after_fork_in_child() -> None:
    _resumes.clear()
    for owner, renew in list(_renewals.items()):
        renew(owner)


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
