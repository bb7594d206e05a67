"""Bootstrap intervals: how far a mean over few questions may be trusted (Efron 1979).

The percentile method: questions are drawn again with replacement, as many as there are, and the
interval holds the middle share of the means that come out. For two splitters the differences
question by question are drawn, not the two lists apart, because the same question is easy or hard
for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lumber_core.checks import check_positive

# Values drawn at once: bounds the memory whatever the number of questions.
_DRAWN_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the interval that is likely to hold it.

    Attributes:
        value: The mean of the values given.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    value: float
    low: float
    high: float


def mean_interval(
    values: Sequence[float],
    *,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the mean of `values` with its bootstrap interval.

    Args:
        values: One value for each question; nan marks a question that is left out.
        confidence: Share of the resampled means that the interval holds.
        samples: How many times to draw.
        seed: The same seed gives the same interval.

    Raises:
        ValueError: There is no value, or a number is out of range.
        TypeError: `samples` is not a whole number.
    """
    kept = np.asarray(values, dtype=np.float64)
    return _interval(kept[~np.isnan(kept)], confidence, samples, seed)


def paired_difference(
    first: Sequence[float],
    second: Sequence[float],
    *,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the mean of `first - second` over the same questions with its bootstrap interval.

    An interval that holds 0 means that these questions do not tell the two apart.

    Args:
        first: One value for each question.
        second: The values of the same questions, in the same order. A question that is nan in
            either list is left out of both.
        confidence: Share of the resampled means that the interval holds.
        samples: How many times to draw.
        seed: The same seed gives the same interval.

    Raises:
        ValueError: The lists differ in length, no question is left, or a number is out of range.
        TypeError: `samples` is not a whole number.
    """
    if len(first) != len(second):
        raise ValueError(
            f"a paired difference needs values of the same questions, not {len(first)} values "
            f"and {len(second)}"
        )
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    return _interval(difference[~np.isnan(difference)], confidence, samples, seed)


def _interval(
    values: npt.NDArray[np.float64], confidence: float, samples: int, seed: int
) -> Interval:
    check_positive("samples", samples)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    if not len(values):
        raise ValueError("there is no question to take a mean over")
    value = float(values.mean())
    if (values == values[0]).all():
        return Interval(value, value, value)
    generator = np.random.default_rng(seed)
    at_once = max(1, _DRAWN_AT_ONCE // len(values))
    means = np.concatenate(
        [
            values[
                generator.integers(len(values), size=(min(at_once, samples - done), len(values)))
            ].mean(axis=1)
            for done in range(0, samples, at_once)
        ]
    )
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(value, float(low), float(high))
