"""Timing several ways of doing a thing within one run, so that only their ratios are reported.

Rounds are interleaved (A B C, A B C, ...), which lets a machine whose speed drifts compare them
all under the same conditions.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import Any, NamedTuple


class Taken(NamedTuple):
    """What one round took, in seconds.

    Attributes:
        wall: Time that passed.
        cpu: Time that all threads of the process spent on a CPU; other programs do not count.
    """

    wall: float
    cpu: float


def taken(run: Callable[[], Any]) -> Taken:
    """Return what one call takes."""
    gc.collect()
    cpu, wall = process_time(), perf_counter()
    result = run()
    spent = Taken(perf_counter() - wall, process_time() - cpu)
    del result
    return spent


def interleaved(
    contestants: Mapping[str, Callable[[], Any]], *, rounds: int
) -> dict[str, list[Taken]]:
    """Return what every round took for every contestant, after one uncounted round."""
    found: dict[str, list[Taken]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, run in contestants.items():
            spent = taken(run)
            if number:
                found[name].append(spent)
    return found
