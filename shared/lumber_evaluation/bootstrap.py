"""Bootstrap intervals: how reliable a mean over few questions is (Efron 1979).

The percentile method: questions are resampled with replacement, and the interval contains the
middle share of the means. Two splitters are compared by drawing their
differences question by question, because the same question is easy or hard for both.

Questions about one document are not independent: if a splitter cuts it badly, all of them suffer.
With `clusters`, whole documents are drawn instead, each with all its questions (cluster bootstrap,
Davison and Hinkley 1997, section 3.8). Ignoring that makes intervals too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lumber_core.checks import check_positive

# Values drawn at once, to limit memory for any number of questions.
_DRAWN_AT_ONCE = 1 << 22
# Two-sided 95 %, and 80 % power: the usual pair for planning how much to measure.
_CONFIDENCE_Z, _POWER_Z = 1.96, 0.84

_FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its confidence interval.

    Attributes:
        value: The mean of the values given.
        low: Lower end of the interval.
        high: Upper end of the interval.
        error: Standard error: the standard deviation of the resampled means. Not compared by `==`.
    """

    value: float
    low: float
    high: float
    error: float = field(default=0.0, compare=False)


def mean_interval(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the mean of `values` with its bootstrap interval.

    Args:
        values: One value for each question; nan marks a question that is left out.
        clusters: The cluster of each question, such as its document's name; questions of a cluster
            are drawn together. None: each question is drawn alone.
        confidence: Share of the resampled means in the interval.
        samples: Number of resamples.
        seed: The same seed gives the same interval.

    Raises:
        ValueError: There is no value, the lists differ in length, or a number is out of range.
        TypeError: `samples` is not a whole number.
    """
    table = np.asarray([values], dtype=np.float64)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    sums, counts = _by_cluster(table, clusters)
    value = float(sums.sum() / counts.sum())
    kept = table[~np.isnan(table)]
    if (kept == kept[0]).all():
        check_positive("samples", samples)
        return Interval(value, value, value)
    means = np.concatenate(list(_resampled(sums, counts, samples, seed)))[:, 0]
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(value, float(low), float(high), float(means.std()))


def paired_difference(
    first: Sequence[float],
    second: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the mean of `first - second` over the same questions with its bootstrap interval.

    If the interval contains 0, these questions show no difference.

    Args:
        first: One value for each question.
        second: The values of the same questions, in the same order. A question that is nan in
            either list is left out of both.
        clusters: As for `mean_interval`.
        confidence: Share of the resampled means in the interval.
        samples: Number of resamples.
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
    return mean_interval(
        list(difference), clusters=clusters, confidence=confidence, samples=samples, seed=seed
    )


def chances_of_best(
    values: Sequence[Sequence[float]],
    *,
    clusters: Sequence[Hashable] | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> list[float]:
    """Return how likely each splitter is to have the highest mean.

    This is its share of the resamples in which it has the highest mean; ties are shared.

    Args:
        values: For each splitter one value for each question. A question that is nan for one
            splitter is left out for all.
        clusters: As for `mean_interval`.
        samples: Number of resamples.
        seed: The same seed gives the same chances.

    Raises:
        ValueError: There is no question left, or the lists differ in length.
        TypeError: `samples` is not a whole number.
    """
    if len({len(row) for row in values}) > 1:
        raise ValueError("the splitters need values of the same questions")
    table = np.asarray(values, dtype=np.float64)
    table = np.where(np.isnan(table).any(axis=0), np.nan, table)
    sums, counts = _by_cluster(table, clusters)
    won = np.zeros(len(table))
    for means in _resampled(sums, counts, samples, seed):
        best = means >= means.max(axis=1, keepdims=True) - 1e-12
        won += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    return [float(share) for share in won / samples]


def questions_to_decide(difference: Interval, count: int) -> int | None:
    """Return how many more questions would show a difference, with 80 % probability.

    Assumes that the true difference is the measured one, and that its error shrinks with the square
    root of the number of questions.

    Args:
        difference: A paired difference.
        count: Number of questions it was measured on.

    Returns:
        At least 1; None if there is no difference.
    """
    if not difference.value:
        return None
    ratio = (_CONFIDENCE_Z + _POWER_Z) * difference.error / abs(difference.value)
    return max(1, math.ceil(count * (ratio**2 - 1)))


def _by_cluster(
    table: _FloatArray, clusters: Sequence[Hashable] | None
) -> tuple[_FloatArray, _FloatArray]:
    """Return sums and counts of values, shape (rows, clusters), without empty clusters."""
    if clusters is not None and len(clusters) != table.shape[1]:
        raise ValueError(f"there are {table.shape[1]} values but {len(clusters)} clusters")
    known = ~np.isnan(table)
    if not known.any(axis=1).all():
        raise ValueError("there is no question to take a mean over")
    values = np.where(known, table, 0.0)
    counts = known.astype(np.float64)
    if clusters is not None:
        numbers: dict[Hashable, int] = {}
        code = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
        joined = np.zeros((table.shape[1], len(numbers)))
        joined[np.arange(len(code)), code] = 1
        values, counts = values @ joined, counts @ joined
    kept = counts.any(axis=0)
    return values[:, kept], counts[:, kept]


def _resampled(
    sums: _FloatArray, counts: _FloatArray, samples: int, seed: int
) -> Iterator[_FloatArray]:
    """Yield means of resamples, shape (some, rows), `samples` in all."""
    check_positive("samples", samples)
    generator = np.random.default_rng(seed)
    rows, size = sums.shape
    at_once = max(1, _DRAWN_AT_ONCE // (rows * size))
    for done in range(0, samples, at_once):
        drawn = generator.integers(size, size=(min(at_once, samples - done), size))
        yield (sums[:, drawn].sum(axis=2) / counts[:, drawn].sum(axis=2)).T
