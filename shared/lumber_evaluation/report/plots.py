"""The content of a comparison's plots; `svg` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lumber_evaluation.comparison import Comparison, Difference
from lumber_evaluation.comparison.metrics import Metric, MetricFamily
from lumber_evaluation.report.svg import PlotPoint, Series, difference_plot, line_plot
from lumber_evaluation.report.tables import MINUS, interval, signed_number

_WHISKERS = "Vertical lines: 95 % intervals."


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with its heading and note.

    Attributes:
        title: Its heading.
        svg: The drawing.
        note: How to read it.
        legend: Whether to show a list of the splitters' marks with it.
    """

    title: str
    svg: str
    note: str
    legend: bool = False


def family_plot(comparison: Comparison, family: MetricFamily, metrics: Sequence[Metric]) -> Plot:
    """Draw the metrics of a family over the number that they differ in, such as k."""
    count = len(comparison.corpus.questions)
    series = []
    for kind, result in enumerate(comparison.results):
        points = []
        for metric in metrics:
            figure = comparison.figures[result.name, metric.key]
            ends = interval(figure, count)
            title = (
                f"{result.name}: {metric.label} {figure.value:.2f} {f'({ends})' if ends else ''}"
            )
            points.append(PlotPoint(metric.at or 0, figure.value, figure.low, figure.high, title))
        series.append(Series(result.name, kind, tuple(points)))
    middle = metrics[len(metrics) // 2]
    said = "; ".join(
        f"{result.name} {comparison.figures[result.name, middle.key].value:.2f}"
        for result in comparison.results
    )
    svg = line_plot(
        series,
        title=family.title,
        description=f"{middle.label}: {said}.",
        x_label=family.axis,
        x_ticks=[metric.at or 0 for metric in metrics],
    )
    note = f"{family.unit[0].upper()}{family.unit[1:]}."
    whiskers = any(point.low is not None for one in series for point in one.points)
    return Plot(family.title, svg, f"{note} {_WHISKERS}" if whiskers else note, True)


def differences_plot(comparison: Comparison, metric: Metric) -> Plot | None:
    """Draw how far every splitter is from the best one in a metric; None for one splitter."""
    best = comparison.best(metric)
    found = comparison.against_best(metric)
    if not found:
        return None
    kinds = {result.name: kind for kind, result in enumerate(comparison.results)}
    rows = []
    for one in found:
        shown = _in_words(one)
        title = f"{one.second} {MINUS} {best}: {shown}"
        point = PlotPoint(0, -one.value, -one.high, -one.low, title)
        rows.append((one.second, kinds[one.second], point, shown))
    svg = difference_plot(
        rows,
        title=f"{metric.label} compared with {best}",
        description="; ".join(f"{name}: {shown}" for name, _, _, shown in rows),
        x_label=f"{metric.label}, difference from {best}",
    )
    note = (
        "On the same questions, with 95 % intervals. An interval that contains 0 shows no "
        "difference."
    )
    return Plot(f"{metric.label}, difference from {best}", svg, note)


def _in_words(difference: Difference) -> str:
    """Return the second splitter's difference from the first, as text."""
    verdict = "clear" if difference.clear else "not clear"
    return f"{signed_number(-difference.value, difference.count)}, {verdict}"
