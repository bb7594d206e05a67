import gc
import os
import threading
import weakref
from collections.abc import Callable

import pytest

from lumber_core.calls.forks import ForkSafeLock, renew_after_fork
from lumber_core.calls.threads import SingleFlight
from lumber_core.llms.call_limits import RateLimiter
from lumber_core.llms.openai import OpenAIModel
from tests.core.forking import works_in_a_fork

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


@pytest.mark.parametrize("make", [ForkSafeLock, lambda: RateLimiter()._lock])
def test_a_lock_held_by_another_thread_is_free_in_a_fork(make: Callable[[], ForkSafeLock]) -> None:
    lock = make()
    held, finish = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            finish.wait()

    def take() -> None:
        with lock:
            pass

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert works_in_a_fork(take)
    finally:
        finish.set()
        thread.join()


def test_a_fork_does_not_wait_for_the_work_of_its_parents_threads() -> None:
    flight: SingleFlight[int] = SingleFlight()
    begun, finish = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        finish.wait()
        return 1

    thread = threading.Thread(target=lambda: flight.once("same", slow))
    thread.start()
    begun.wait()
    try:
        assert works_in_a_fork(lambda: flight.once("same", lambda: 2)[0] == 2 or 1 / 0)
    finally:
        finish.set()
        thread.join()


def test_a_fork_opens_connections_of_its_own() -> None:
    model = OpenAIModel("any", api_key="none", base_url="http://127.0.0.1:9")
    model._client = parents = object()
    assert works_in_a_fork(lambda: model._client is None or 1 / 0)
    assert model._client is parents


def test_objects_that_are_renewed_after_a_fork_are_not_kept_alive() -> None:
    limiter = RateLimiter()
    gone = weakref.ref(limiter)
    renew_after_fork(limiter, repr)
    del limiter
    gc.collect()
    assert gone() is None
