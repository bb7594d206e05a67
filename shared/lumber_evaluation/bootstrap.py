"""Bootstrap intervals: how reliable a mean over few questions is (Efron 1979).

The percentile method: questions are resampled with replacement, and the interval contains the
middle share of the means. Two splitters are compared by resampling their differences per
question, because the same question is easy or hard for both.

Questions about one document are not independent: if a splitter cuts it badly, all of them suffer.
With `clusters`, whole documents are drawn instead, each with all its questions (cluster bootstrap,
Davison and Hinkley 1997, section 3.8). Ignoring that makes intervals too narrow.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

_RESAMPLES = (
    10_000  # stated in the report; more would change intervals by less than the decimals shown
)
# Values drawn at once, to limit memory for any number of questions.
_MAX_DRAWN_VALUES = 1 << 22


class Interval(NamedTuple):
    """A mean and the lower and the upper end of its confidence interval."""

    value: float
    low: float
    high: float


def mean_interval(
    values: Sequence[float], *, clusters: Sequence[Hashable] | None = None
) -> Interval:
    """Return the mean of `values` with its 95 % bootstrap interval, the same in every call.

    Args:
        values: One value for each question; nan marks a question that is left out.
        clusters: The cluster of each question, such as its document's name; questions of a cluster
            are drawn together. None: each question is drawn alone.

    Raises:
        ValueError: There is no value, or the lists differ in length.
    """
    if clusters is not None and len(clusters) != len(values):
        raise ValueError(f"there are {len(values)} values but {len(clusters)} clusters")
    all_values = np.asarray(values, dtype=np.float64)
    places = np.flatnonzero(~np.isnan(all_values))
    if not len(places):
        raise ValueError("there is no question to take a mean over")
    measured = all_values[places]
    value = float(measured.mean())
    if (measured == measured[0]).all():
        return Interval(value, value, value)
    names = range(len(values)) if clusters is None else clusters
    numbers: dict[Hashable, int] = {}
    cluster_numbers = [numbers.setdefault(names[place], len(numbers)) for place in places.tolist()]
    sums, counts = np.bincount(cluster_numbers, measured), np.bincount(cluster_numbers)
    generator = np.random.default_rng(0)
    batch = max(1, _MAX_DRAWN_VALUES // len(sums))
    means = np.concatenate(
        [
            sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
            for done in range(0, _RESAMPLES, batch)
            for drawn in [
                generator.integers(len(sums), size=(min(batch, _RESAMPLES - done), len(sums)))
            ]
        ]
    )
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(value, float(low), float(high))


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, clusters: Sequence[Hashable] | None = None
) -> Interval:
    """Return the mean of `first - second` over the same questions, as `mean_interval` does.

    If the interval contains 0, these questions show no difference.

    Args:
        first: One value for each question.
        second: The values of the same questions, in the same order. A question that is nan in
            either list is left out of both.
        clusters: See `mean_interval`.

    Raises:
        ValueError: The lists differ in length, or no question is left.
    """
    if len(first) != len(second):
        raise ValueError(
            f"a paired difference needs values of the same questions, not {len(first)} values "
            f"and {len(second)}"
        )
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    return mean_interval(list(difference), clusters=clusters)
