"""The report's tables, as rows of cells for the template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from lumber_evaluation.comparison import Comparison, Figure, SplitterResult
from lumber_evaluation.comparison.metrics import Metric, MetricFamily

MINUS, DASH = "\u2212", "\u2013"
_MIN_FOR_3_DECIMALS = 300  # questions or documents; with fewer, a third decimal is noise


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, the small text below it, and whether it is clearly best."""

    text: str
    below: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row about one splitter."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with one row for each splitter."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    key: str


def number(value: float, count: int) -> str:
    """Return a share with as many decimals as `count` questions or documents justify."""
    return f"{value:.3f}" if count >= _MIN_FOR_3_DECIMALS else f"{value:.2f}"


def summary_table(comparison: Comparison) -> Table:
    """Return the table of the main figures."""
    metrics = [metric for metric in comparison.metrics if metric.in_summary]
    has_calls = any(result.usage.calls for result in comparison.results)
    columns = [*map(_heading, metrics), "Chunks", "Mean tokens", "Time"]
    columns += ["Embedded"] if comparison.corpus.questions else []
    columns += ["Calls"] if has_calls else []
    columns += ["Cost"] if comparison.prices else []

    def cells(result: SplitterResult) -> Iterator[Cell]:
        yield from (metric_cell(comparison, result, metric) for metric in metrics)
        yield Cell(f"{sum(map(len, result.sizes)):,}")
        yield Cell(f"{result.mean_size:,.0f}")
        yield Cell(duration(result.seconds))
        if result.retrieval is not None:
            yield Cell(f"{result.retrieval.texts_embedded:,}")
        if has_calls:
            yield Cell(f"{result.usage.calls:,}")
        if comparison.prices:
            yield Cell(money(comparison.cost(result)))

    return _table(comparison, "Summary", "summary", columns, cells)


def family_table(comparison: Comparison, family: MetricFamily, metrics: Sequence[Metric]) -> Table:
    """Return a table of the metrics of a family with their intervals."""
    return _table(
        comparison,
        family.title,
        family.key,
        list(map(_heading, metrics)),
        lambda result: (metric_cell(comparison, result, metric) for metric in metrics),
    )


def boundary_table(comparison: Comparison) -> Table | None:
    """Return precision, recall and F1 over all boundaries, Pk and WindowDiff."""
    if any(result.segmentation is None for result in comparison.results):
        return None
    metrics = [metric for metric in comparison.metrics if metric.family.sample == "document"]

    def cells(result: SplitterResult) -> Iterator[Cell]:
        assert result.segmentation is not None
        boundaries = result.segmentation.boundaries
        yield Cell(f"{boundaries.predicted:,}")
        shares = (boundaries.precision, boundaries.recall, boundaries.f1)
        yield from (Cell(f"{share:.3f}") for share in shares)
        yield from (metric_cell(comparison, result, metric) for metric in metrics)

    columns = ["Cuts", "Precision", "Recall", "F1", "F1, mean ↑", "Pk ↓", "WindowDiff ↓"]
    title = "Agreement with the reference segments"
    return _table(comparison, title, "segmentation", columns, cells)


def size_table(comparison: Comparison) -> Table:
    """Return the distribution of each splitter's chunk sizes."""

    def cells(result: SplitterResult) -> Iterator[Cell]:
        sizes = sorted(size for document in result.sizes for size in document)
        yield Cell(f"{len(sizes):,}")
        if not sizes:
            yield from [Cell(DASH)] * 6
            return
        tenth, ninth = sizes[len(sizes) // 10], sizes[len(sizes) * 9 // 10]
        for size in (fmean(sizes), sizes[0], tenth, median(sizes), ninth, sizes[-1]):
            yield Cell(f"{size:,.0f}")

    columns = ["Chunks", "Mean", "Smallest", "10 %", "Median", "90 %", "Largest"]
    return _table(comparison, "Tokens in a chunk", "sizes", columns, cells)


def _table(
    comparison: Comparison,
    caption: str,
    key: str,
    columns: Sequence[str],
    cells: Callable[[SplitterResult], Iterable[Cell]],
) -> Table:
    rows = (TableRow(result.name, tuple(cells(result))) for result in comparison.results)
    return Table(caption, tuple(columns), tuple(rows), key)


def metric_cell(comparison: Comparison, result: SplitterResult, metric: Metric) -> Cell:
    """Return a metric's value above its interval, marked if it is clearly best."""
    figure = comparison.figures[result.name, metric.key]
    segmented = result.segmentation.documents if result.segmentation is not None else ()
    of_documents = metric.family.sample == "document"
    count = len(segmented if of_documents else comparison.corpus.questions)
    return Cell(
        number(figure.value, count),
        interval(figure, count),
        comparison.clearly_best(metric) == result.name,
    )


def interval(figure: Figure, count: int) -> str:
    """Return an interval as text; "" if there is none."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{number(figure.low, count)}{DASH}{number(figure.high, count)}"


def signed_number(value: float, count: int) -> str:
    """Return a difference with its sign."""
    magnitude = number(abs(value), count)
    sign = MINUS if value < 0 else "+"
    return f"{sign}{magnitude}" if float(magnitude) else magnitude


def duration(seconds: float) -> str:
    """Return a time as text."""
    if seconds < 0.001:
        return "< 1 ms"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def money(cost: float | None) -> str:
    """Return a cost as text; the currency is that of the prices."""
    if cost is None:
        return "?"
    return f"{cost:.2f}" if cost >= 1 or not cost else f"{cost:.2g}"


def _heading(metric: Metric) -> str:
    return f"{metric.label}\u00a0{'↑' if metric.family.higher_is_better else '↓'}"
