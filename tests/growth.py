"""Measures how the time of a function grows with its input."""

import gc
import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import TypeVar

T = TypeVar("T")

MOST = 3.0
"""Twice the input may take at most this many times as long; if quadratic, it takes four times."""
_CLEAR = 2.5  # bound for one or two measurements; quadratic time exceeds it, too
_UNNOTICED = 0.03  # seconds; noise of the system is larger than shorter times


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of a call."""
    gc.disable()  # a collection would visit all objects at random moments
    try:
        before = time.process_time()
        work()
        return time.process_time() - before
    finally:
        gc.enable()


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """Return how many times as long twice the input takes; `work` returns a call for a size.

    Times are the shortest of several, taken in turns, because other processes that share
    a core's cache slow it down. They are repeated until growth is clearly linear, up to 24
    times. An input so fast that it cannot be timed counts as linear.
    """
    twice, once = seconds(work(2 * size)), inf
    if twice < _UNNOTICED:
        return 1.0
    for turn in range(24):
        once = min(once, seconds(work(size)))
        if twice < (_CLEAR if turn < 2 else MOST) * once:
            break
        twice = min(twice, seconds(work(2 * size)))
    return twice / once


def check_linear(use: Callable[[T], object], given: Callable[[int], T], size: int) -> None:
    """Check that twice the input takes at most `MOST` times as long to use."""
    inputs = {length: given(length) for length in (size, 2 * size)}
    assert growth(lambda size: partial(use, inputs[size]), size) < MOST
