"""What a comparison shows and what it does not, in sentences."""

from __future__ import annotations

from statistics import median

from lumber_evaluation.comparison import Comparison, SplitterResult
from lumber_evaluation.metrics import FEWEST, Metric

_FEW_QUESTIONS = 100
_UNEQUAL_SIZES = 1.5
# What a reader looks at first in each group of metrics.
_LEADING = ("recall@5", "accuracy", "f1")


def conclusions(comparison: Comparison) -> list[str]:
    """Return what can and what cannot be concluded, most important first."""
    said = [_leader(comparison, metric) for metric in comparison.metrics if metric.key in _LEADING]
    if not comparison.metrics:
        said.append(
            "There are neither questions nor reference segments: nothing here says which splitter "
            "is better, only how they differ."
        )
    said += _about_questions(comparison)
    said += _about_sizes(comparison)
    said += _about_chance(comparison)
    said += _about_failures(comparison)
    return said


def share(value: float) -> str:
    """Return a share for people: 0.833 as "83 %"."""
    return f"{100 * value:.0f} %"


def middle_size(result: SplitterResult) -> float:
    """Return the median of a splitter's chunk sizes in tokens."""
    sizes = [size for document in result.sizes for size in document]
    return median(sizes) if sizes else 0


def listed(names: list[str]) -> str:
    """Return names as a sentence has them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _leader(comparison: Comparison, metric: Metric) -> str:
    best = comparison.best(metric)
    value = comparison.figures[best, metric.key].value
    measured = f"{metric.label} {value:.2f}"
    if metric.key == "recall@5":
        measured = f"Recall@5: {share(value)} of the questions"
    if len(comparison.results) == 1:
        return f"{best} reaches {measured}. There is nothing to compare it with."
    against = [d for d in comparison.differences if d.metric == metric.key and d.first == best]
    open_ = [d.second for d in against if not d.clear]
    clear = [d.second for d in against if d.clear]
    if not open_:
        return f"{best} is clearly ahead of every other splitter ({measured})."
    unknown = f"{listed(open_)} cannot be told from it with what was measured here"
    if not clear:
        return (
            f"No splitter is clearly ahead. {best} has the best value ({measured}), but {unknown}."
        )
    return (
        f"{best} has the best value ({measured}) and is clearly ahead of {listed(clear)}; "
        f"{unknown}."
    )


def _about_questions(comparison: Comparison) -> list[str]:
    count = len(comparison.corpus.questions)
    segmented = sum(document.is_segmented for document in comparison.corpus.documents)
    said = []
    if 0 < count < _FEW_QUESTIONS:
        plural = "question proves" if count == 1 else "questions prove"
        said.append(
            f"{count} {plural} little: a single question moves a share by {100 / count:.0f} points"
            f"{_smallest_visible(comparison)}."
        )
    if 0 < segmented < FEWEST:
        plural = "document has" if segmented == 1 else "documents have"
        said.append(
            f"Only {segmented} {plural} reference segments: too few to tell a better segmentation "
            "from a lucky one, so no interval is given for it."
        )
    for result in comparison.results:
        lost = len(result.retrieval.unanswerable) if result.retrieval is not None else 0
        if lost:
            said.append(
                f"{result.name}: {lost} of {count} questions have an answer that stands whole in "
                "no chunk. They count as missed; the retrieval table also gives the figures "
                "without them."
            )
    return said


def _smallest_visible(comparison: Comparison) -> str:
    widths = [(d.high - d.low) / 2 for d in comparison.differences if d.metric == "recall@5"]
    widest = max(widths, default=0.0)
    if not widest:
        return ""
    points = f"{100 * widest:.0f}"
    return f", and differences in Recall@5 of less than about {points} points do not show"


def _about_sizes(comparison: Comparison) -> list[str]:
    ordered = sorted(comparison.results, key=middle_size)
    small, large = ordered[0], ordered[-1]
    least, most = middle_size(small), middle_size(large)
    if not least or most / least < _UNEQUAL_SIZES or not comparison.corpus.questions:
        return []
    return [
        f"Half of the chunks of {large.name} have {most:,.0f} tokens or more, of {small.name} "
        f"{least:,.0f}. The same number of passages is then not the same amount of text: look at "
        "the plot of Recall over tokens retrieved, too."
    ]


def _about_chance(comparison: Comparison) -> list[str]:
    count = len(comparison.differences)
    if count < 40:
        return []
    return [
        f"{count} paired differences were taken at 95 %: some will look clear by chance alone. "
        "Decide beforehand which metric counts."
    ]


def _about_failures(comparison: Comparison) -> list[str]:
    return [
        f"{result.name}: {result.failures} answers of its model could not be used; its cuts there "
        "are those of its fallback."
        for result in comparison.results
        if result.failures
    ]
