"""The report's plots: how far each splitter is from the best one, with intervals.

The template draws them as SVG.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lumber_evaluation.comparison import Comparison
from lumber_evaluation.comparison.metrics import Metric
from lumber_evaluation.report.table_rows import MINUS, signed_number

WIDTH, MARGIN = 440, 20  # units of the drawing, which is scaled to the width of the page


@dataclass(frozen=True, slots=True)
class PlotRow:
    """A splitter's name, its difference from the best as text, and the x of value and interval."""

    name: str
    shown: str
    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Plot:
    """Differences from the best splitter in one metric, with a row for each other splitter."""

    title: str
    ticks: tuple[tuple[float, str], ...]  # x and label of each tick; "0" means no difference
    rows: tuple[PlotRow, ...]


def differences_plot(comparison: Comparison, metric: Metric) -> Plot | None:
    """Lay out how far every splitter is from the best one in a metric; None for one splitter."""
    differences = comparison.against_best(metric)
    if not differences:
        return None
    ends = [0.0, *(-end for d in differences for end in (d.low, d.high))]
    ticks = round_ticks(min(ends), max(ends))

    def x(value: float) -> float:
        share = (value - ticks[0]) / (ticks[-1] - ticks[0])
        return round(MARGIN + (WIDTH - 2 * MARGIN) * share, 1)

    rows = []
    for d in differences:
        label = f"{signed_number(-d.value, d.count)}, {'clear' if d.clear else 'not clear'}"
        rows.append(PlotRow(d.second, label, x(-d.high), x(-d.value), x(-d.low)))
    labels = (f"{tick:+g}".replace("-", MINUS) if tick else "0" for tick in ticks)
    return Plot(
        f"{metric.label}, difference from {comparison.best(metric)}",
        tuple(zip(map(x, ticks), labels, strict=True)),
        tuple(rows),
    )


def round_ticks(low: float, high: float) -> list[float]:
    """Return two to seven round values that cover `low` to `high`."""
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / 4))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n * 5 >= span)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]
