"""The plots of a comparison: what to draw; `svg` draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from lumber_evaluation.comparison import Comparison, SplitterResult
from lumber_evaluation.metrics import Difference, Metric
from lumber_evaluation.report.conclusions import middle_size, share
from lumber_evaluation.report.svg import (
    Point,
    Series,
    bar_plot,
    difference_plot,
    distribution_plot,
    line_plot,
)
from lumber_evaluation.report.tables import MINUS, duration, interval, money, signed_number
from lumber_evaluation.retrieval import CUTOFFS


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with the words around it.

    Attributes:
        title: Its heading.
        svg: The drawing.
        note: How to read it.
        legend: Whether a list of the splitters' signs belongs to it.
    """

    title: str
    svg: str
    note: str
    legend: bool = False


def recall_plot(comparison: Comparison) -> Plot:
    """Draw Recall@k over k."""
    count = len(comparison.corpus.questions)
    series = []
    for kind, result in enumerate(comparison.results):
        points = []
        for k in CUTOFFS:
            figure = comparison.figures[result.name, f"recall@{k}"]
            ends = interval(figure, count)
            title = f"{result.name}: Recall@{k} {figure.value:.2f} {f'({ends})' if ends else ''}"
            points.append(Point(k, figure.value, figure.low, figure.high, title))
        series.append(Series(result.name, kind, tuple(points)))
    svg = line_plot(
        series,
        title="Recall@k",
        description=_in_words(comparison, "recall@5", "Recall@5"),
        x_label="k, passages retrieved",
        x_ticks=CUTOFFS,
        evenly=True,
    )
    note = "Share of the questions that one of the first k passages answers."
    whiskers = any(point.low is not None for one in series for point in one.points)
    return Plot("Recall@k", svg, f"{note} Lines up and down: 95 %." if whiskers else note, True)


def recall_over_tokens_plot(comparison: Comparison) -> Plot:
    """Draw Recall@k over the tokens that k passages hold on average."""
    series = []
    for kind, result in enumerate(comparison.results):
        points = []
        for k in CUTOFFS:
            value = comparison.figures[result.name, f"recall@{k}"].value
            tokens = tokens_retrieved(result, k)
            title = f"{result.name}: Recall@{k} {value:.2f} with {tokens:,.0f} tokens"
            points.append(Point(tokens, value, title=title))
        series.append(Series(result.name, kind, tuple(points)))
    said = "; ".join(
        f"{result.name} {tokens_retrieved(result, 5):,.0f}" for result in comparison.results
    )
    svg = line_plot(
        series,
        title="Recall over tokens retrieved",
        description=f"Tokens that five passages hold: {said}.",
        x_label="tokens in the passages retrieved, mean",
    )
    note = (
        "The same figures over what a model would have to read: further up and to the left is "
        f"better. Points: k = {', '.join(map(str, CUTOFFS))}."
    )
    return Plot("Recall over tokens retrieved", svg, note, True)


def differences_plot(comparison: Comparison, metric: Metric) -> Plot | None:
    """Draw how far every splitter is from the best one in a metric; None for one splitter."""
    best = comparison.best(metric)
    found = [d for d in comparison.differences if d.metric == metric.key and d.first == best]
    if not found:
        return None
    kinds = {result.name: kind for kind, result in enumerate(comparison.results)}
    rows = []
    for one in found:
        shown = difference_in_words(one)
        point = Point(0, -one.value, -one.high, -one.low, f"{one.second} {MINUS} {best}: {shown}")
        rows.append((one.second, kinds[one.second], point, shown))
    svg = difference_plot(
        rows,
        title=f"{metric.label} compared with {best}",
        description="; ".join(f"{name}: {shown}" for name, _, _, shown in rows),
        x_label=f"{metric.label}, difference from {best}",
    )
    note = (
        "Question by question, on the same questions. An interval that reaches over 0 proves no "
        "difference."
    )
    return Plot(f"{metric.label}, difference from {best}", svg, note)


def difference_in_words(difference: Difference) -> str:
    """Return the second splitter's distance from the first, for people."""
    count = difference.count
    verdict = "clear" if difference.clear else "not clear"
    return f"{signed_number(-difference.value, count)}, {verdict}"


def size_plot(comparison: Comparison) -> Plot:
    """Draw how chunk sizes are spread."""
    rows = [
        (result.name, kind, [size for document in result.sizes for size in document])
        for kind, result in enumerate(comparison.results)
    ]
    medians = "; ".join(f"{r.name} {middle_size(r):,.0f}" for r in comparison.results)
    svg = distribution_plot(
        rows,
        title="Chunk sizes",
        description=f"Medians in tokens: {medians}.",
        x_label="tokens in a chunk, logarithmic",
    )
    return Plot(
        "How sizes are spread", svg, "How many chunks have which size. Upright line: the median."
    )


def time_plot(comparison: Comparison) -> Plot:
    """Draw the time that splitting took."""
    rows = [
        (result.name, kind, result.seconds, duration(result.seconds))
        for kind, result in enumerate(comparison.results)
    ]
    description = "; ".join(f"{name} {shown}" for name, _, _, shown in rows)
    svg = bar_plot(rows, title="Time", description=description)
    return Plot("Time", svg, "Splitting all documents, one after another.")


def cost_plot(comparison: Comparison) -> Plot | None:
    """Draw what splitting cost; None where nothing did, or prices are unknown."""
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


_SWEPT = ("recall@5", "dcg@20", "token_iou@5", "accuracy", "f1", "pk")


def sweep_plots(comparison: Comparison, parameter: str, values: Sequence[float]) -> list[Plot]:
    """Draw the leading metrics, and the median chunk size, over a setting's values."""
    plots = []
    for metric in comparison.metrics:
        if metric.key not in _SWEPT:
            continue
        figures = [comparison.figures[result.name, metric.key] for result in comparison.results]
        points = tuple(
            Point(value, one.value, one.low, one.high, f"{parameter} {value:g}: {one.value:.3f}")
            for value, one in zip(values, figures, strict=True)
        )
        better = "Higher is better." if metric.higher_is_better else "Lower is better."
        whiskers = any(point.low is not None for point in points)
        note = f"{better} Lines up and down: 95 %." if whiskers else better
        plots.append(_over(metric.label, parameter, points, note))
    sizes = tuple(
        Point(value, middle_size(result), title=f"{parameter} {value:g}: {middle_size(result):g}")
        for value, result in zip(values, comparison.results, strict=True)
    )
    return [*plots, _over("Median chunk, tokens", parameter, sizes, "")]


def _over(label: str, parameter: str, points: tuple[Point, ...], note: str) -> Plot:
    svg = line_plot(
        [Series(label, 0, points)],
        title=f"{label} over {parameter}",
        description="; ".join(point.title for point in points),
        x_label=parameter,
        x_ticks=[point.x for point in points],
        evenly=True,
    )
    return Plot(label, svg, note)


def tokens_retrieved(result: SplitterResult, k: int) -> float:
    """Return how many tokens the first k passages hold, on average over the questions."""
    assert result.retrieval is not None
    sizes = [size for document in result.sizes for size in document]
    return fmean(
        sum(sizes[number] for number in question.retrieved[:k])
        for question in result.retrieval.questions
    )


def _in_words(comparison: Comparison, key: str, label: str) -> str:
    said = "; ".join(
        f"{result.name} {share(comparison.figures[result.name, key].value)}"
        for result in comparison.results
    )
    return f"{label}: {said}."
