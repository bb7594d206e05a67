"""The figures of a comparison: each metric's value with its interval, and paired differences.

A difference counts as clear only where its interval excludes 0 and enough questions (or documents)
decide it: where fewer than `FEWEST` differ, even all of them in one direction are no rare chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, Protocol

from lumber_evaluation.bootstrap import mean_interval, paired_difference
from lumber_evaluation.llm.answers import QaResult
from lumber_evaluation.retrieval import CUTOFFS, RetrievalResult
from lumber_evaluation.segmentation import SegmentationScores

# Five fair coins fall all on one side once in 16 throws, six once in 32: six is the fewest that can
# speak against chance at 95 %.
FEWEST = 6

Group = Literal["retrieval", "tokens", "answers", "segmentation"]


@dataclass(frozen=True, slots=True)
class Metric:
    """Something splitters are measured by.

    Attributes:
        key: Its name in the JSON file, such as "recall@5".
        label: Its name for people.
        group: What it belongs to.
        higher_is_better: Whether more of it is better.
    """

    key: str
    label: str
    group: Group
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric's value for one splitter.

    Attributes:
        value: The mean over questions or documents.
        low: Lower end of its 95 % bootstrap interval; None where fewer than `FEWEST` were measured,
            or all came out the same: a bootstrap says nothing then.
        high: Upper end, likewise.
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more of a metric one splitter has than another, on the same questions.

    Attributes:
        metric: The metric's key.
        first: Name of the one splitter.
        second: Name of the other.
        value: Mean of first minus second.
        low: Lower end of the 95 % paired bootstrap interval.
        high: Upper end, likewise.
        differing: Questions (or documents) on which the two differ.
        count: Questions (or documents) measured.
    """

    metric: str
    first: str
    second: str
    value: float
    low: float
    high: float
    differing: int
    count: int

    @property
    def clear(self) -> bool:
        """Whether it is more than chance: the interval excludes 0, and enough differ."""
        return (self.low > 0 or self.high < 0) and self.differing >= FEWEST


class Measured(Protocol):
    """What figures are made from: one splitter's results."""

    @property
    def name(self) -> str:
        """Name of the splitter."""
        ...

    @property
    def retrieval(self) -> RetrievalResult | None:
        """What was retrieved; None where there are no questions."""
        ...

    @property
    def segmentation(self) -> SegmentationScores | None:
        """Agreement with reference segments; None where there are none."""
        ...

    @property
    def qa(self) -> QaResult | None:
        """Questions answered from what was retrieved; None where none was."""
        ...


def metrics_of(results: Sequence[Measured]) -> tuple[Metric, ...]:
    """Return the metrics that all of some results have, those of one group together."""
    found: list[Metric] = []
    if all(result.retrieval is not None for result in results):
        found += [Metric(f"recall@{k}", f"Recall@{k}", "retrieval") for k in CUTOFFS]
        found += [Metric(f"dcg@{k}", f"DCG@{k}", "retrieval") for k in CUTOFFS if k > 1]
        if all(_has_references(result) for result in results):
            names = {"recall": "recall", "precision": "precision", "iou": "IoU"}
            found += [
                Metric(f"token_{key}@{k}", f"Token {label}@{k}", "tokens")
                for key, label in names.items()
                for k in CUTOFFS
            ]
    if all(result.qa is not None for result in results):
        found.append(Metric("accuracy", "QA accuracy", "answers"))
    if all(result.segmentation is not None for result in results):
        found.append(Metric("f1", "Boundary F1", "segmentation"))
        found.append(Metric("pk", "Pk", "segmentation", higher_is_better=False))
        found.append(Metric("window_diff", "WindowDiff", "segmentation", higher_is_better=False))
    # Where no answer could be judged under some splitter, there is no accuracy to compare.
    return tuple(m for m in found if all(_is_measured(result, m) for result in results))


def values(result: Measured, metric: Metric) -> list[float]:
    """Return a metric's values, one for each question or document, alike for all splitters.

    F1 is that of each document; strings that occur in no chunk count as missed. A question that
    cannot be measured, such as one whose answer nobody judged, is nan.
    """
    if metric.key == "accuracy":
        assert result.qa is not None
        judged = [answer.correct for answer in result.qa.answers]
        return [math.nan if correct is None else float(correct) for correct in judged]
    if metric.group == "segmentation":
        assert result.segmentation is not None
        scores = result.segmentation.documents
        if metric.key == "f1":
            return [score.boundaries.f1 for score in scores]
        return [score.pk if metric.key == "pk" else score.window_diff for score in scores]
    assert result.retrieval is not None
    name, _, cutoff = metric.key.partition("@")
    return result.retrieval.per_question(name, int(cutoff))


def figure(result: Measured, metric: Metric) -> Figure:
    """Return a metric's mean, with its interval where there is one to tell."""
    measured = [value for value in values(result, metric) if not math.isnan(value)]
    # Values that are all the same give an interval of no width, which 12 of 12 do not warrant.
    if len(measured) < FEWEST or min(measured) == max(measured):
        return Figure(fmean(measured))
    interval = mean_interval(measured)
    return Figure(interval.value, interval.low, interval.high)


def difference(first: Measured, second: Measured, metric: Metric) -> Difference | None:
    """Compare two splitters on what was measured under both; None: nothing was."""
    both = zip(values(first, metric), values(second, metric), strict=True)
    pairs = [(a, b) for a, b in both if not math.isnan(a - b)]
    if not pairs:
        return None
    interval = paired_difference([a for a, _ in pairs], [b for _, b in pairs])
    differing = sum(abs(a - b) > 1e-12 for a, b in pairs)
    return Difference(
        metric.key,
        first.name,
        second.name,
        interval.value,
        interval.low,
        interval.high,
        differing,
        len(pairs),
    )


def _is_measured(result: Measured, metric: Metric) -> bool:
    return not all(math.isnan(value) for value in values(result, metric))


def _has_references(result: Measured) -> bool:
    assert result.retrieval is not None
    return any(question.token_iou is not None for question in result.retrieval.questions)
