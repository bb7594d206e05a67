"""One splitter with several values of one setting: theta, t_c, a chunk size.

A sweep is a comparison of splitters that differ in one number. If the splitters have a store, a
model's answers are paid for once, however often you sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from lumber_evaluation.comparison.results import Comparison
from lumber_evaluation.comparison.running import compare
from lumber_evaluation.documents import Corpus
from lumber_evaluation.splitters import evaluated

THETAS = (450, 550, 650, 1000)
"""The values of theta that the LumberChunker paper tries (section 4)."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The results of one splitter for several values of a setting.

    Attributes:
        parameter: Name of the setting.
        values: Its values, ascending.
        comparison: The splitters compared, one for each value, in that order.
    """

    parameter: str
    values: tuple[float, ...]
    comparison: Comparison

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each value.

        Every row has the value under the setting's name, "chunks", "median_tokens", "seconds",
        "calls" and "cost", and under each metric's key its "value", "low" and "high".
        """
        rows = []
        for value, result in zip(self.values, self.comparison.results, strict=True):
            sizes = [size for document in result.sizes for size in document]
            figures = {
                metric.key: asdict(self.comparison.figures[result.name, metric.key])
                for metric in self.comparison.metrics
            }
            row = {
                self.parameter: value,
                **figures,
                "chunks": len(sizes),
                "median_tokens": median(sizes) if sizes else 0,
                "seconds": round(result.seconds, 4),
                "calls": result.usage.calls,
                "cost": self.comparison.cost(result),
            }
            rows.append(row)
        return rows


def sweep(
    corpus: Corpus,
    make: Callable[[Any], object],
    values: Sequence[float],
    *,
    parameter: str = "theta",
    **options: Any,
) -> Sweep:
    """Compare one splitter for several values of a setting.

    Args:
        corpus: Documents, optionally with reference segments, and optionally questions about them.
        make: Makes the splitter from a value. All are made before any work, so an invalid
            value raises at once.
        values: The setting's values, each once, in any order.
        parameter: The setting's name.
        **options: Arguments of `compare`.

    Raises:
        ValueError: There is no value, or a value occurs twice; or as for `compare`.
        TypeError: As for `compare`.

    Example:
        >>> from lumber_core import LumberChunker
        >>> def make(theta):
        ...     return LumberChunker(model, theta=theta, store="answers.db")
        >>> sweep(corpus, make, [450, 550, 650, 1000])  # doctest: +SKIP
    """
    ordered = tuple(sorted(values))
    if not ordered:
        raise ValueError(f"no value of {parameter} to sweep over: pass one or more")
    doubles = [value for value, following in pairwise(ordered) if value == following]
    if doubles:
        raise ValueError(f"{parameter} {doubles[0]:g} is given twice: pass each value once")
    subjects = [evaluated(make(value), name=f"{parameter} {value:g}") for value in ordered]
    return Sweep(parameter, ordered, compare(corpus, subjects, **options))
