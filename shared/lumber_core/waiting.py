"""Sleeping in a way that ends when the work a thread does is given up."""

from __future__ import annotations

import threading
import time

_thread = threading.local()


class Stopped(BaseException):
    """The work that a thread was doing is no longer wanted.

    It is no `Exception`, so that nothing takes it for trouble that passes.
    """


def listen_to(stop: threading.Event) -> None:
    """Let `sleep` in this thread end as soon as `stop` is set."""
    _thread.stop = stop


def sleep(seconds: float) -> None:
    """Sleep.

    Raises:
        Stopped: The thread listens to an event, and it was set.
    """
    stop: threading.Event | None = getattr(_thread, "stop", None)
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        raise Stopped
