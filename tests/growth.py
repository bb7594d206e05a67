"""Time in which nothing else counts: how the work of a function grows with its input."""

import gc
import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import TypeVar

T = TypeVar("T")

MOST = 3.0
"""Twice the input may take at most this many times as long; if quadratic, it takes four times."""
_UNNOTICED = 0.03  # seconds; below, what the system does in between counts for more


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of a call."""
    gc.disable()  # it looks at all objects there are, at moments of its own
    try:
        before = time.process_time()
        work()
        return time.process_time() - before
    finally:
        gc.enable()


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """Return how many times as long twice the input takes; `work` returns a call for a size.

    Each time is the shortest of three, which take turns. An input so fast that it cannot be timed
    counts as linear. If it grows too fast, it is timed again, up to eight times: other processes
    slow down what they share a core's cache with.
    """
    if seconds(work(2 * size)) < _UNNOTICED:
        return 1.0
    least = inf
    for _ in range(8):
        times = [(seconds(work(size)), seconds(work(2 * size))) for _ in range(3)]
        once, twice = map(min, zip(*times, strict=True))
        least = min(least, twice / once)
        if least < MOST:
            break
    return least


def check_linear(use: Callable[[T], object], given: Callable[[int], T], size: int) -> None:
    """Check that twice the input takes at most `MOST` times as long to use."""
    inputs = {each: given(each) for each in (size, 2 * size)}
    assert growth(lambda size: partial(use, inputs[size]), size) < MOST
