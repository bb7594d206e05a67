"""What holds a lock works in a process forked while another thread holds it."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable

import pytest

from lumber_core import BertJudge
from lumber_core.concurrency import SingleFlight
from lumber_core.forks import pause_during_fork, renew_after_fork
from lumber_core.llms.limits import RateLimiter
from lumber_core.llms.openai import OpenAIModel
from tests.alone import run_alone
from tests.core.forking import works_in_a_fork

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


@pytest.mark.parametrize("make", [RateLimiter, SingleFlight, BertJudge])
def test_a_lock_held_by_another_thread_is_free_in_a_fork(make: type) -> None:
    owner = make()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with owner._lock:
            held.set()
            done.wait()

    def take() -> None:
        with owner._lock:
            pass

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert works_in_a_fork(take)
    finally:
        done.set()
        thread.join()


def test_a_fork_does_not_wait_for_the_work_of_its_parents_threads() -> None:
    flight: SingleFlight[int] = SingleFlight()
    begun, done = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        done.wait()
        return 1

    thread = threading.Thread(target=lambda: flight.once("same", slow))
    thread.start()
    begun.wait()
    try:
        assert works_in_a_fork(lambda: flight.once("same", lambda: 2)[0] == 2 or 1 / 0)
    finally:
        done.set()
        thread.join()


def test_a_fork_opens_connections_of_its_own() -> None:
    pytest.importorskip("openai")
    model = OpenAIModel("any", api_key="none", base_url="http://127.0.0.1:9")
    model._client = parents = object()
    assert works_in_a_fork(lambda: model._client is None or 1 / 0)
    assert model._client is parents


class Paused:
    """Counts how often it was paused, in all, and how often it is paused now."""

    def __init__(self) -> None:
        self.pauses = self.paused = 0

    def pause(self) -> Callable[[], None]:
        self.pauses += 1
        self.paused += 1
        return self.resume

    def resume(self) -> None:
        self.paused -= 1

    def pause_only(self) -> None:
        self.pauses += 1


def test_a_paused_object_is_paused_in_the_child_and_goes_on_in_the_parent() -> None:
    owner, other = Paused(), Paused()
    pause_during_fork(owner, Paused.pause)
    pause_during_fork(other, Paused.pause_only)
    for forks in (1, 2):
        assert works_in_a_fork(lambda: owner.paused == 1 or 1 / 0)
        assert (owner.pauses, owner.paused, other.pauses) == (forks, 0, forks)


def test_a_fork_of_a_fork_pauses_again() -> None:
    owner = Paused()
    pause_during_fork(owner, Paused.pause)
    renew_after_fork(owner, Paused.resume)

    def fork_again() -> None:
        assert works_in_a_fork(lambda: (owner.pauses, owner.paused) == (2, 0) or 1 / 0)
        assert (owner.pauses, owner.paused) == (2, 0)

    assert works_in_a_fork(fork_again)
    assert (owner.pauses, owner.paused) == (1, 0)


def test_threads_may_fork_at_the_same_time() -> None:
    # In a process of its own: filelock, which other tests import, refuses forks at the same time.
    run_alone("from tests.core.test_forks import fork_in_threads; fork_in_threads()", seconds=60)


def fork_in_threads() -> None:
    owner = Paused()
    pause_during_fork(owner, Paused.pause)
    worked: list[bool] = []
    threads = [
        threading.Thread(target=lambda: worked.append(works_in_a_fork(lambda: None)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worked == [True] * 4
    assert (owner.pauses, owner.paused) == (4, 0)


def test_objects_that_are_renewed_are_not_kept_alive() -> None:
    limiter = RateLimiter()
    gone = weakref.ref(limiter)
    renew_after_fork(limiter, RateLimiter._renew_lock)
    pause_during_fork(limiter, lambda owner: None)
    del limiter
    gc.collect()
    assert gone() is None
