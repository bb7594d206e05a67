"""The report's tables, as rows of cells for the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from lumber_evaluation.comparison import Comparison, Difference, Figure, SplitterResult
from lumber_evaluation.comparison.metrics import Metric, MetricFamily
from lumber_evaluation.retrieval import ALL_FOUND_BY, PASSAGE_BUDGETS

MINUS, DASH = "\u2212", "\u2013"
_NEAR = 5
_MANY = 300  # from this many questions on, a third decimal is meaningful


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
    return f"{value:.3f}" if count >= _MANY else f"{value:.2f}"


def summary_table(comparison: Comparison) -> Table:
    """Return the table of the main figures."""
    metrics = [metric for metric in comparison.metrics if metric.in_summary]
    columns = [*map(_heading, metrics), "Chunks", "Mean tokens", "Time"]
    asked = any(result.usage.calls for result in comparison.results)
    columns += ["Embedded"] if comparison.corpus.questions else []
    columns += ["Calls"] if asked else []
    columns += ["Cost"] if comparison.prices else []
    rows = []
    for result in comparison.results:
        cells = [metric_cell(comparison, result, metric) for metric in metrics]
        cells.append(Cell(f"{sum(map(len, result.sizes)):,}"))
        cells.append(Cell(f"{result.mean_size:,.0f}"))
        cells.append(Cell(duration(result.seconds)))
        if result.retrieval is not None:
            cells.append(Cell(f"{result.retrieval.texts_embedded:,}"))
        if asked:
            cells.append(Cell(f"{result.usage.calls:,}"))
        if comparison.prices:
            cells.append(Cell(money(comparison.cost(result))))
        rows.append(_row(result, cells))
    return Table("Summary", tuple(columns), tuple(rows), "summary")


def family_table(comparison: Comparison, family: MetricFamily, metrics: Sequence[Metric]) -> Table:
    """Return a table of the metrics of a family with their intervals."""
    rows = [
        _row(result, [metric_cell(comparison, result, metric) for metric in metrics])
        for result in comparison.results
    ]
    return Table(family.title, tuple(map(_heading, metrics)), tuple(rows), family.key)


def answers_table(comparison: Comparison) -> Table:
    """Return where the answers are: found, further down, cut apart, or not in the document."""
    rows = []
    for result in comparison.results:
        found = result.retrieval
        assert found is not None, "there are questions"
        ranks = [question.first_hit for question in found.questions]
        near = sum(rank is not None and rank <= _NEAR for rank in ranks)
        counts = (
            near,
            sum(rank is not None for rank in ranks) - near,
            sum(question.is_cut_apart for question in found.questions),
            sum(question.is_absent and not question.gold for question in found.questions),
        )
        rows.append(_row(result, [Cell(f"{count:,}") for count in counts]))
    columns = (
        f"Among the first {_NEAR}",
        "Further down",
        "Cut apart, whole in no chunk",
        "Not in the document",
    )
    return Table("Where the answers are, in questions", columns, tuple(rows), "answers")


def passages_table(comparison: Comparison) -> Table | None:
    """Return how many passages a reader gets, and of how many words; None if not measured."""
    if not comparison.has_passages:
        return None
    shown = [(found_by, words) for found_by in ALL_FOUND_BY for words in PASSAGE_BUDGETS]
    rows = []
    for result in comparison.results:
        assert result.retrieval is not None, "passages are found for questions"
        sizes = [result.retrieval.passage_sizes(*each) for each in shown]
        cells = [Cell(f"{count:.1f}", f"of {words:.0f} words") for count, words in sizes]
        rows.append(_row(result, cells))
    columns = [f"By {found_by}, {words:,} words" for found_by, words in shown]
    return Table("Joined passages of a question, means", tuple(columns), tuple(rows), "passages")


def boundary_table(comparison: Comparison) -> Table | None:
    """Return precision, recall and F1 over all boundaries, Pk and WindowDiff."""
    rows = []
    for result in comparison.results:
        scores = result.segmentation
        if scores is None:
            return None
        found = scores.boundaries
        count = len(scores.documents)
        shares = [Cell(f"{share:.3f}") for share in (found.precision, found.recall, found.f1)]
        metrics = [metric for metric in comparison.metrics if metric.family.sample == "document"]
        cells = [metric_cell(comparison, result, metric, count) for metric in metrics]
        rows.append(_row(result, [Cell(f"{found.predicted:,}"), *shares, *cells]))
    columns = ("Cuts", "Precision", "Recall", "F1", "F1, mean ↑", "Pk ↓", "WindowDiff ↓")
    return Table("Agreement with the reference segments", columns, tuple(rows), "segmentation")


def size_table(comparison: Comparison) -> Table:
    """Return the distribution of each splitter's chunk sizes."""
    rows = []
    for result in comparison.results:
        sizes = sorted(size for document in result.sizes for size in document)
        if sizes:
            tenth, ninth = sizes[len(sizes) // 10], sizes[len(sizes) * 9 // 10]
            spread = (fmean(sizes), sizes[0], tenth, median(sizes), ninth, sizes[-1])
            cells = [Cell(f"{len(sizes):,}"), *(Cell(f"{size:,.0f}") for size in spread)]
        else:
            cells = [Cell("0"), *[Cell(DASH)] * 6]
        rows.append(_row(result, cells))
    columns = ("Chunks", "Mean", "Smallest", "10 %", "Median", "90 %", "Largest")
    return Table("Tokens in a chunk", columns, tuple(rows), "sizes")


def cost_table(comparison: Comparison) -> Table:
    """Return time, calls, tokens and cost of splitting."""
    rows = []
    for result in comparison.results:
        usage = result.usage
        characters = sum(len(document.text) for document in comparison.corpus.documents)
        cells = [
            Cell(duration(result.seconds)),
            Cell(f"{characters / result.seconds:,.0f}" if result.seconds >= 0.001 else DASH),
            Cell(f"{usage.calls:,}"),
            Cell(f"{usage.prompt_tokens:,}"),
            Cell(f"{usage.completion_tokens:,}"),
            Cell(f"{result.failures:,}"),
        ]
        if comparison.prices:
            cells.append(Cell(money(comparison.cost(result))))
        rows.append(_row(result, cells))
    columns = ["Time", "Characters/s", "Calls", "Tokens sent", "Tokens received", "Failures"]
    columns += ["Cost"] if comparison.prices else []
    return Table("What splitting took", tuple(columns), tuple(rows), "cost")


def metric_cell(
    comparison: Comparison, result: SplitterResult, metric: Metric, count: int | None = None
) -> Cell:
    """Return a metric's value above its interval, marked if it is clearly best."""
    figure = comparison.figures[result.name, metric.key]
    if count is None:
        segmented = result.segmentation.documents if result.segmentation is not None else ()
        questions = len(comparison.corpus.questions)
        count = len(segmented) if metric.family.sample == "document" else questions
    return Cell(
        number(figure.value, count),
        interval(figure, count),
        comparison.clearly_best(metric) == result.name,
    )


def interval(figure: Figure | Difference, count: int, *, signed: bool = False) -> str:
    """Return an interval as text; "" if there is none."""
    if figure.low is None or figure.high is None:
        return ""
    if signed:
        return f"{signed_number(figure.low, count)} to {signed_number(figure.high, count)}"
    return f"{number(figure.low, count)}{DASH}{number(figure.high, count)}"


def signed_number(value: float, count: int) -> str:
    """Return a difference with its sign."""
    shown = number(abs(value), count)
    sign = MINUS if value < 0 else "+"
    return f"{sign}{shown}" if float(shown) else shown


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


def _row(result: SplitterResult, cells: Sequence[Cell]) -> TableRow:
    return TableRow(result.name, tuple(cells))
