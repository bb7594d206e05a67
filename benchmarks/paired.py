"""Timing several ways of doing a thing within one run, so that only their ratios are reported.

Rounds are interleaved (A B C, A B C, ...), which lets a machine whose speed drifts compare them
all under the same conditions.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any


def paired(contestants: dict[str, Callable[[], Any]], *, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of every round for every contestant, after one uncounted round."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, run in contestants.items():
            gc.collect()
            start = perf_counter()
            result = run()
            elapsed = perf_counter() - start
            del result
            if number:
                seconds[name].append(elapsed)
    return seconds


def ratio(seconds: dict[str, list[float]], name: str, base: str) -> str:
    """Say how many times as long as `base` something took: median, and the middle half."""
    ratios = [a / b for a, b in zip(seconds[name], seconds[base], strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4)
    return f"{statistics.median(ratios):.2f} (half of the rounds {low:.2f} to {high:.2f})"
