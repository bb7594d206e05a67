"""The content of a comparison's plots; `svg` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lumber_evaluation.comparison import Comparison, Difference
from lumber_evaluation.comparison.metrics import Metric, MetricFamily
from lumber_evaluation.comparison.sweep import Sweep
from lumber_evaluation.report.svg import (
    PlotPoint,
    Series,
    as_file,
    bar_plot,
    difference_plot,
    distribution_plot,
    line_plot,
)
from lumber_evaluation.report.tables import MINUS, duration, interval, money, signed_number
from lumber_evaluation.start_error import StartErrors


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
        evenly=True,
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


def size_plot(comparison: Comparison) -> Plot:
    """Draw the distribution of chunk sizes."""
    rows = [
        (result.name, kind, [size for document in result.sizes for size in document])
        for kind, result in enumerate(comparison.results)
    ]
    medians = "; ".join(f"{name} {median(sizes or [0]):,.0f}" for name, _, sizes in rows)
    svg = distribution_plot(
        rows,
        title="Chunk sizes",
        description=f"Medians in tokens: {medians}.",
        x_label="tokens in a chunk, logarithmic",
        what=("chunks", "tokens"),
    )
    return Plot(
        "Distribution of sizes", svg, "Number of chunks by size. Vertical line: the median."
    )


def time_plot(comparison: Comparison) -> Plot:
    """Draw the time that splitting took."""
    rows = [
        (result.name, kind, result.seconds, duration(result.seconds))
        for kind, result in enumerate(comparison.results)
    ]
    description = "; ".join(f"{name} {shown}" for name, _, _, shown in rows)
    svg = bar_plot(rows, title="Time", description=description)
    return Plot("Time", svg, "Time to split all documents, one after another.")


def cost_plot(comparison: Comparison) -> Plot | None:
    """Draw the cost of splitting; None if there was none, or prices are unknown."""
    costs = [comparison.cost(result) for result in comparison.results]
    if any(cost is None for cost in costs) or not any(costs):
        return None
    rows = [
        (result.name, kind, cost or 0.0, money(cost))
        for kind, (result, cost) in enumerate(zip(comparison.results, costs, strict=True))
    ]
    description = "; ".join(f"{name} {shown}" for name, _, _, shown in rows)
    svg = bar_plot(rows, title="Cost", description=description)
    return Plot("Cost", svg, "In the currency of the prices given.")


def sweep_plots(sweep: Sweep) -> list[Plot]:
    """Draw the metrics of the summary, and the mean chunk size, over a setting's values."""
    comparison, parameter = sweep.comparison, sweep.parameter
    plots = []
    for metric in comparison.metrics:
        if not metric.in_summary:
            continue
        figures = [comparison.figures[result.name, metric.key] for result in comparison.results]
        points = tuple(
            PlotPoint(
                value, one.value, one.low, one.high, f"{parameter} {value:g}: {one.value:.3f}"
            )
            for value, one in zip(sweep.values, figures, strict=True)
        )
        note = "Higher is better." if metric.family.higher_is_better else "Lower is better."
        whiskers = any(point.low is not None for point in points)
        note = f"{note} {_WHISKERS}" if whiskers else note
        plots.append(_over(metric.label, parameter, points, note))
    sizes = tuple(
        PlotPoint(value, result.mean_size, title=f"{parameter} {value:g}: {result.mean_size:.0f}")
        for value, result in zip(sweep.values, comparison.results, strict=True)
    )
    return [*plots, _over("Mean chunk, tokens", parameter, sizes, "")]


_WHISKERS = "Vertical lines: 95 % intervals."


def _over(label: str, parameter: str, points: tuple[PlotPoint, ...], note: str) -> Plot:
    svg = line_plot(
        [Series(label, 0, points)],
        title=f"{label} over {parameter}",
        description="; ".join(point.title for point in points),
        x_label=parameter,
        x_ticks=[point.x for point in points],
        evenly=True,
    )
    return Plot(label, svg, note)


def _in_words(difference: Difference) -> str:
    """Return the second splitter's difference from the first, as text."""
    verdict = "clear" if difference.clear else "not clear"
    return f"{signed_number(-difference.value, difference.count)}, {verdict}"


def plot_start_errors(errors: Mapping[str, StartErrors], path: str | Path) -> None:
    """Draw how the documents' errors are distributed: a histogram for each splitter.

    The x axis is logarithmic, because a few documents have far larger errors than most; a line
    marks each median.

    Args:
        errors: The errors under each splitter's name.
        path: The .svg file to write.

    Raises:
        ValueError: There are no errors, or the file has another ending.
        FileNotFoundError: The file's folder does not exist.
    """
    file = Path(path)
    if file.suffix.lower() != ".svg":
        raise ValueError(f"{file}: expected the name of a .svg file")
    if not errors:
        raise ValueError("expected the errors of at least one splitter")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"the folder {file.parent} does not exist: create it first")
    rows = [
        (
            f"{name}: MAE {found.mae:,.0f}, RMSE {found.rmse:,.0f}",
            kind,
            [one.error for one in found.documents],
        )
        for kind, (name, found) in enumerate(errors.items())
    ]
    svg = distribution_plot(
        rows,
        title="Start-token error of the documents",
        description="; ".join(name for name, _, _ in rows),
        x_label="start-token error of a document, logarithmic",
        what=("documents", "tokens"),
    )
    file.write_text(as_file(svg), encoding="utf-8", errors="replace")
