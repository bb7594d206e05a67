"""The variables of the template, ready to be shown."""

from __future__ import annotations

from typing import Any

from lumber_core import __version__
from lumber_evaluation.comparison import Comparison
from lumber_evaluation.comparison.metrics import families_of
from lumber_evaluation.report.conclusions import conclusions, explanation
from lumber_evaluation.report.plots import MARGIN, WIDTH, differences_plot
from lumber_evaluation.report.tables import (
    DASH,
    MINUS,
    Table,
    answers_table,
    boundary_table,
    cost_table,
    family_table,
    interval,
    passages_table,
    size_table,
    summary_table,
)


def view(comparison: Comparison) -> dict[str, Any]:
    """Return the template's variables."""
    plots = [
        differences_plot(comparison, metric)
        for metric in comparison.metrics
        if metric.leads and metric.family.sample == "question"
    ]
    return {
        "corpus": comparison.corpus,
        "facts": _facts(comparison),
        "explanation": explanation(comparison),
        "conclusions": conclusions(comparison),
        "summary": summary_table(comparison),
        "plots": [plot for plot in plots if plot is not None],
        "plot_width": WIDTH,
        "plot_margin": MARGIN,
        "retrieval_tables": _retrieval_tables(comparison),
        "differences": _differences(comparison),
        "segmentation": boundary_table(comparison),
        "sizes": size_table(comparison),
        "cost": cost_table(comparison),
        "failures": _failures(comparison),
        "results": comparison.results,
        "families": list(families_of(comparison.metrics)),
        "comparison": comparison,
        "version": __version__,
    }


def _facts(comparison: Comparison) -> list[tuple[str, str]]:
    """Return what was compared, as pairs of label and value."""
    corpus = comparison.corpus
    characters = sum(len(document.text) for document in corpus.documents)
    segmented = sum(document.is_segmented for document in corpus.documents)
    facts = [
        ("Documents", f"{len(corpus.documents):,}"),
        ("Read as", corpus.formats),
        ("Characters", f"{characters:,}"),
        ("Questions", f"{len(corpus.questions):,}" if corpus.questions else "none"),
        ("With reference segments", f"{segmented:,}" if segmented else "none"),
        ("Splitters", str(len(comparison.results))),
    ]
    if corpus.questions:
        where = "its own document" if comparison.within_document else "all documents"
        facts += [("Embedder", comparison.embedder), ("A question searches", where)]
    facts += [
        ("Tokens", comparison.tokenizer),
        ("Made", f"{comparison.made:%d %B %Y, %H:%M} UTC".lstrip("0")),
        ("With", f"lumber-splitters {__version__}"),
    ]
    return facts


def _retrieval_tables(comparison: Comparison) -> list[Table]:
    families = families_of(comparison.metrics)
    tables = [
        family_table(comparison, family, metrics)
        for family, metrics in families.items()
        if family.sample == "question"
    ]
    if not tables:
        return []
    first = [tables[0], answers_table(comparison), passages_table(comparison)]
    return [each for each in [*first, *tables[1:]] if each is not None]


def _differences(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return a row for each paired difference: metric, pair, value, interval, basis, result."""
    labels = {metric.key: metric.label for metric in comparison.metrics}
    return [
        (
            labels[d.metric],
            f"{d.first} {MINUS} {d.second}",
            f"{d.value:+.3f}".replace("-", MINUS),
            interval(d, 300, signed=True),
            f"{d.differing:,}",
            "clear" if d.clear else "not clear",
            DASH if d.more_needed is None else f"{d.more_needed:,}",
        )
        for d in comparison.differences
    ]


def _failures(comparison: Comparison) -> list[tuple[str, str, list[str]]]:
    """Return the failures of each splitter, with the documents where they happened."""
    return [
        (
            result.name,
            f"{result.failures} verdicts could not be used",
            [f"{split.document}: {split.failures}" for split in result.splits if split.failures],
        )
        for result in comparison.results
        if result.failures
    ]
