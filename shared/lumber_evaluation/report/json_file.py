"""A comparison as JSON: every figure of the report, every span, every question's result.

It does not contain the texts of documents, only their lengths and SHA-256 digests.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lumber_core import __version__
from lumber_core.support.identity import text_digest
from lumber_evaluation.comparison import Comparison, SplitterResult
from lumber_evaluation.comparison.metrics import Metric
from lumber_evaluation.dataset import Corpus
from lumber_evaluation.report.conclusions import conclusions
from lumber_evaluation.retrieval import WORD_BUDGETS, RetrievalResult

FORMAT = "lumber-comparison"
FORMAT_VERSION = 1
_SHARES = ("precision", "recall", "f1")  # metrics of boundaries


def report_json(comparison: Comparison) -> dict[str, Any]:
    """Return the content of a report for JSON, without the texts.

    `version` is the version of the format.
    """
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "made": comparison.made.isoformat(timespec="seconds"),
        "lumber_splitters": __version__,
        "corpus": _corpus(comparison.corpus),
        "embedder": comparison.embedder or None,
        "tokenizer": comparison.tokenizer,
        "within_document": comparison.within_document,
        "prices": None if comparison.prices is None else asdict(comparison.prices),
        "conclusions": conclusions(comparison),
        "intervals_draw": "documents" if comparison.draws_documents else "questions",
        "mean_sizes_alike": comparison.sizes_alike,
        "metrics": [_metric(comparison, metric) for metric in comparison.metrics],
        "splitters": [_splitter(comparison, result) for result in comparison.results],
        "differences": [
            {**asdict(difference), "clear": difference.clear}
            for difference in comparison.differences
        ],
    }


def _metric(comparison: Comparison, metric: Metric) -> dict[str, Any]:
    family = metric.family
    return {
        "key": metric.key,
        "label": metric.label,
        "family": family.key,
        "at": metric.at,
        "definition": family.definition,
        "sample": family.sample,
        "higher_is_better": family.higher_is_better,
        "at_k_chunks": family.at_k_chunks,
        "clearly_best": comparison.clearly_best(metric),
    }


def _corpus(corpus: Corpus) -> dict[str, Any]:
    return {
        "name": corpus.name,
        "documents": [
            {
                "name": document.name,
                "source": document.source,
                "format": document.format,
                "characters": len(document.text),
                "sha256": text_digest(document.text),
                "segments": list(document.starts) if document.is_segmented else None,
            }
            for document in corpus.documents
        ],
        "questions": [asdict(question) for question in corpus.questions],
    }


def _splitter(comparison: Comparison, result: SplitterResult) -> dict[str, Any]:
    figures = {
        metric.key: asdict(comparison.figures[result.name, metric.key])
        for metric in comparison.metrics
    }
    scores = result.segmentation
    shares = {name: getattr(scores.boundaries, name) for name in _SHARES} if scores else {}
    return {
        "name": result.name,
        "settings": result.settings,
        "figures": figures,
        "seconds": round(result.seconds, 4),
        "usage": asdict(result.usage),
        "cost": comparison.cost(result),
        "failures": result.failures,
        "documents": [
            {
                "document": split.document,
                "seconds": round(split.seconds, 4),
                "failures": split.failures,
                "chunks": [
                    [*chunk.span, tokens] for chunk, tokens in zip(split.chunks, sizes, strict=True)
                ],
            }
            for split, sizes in zip(result.splits, result.sizes, strict=True)
        ],
        "segmentation": scores
        and {**shares, "pk": scores.pk, "window_diff": scores.window_diff, **asdict(scores)},
        "retrieval": None if result.retrieval is None else _retrieval(result.retrieval),
    }


def _retrieval(retrieval: RetrievalResult) -> dict[str, Any]:
    return {
        "vectors": len(retrieval.chunks),
        "texts_embedded": retrieval.texts_embedded,
        "questions": [
            {
                "word_recall": {
                    str(words): None if result.is_absent else result.word_recall(words)
                    for words in WORD_BUDGETS
                },
                "first_hit": result.first_hit,
                "cut_apart": result.is_cut_apart,
                "absent": result.is_absent,
                "gold": list(result.gold),
                "retrieved": list(result.retrieved),
            }
            for result in retrieval.questions
        ],
    }
