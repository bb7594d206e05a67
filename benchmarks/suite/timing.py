"""Timing several splitters within one run, so that their ratios hold.

Rounds are interleaved (A B C, A B C, ...), which lets a machine whose speed drifts compare them
all under the same conditions.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import process_time


def time_by_turns(
    contestants: Mapping[str, Callable[[], object]], *, rounds: int
) -> dict[str, list[float]]:
    """Return the CPU seconds of every round for every contestant, after one uncounted round.

    All threads of this process count, other programs do not.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, run in contestants.items():
            gc.collect()
            start = process_time()
            result = run()
            spent = process_time() - start
            del result
            if number:
                seconds[name].append(spent)
    return seconds
