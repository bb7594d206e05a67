"""The results of a splitter, and the registry of the metrics that are computed from them.

Tables, plots, JSON and help texts are made from the registry. A metric has a value for each
question, or for each document with reference segments; its figure is the mean. Metrics that differ
in one number, such as Recall@1 and Recall@5, are a family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from statistics import fmean
from typing import Any, Literal

from lumber_core.segmentation import Usage
from lumber_evaluation.boundary_metrics import SegmentationScores
from lumber_evaluation.dataset import SplitDocument
from lumber_evaluation.retrieval import (
    CUTOFFS,
    PASSAGE_BUDGETS,
    WORD_BUDGETS,
    QuestionResult,
    RetrievalResult,
)
from lumber_retrieval.passages.joining import MAX_GAP


@dataclass(frozen=True, slots=True)
class SplitterResult:
    """The results of one splitter on a corpus.

    Attributes:
        name: Its name in the comparison.
        settings: Readable settings that determine its result.
        splits: Every document, split.
        sizes: Tokens of each chunk, for each document.
        segmentation: Agreement with reference segments; None if no document has any.
        retrieval: What questions retrieve from its chunks; None if there are no questions.
    """

    name: str
    settings: str
    splits: tuple[SplitDocument, ...]
    sizes: tuple[tuple[int, ...], ...]
    segmentation: SegmentationScores | None = None
    retrieval: RetrievalResult | None = None

    @property
    def mean_size(self) -> float:
        """Mean size of its chunks in tokens; 0 without chunks."""
        sizes = [size for document in self.sizes for size in document]
        return fmean(sizes) if sizes else 0.0

    @property
    def seconds(self) -> float:
        """Time that splitting took, all documents together."""
        return sum(split.seconds for split in self.splits)

    @property
    def usage(self) -> Usage:
        """Calls and tokens that splitting took."""
        return sum((split.usage for split in self.splits), Usage())

    @property
    def failures(self) -> int:
        """Answers of a model that could not be used."""
        return sum(split.failures for split in self.splits)


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """Metrics with one definition."""

    key: str  # its name in JSON
    title: str  # its display name
    definition: str  # in sentences
    sample: Literal["question", "document"] = "question"  # the items that have one value each
    higher_is_better: bool = True
    # Whether the metric counts k chunks whatever their size, so that larger chunks change it.
    at_k_chunks: bool = False


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure of splitters.

    `measure` returns the value of a `QuestionResult`, or of a `DocumentScore` if the family samples
    documents; nan if it cannot be measured.
    """

    key: str  # its name in JSON, such as "recall@5"
    label: str  # its display name
    family: MetricFamily
    measure: Callable[[Any], float]
    at: int | None = None  # its number within the family, such as k; None for a single metric
    in_summary: bool = False  # whether it is in the summary table
    leads: bool = False  # whether conclusions and plots of differences include it

    def values(self, result: SplitterResult) -> list[float] | None:
        """Return the values of one splitter, one for each question or document, in their order.

        None without the results that it needs.
        """
        if self.family.sample == "document":
            scores = result.segmentation
            return None if scores is None else [*map(self.measure, scores.documents)]
        retrieval = result.retrieval
        return None if retrieval is None else [*map(self.measure, retrieval.questions)]


def metrics_of(results: Sequence[SplitterResult]) -> tuple[Metric, ...]:
    """Return the metrics that all of the results have, in the registry's order."""

    def is_measured(metric: Metric, result: SplitterResult) -> bool:
        values = metric.values(result)
        return values is not None and not all(map(math.isnan, values))

    return tuple(metric for metric in METRICS if all(is_measured(metric, r) for r in results))


def families_of(metrics: Sequence[Metric]) -> dict[MetricFamily, list[Metric]]:
    """Return metrics grouped by family."""
    families: dict[MetricFamily, list[Metric]] = {}
    for metric in metrics:
        families.setdefault(metric.family, []).append(metric)
    return families


WORD_RECALL = MetricFamily(
    "word_recall",
    "Recall at equal amounts of text",
    "Share of a question's reference text among the first words retrieved: chunks are read "
    "best first, and the last one is cut. The reference text is that of the question's excerpts, "
    "or else the question's string wherever it occurs in its document. A question whose string "
    "does not occur in its document is left out. Words are separated by white space, which is "
    "not counted in shares.",
)
PASSAGE_RECALL = MetricFamily(
    "passage_recall",
    "Recall in joined passages",
    "Share of a question's reference text in joined passages: chunks are found by vectors and "
    f"by words (BM25) together, as by PassageIndex; sentences at most {MAX_GAP} words apart are "
    "joined into passages, best first, and the words between them count.",
)
RECALL = MetricFamily(
    "recall",
    "Recall@k",
    "Share of the questions for which one of the k chunks most similar to the question contains "
    "the answer: it contains the question's string (ignoring case), or has at least half "
    "of a reference excerpt, or lies at least half in one. Search is exact. A question whose "
    "answer no chunk contains whole counts as missed, unless a table states otherwise. k large "
    "chunks are more text than k small ones.",
    at_k_chunks=True,
)
DCG = MetricFamily(
    "dcg",
    "DCG@k",
    "Mean over the questions of 1 / log₂(rank + 1), where rank is that of the first chunk that "
    "contains the answer; 0 if it is not among the first k.",
    at_k_chunks=True,
)
TOKEN_RECALL = MetricFamily(
    "token_recall",
    "Token recall",
    "Share of the text in the reference excerpts that the first k chunks contain. Counted in "
    "characters, as in Chroma's evaluation.",
    at_k_chunks=True,
)
TOKEN_PRECISION = MetricFamily(
    "token_precision",
    "Token precision",
    "Share of the text in the first k chunks that lies in reference excerpts. Counted in "
    "characters, as in Chroma's evaluation.",
    at_k_chunks=True,
)
TOKEN_IOU = MetricFamily(
    "token_iou",
    "Token IoU",
    "Intersection over union of the text in the first k chunks and the text in the "
    "reference excerpts. Counted in characters, as in Chroma's evaluation.",
    at_k_chunks=True,
)
BOUNDARY_F1 = MetricFamily(
    "f1",
    "Boundary F1",
    "Harmonic mean of precision (share of the cuts that are at a reference boundary) and recall "
    "(share of the reference boundaries that are cut), in the document's units. The start of a "
    "text does not count.",
    sample="document",
)
PK = MetricFamily(
    "pk",
    "Pk",
    "A window of half a mean reference segment slides over the units: how often its ends are "
    "wrongly put in one segment, or in two. Forgives near misses in part; 0 is perfect.",
    sample="document",
    higher_is_better=False,
)
WINDOW_DIFF = MetricFamily(
    "window_diff",
    "WindowDiff",
    "How often the same window contains a wrong number of boundaries. 0 is perfect.",
    sample="document",
    higher_is_better=False,
)


def _metrics() -> Iterator[Metric]:
    for key, title, budgets, recall in (
        ("recall", "Recall", WORD_BUDGETS, QuestionResult.word_recall),
        ("passage_recall", "Passages", PASSAGE_BUDGETS, QuestionResult.passage_recall),
    ):
        for words in budgets:
            yield Metric(
                f"{key}@{words}w",
                f"{title}, {words:,} words",
                WORD_RECALL if key == "recall" else PASSAGE_RECALL,
                partial(recall, words=words),
                words,
                in_summary=words == 600,
                leads=words == 600,
            )
    for family, measure in _AT_K:
        for k in CUTOFFS[family is DCG :]:  # DCG@1 is Recall@1
            leads = family is RECALL and k == 5
            yield Metric(
                f"{family.key}@{k}",
                f"{family.title.removesuffix('@k')}@{k}",
                family,
                partial(measure, k),
                k,
                in_summary=leads or (family is DCG and k == 20),
                leads=leads,
            )
    f1 = attrgetter("boundaries.f1")
    yield Metric("f1", "Boundary F1", BOUNDARY_F1, f1, in_summary=True, leads=True)
    yield Metric("pk", "Pk", PK, attrgetter("pk"), in_summary=True)
    yield Metric("window_diff", "WindowDiff", WINDOW_DIFF, attrgetter("window_diff"))


_AT_K: tuple[tuple[MetricFamily, Callable[[int, QuestionResult], float]], ...] = (
    (RECALL, lambda k, question: question.recall(k)),
    (DCG, lambda k, question: question.dcg(k)),
    (TOKEN_RECALL, lambda k, question: question.overlap(k).recall),
    (TOKEN_PRECISION, lambda k, question: question.overlap(k).precision),
    (TOKEN_IOU, lambda k, question: question.overlap(k).iou),
)

METRICS = tuple(_metrics())
"""All metrics, in the order in which they are shown."""
