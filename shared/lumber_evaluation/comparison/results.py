"""The results of a comparison: figures with intervals, paired differences, the best splitters.

A difference counts as clear only if its interval excludes 0 and the splitters differ on at least
`MIN_FOR_INTERVAL` questions (or documents): on fewer, one may be ahead by chance.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from itertools import product
from statistics import fmean

from lumber_core.lumber.cost_estimate import Prices
from lumber_evaluation.bootstrap import mean_interval, paired_difference
from lumber_evaluation.comparison.metrics import Metric, SplitterResult, metrics_of
from lumber_evaluation.dataset import Corpus

MIN_FOR_INTERVAL = 6
"""Questions or documents that an interval or a clear difference needs. Five fair coins all show the
same side in 1 of 16 throws, six in 1 of 32: fewer than six cannot exclude chance at 95 %."""

_MAX_SIZE_RATIO = 4 / 3  # of mean chunk sizes, for figures at k chunks to be comparable


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric's value for one splitter.

    Attributes:
        value: The mean over questions or documents.
        low: Lower end of its 95 % bootstrap interval; None if there are fewer values than
            `MIN_FOR_INTERVAL` or all are equal, because a bootstrap shows nothing then.
        high: Upper end; None if `low` is None.
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two splitters in a metric, on the same questions.

    Attributes:
        metric: The metric's key.
        first: Name of one splitter.
        second: Name of the other splitter.
        value: Mean of first minus second.
        low: Lower end of the 95 % paired bootstrap interval.
        high: Upper end.
        differing: Questions or documents (those that are drawn) on which the two differ.
        count: Questions (or documents with reference segments) measured.
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
        """Whether it is significant: the interval excludes 0, and enough values differ."""
        return (self.low > 0 or self.high < 0) and self.differing >= MIN_FOR_INTERVAL


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several splitters measured on the same corpus.

    Attributes:
        corpus: The documents and questions.
        results: One for each splitter, in the order given.
        embedder: Identity of the embedder; "" without questions.
        tokenizer: A description of the token counter.
        within_document: Whether a question searched its own document only.
        prices: What the splitters' models cost; None if unknown.
        made: Time of the comparison, in UTC.
    """

    corpus: Corpus
    results: tuple[SplitterResult, ...]
    embedder: str
    tokenizer: str
    within_document: bool
    prices: Prices | None = None
    made: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    def __repr__(self) -> str:
        names = ", ".join(result.name for result in self.results)
        return f"<Comparison of {names} on {self.corpus.name}: write_report shows it>"

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics measured, most important first."""
        return metrics_of(self.results)

    @cached_property
    def draws_documents(self) -> bool:
        """Whether intervals draw documents with all their questions.

        They do if questions share documents and there are at least `MIN_FOR_INTERVAL` documents.
        Otherwise they draw questions, and are valid for these documents only.
        """
        documents = {question.document for question in self.corpus.questions}
        return MIN_FOR_INTERVAL <= len(documents) < len(self.corpus.questions)

    @cached_property
    def sizes_alike(self) -> bool:
        """Whether mean chunk sizes differ by at most a third: then figures at k are comparable."""
        means = [result.mean_size for result in self.results]
        return max(means) <= _MAX_SIZE_RATIO * min(means)

    @cached_property
    def figures(self) -> dict[tuple[str, str], Figure]:
        """The value of every metric under (name of the splitter, key of the metric)."""
        return {
            (result.name, metric.key): self._figure(result, metric)
            for result, metric in product(self.results, self.metrics)
        }

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Paired differences of each metric's best splitter from all others, on shared samples."""
        by_name = {result.name: result for result in self.results}
        differences = []
        for metric in self.metrics:
            best = by_name[self.best(metric)]
            values = self._values(best, metric)
            clusters = self._clusters(metric, len(values))
            for other in (result for result in self.results if result is not best):
                others = self._values(other, metric)
                changes = [a - b for a, b in zip(values, others, strict=True)]
                if count := sum(not math.isnan(change) for change in changes):
                    interval = paired_difference(values, others, clusters=clusters)
                    differing = {clusters[n] for n, by in enumerate(changes) if abs(by) > 1e-12}
                    names = metric.key, best.name, other.name
                    differences.append(Difference(*names, *interval, len(differing), count))
        return tuple(differences)

    def best(self, metric: Metric) -> str:
        """Return the name of the splitter with a metric's best value, the first of several."""
        sign = 1 if metric.family.higher_is_better else -1
        names = [result.name for result in self.results]
        return max(names, key=lambda name: sign * self.figures[name, metric.key].value)

    def against_best(self, metric: Metric) -> list[Difference]:
        """Return the differences of a metric's best splitter from the others."""
        return [d for d in self.differences if d.metric == metric.key]

    def clearly_best(self, metric: Metric) -> str | None:
        """Return the splitter that is clearly better than all others, or None.

        The result is None, too, if the metric is about a number of chunks and the mean sizes of
        chunks are not alike: the same number of larger chunks is more text.
        """
        if metric.family.at_k_chunks and not self.sizes_alike:
            return None
        against = self.against_best(metric)
        complete = len(against) == len(self.results) - 1 > 0
        return self.best(metric) if complete and all(d.clear for d in against) else None

    def cost(self, result: SplitterResult) -> float | None:
        """Return what splitting cost, in the currency of the prices; None if unknown."""
        if not result.usage.calls:
            return 0.0
        return None if self.prices is None else self.prices.of(result.usage)

    def _values(self, result: SplitterResult, metric: Metric) -> list[float]:
        values = metric.values(result)
        assert values is not None, "metrics are those that all results have"
        return values

    def _clusters(self, metric: Metric, count: int) -> Sequence[Hashable]:
        """Return what intervals draw for each of `count` values: its document, or its number."""
        if metric.family.sample == "question" and self.draws_documents:
            return [question.document for question in self.corpus.questions]
        return range(count)

    def _figure(self, result: SplitterResult, metric: Metric) -> Figure:
        """Return a metric's mean, with its interval if there is one."""
        values = self._values(result, metric)
        clusters = self._clusters(metric, len(values))
        measured = [value for value in values if not math.isnan(value)]
        drawn = {c for c, value in zip(clusters, values, strict=True) if not math.isnan(value)}
        # Equal values would give an interval of no width, which 12 hits of 12 do not justify.
        if len(drawn) < MIN_FOR_INTERVAL or min(measured) == max(measured):
            return Figure(fmean(measured))
        return Figure(*mean_interval(values, clusters=clusters))
