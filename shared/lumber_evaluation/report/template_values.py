"""The variables of the template, ready to be shown."""

from __future__ import annotations

from typing import Any

from lumber_core import __version__
from lumber_evaluation.comparison import Comparison
from lumber_evaluation.comparison.metrics import families_of
from lumber_evaluation.report.conclusions import conclusions, explanation
from lumber_evaluation.report.plots import MARGIN, WIDTH, differences_plot
from lumber_evaluation.report.table_rows import (
    boundary_table,
    family_table,
    size_table,
    summary_table,
)


def template_values(comparison: Comparison) -> dict[str, Any]:
    """Return the template's variables."""
    plots = [
        differences_plot(comparison, metric)
        for metric in comparison.metrics
        if metric.leads and metric.family.sample == "question"
    ]
    families = families_of(comparison.metrics)
    summary, segmentation = summary_table(comparison), boundary_table(comparison)
    retrieval = [
        family_table(comparison, family, metrics)
        for family, metrics in families.items()
        if family.sample == "question"
    ]
    tables = [summary, *retrieval, *([segmentation] if segmentation else [])]
    cells = [cell for table in tables for row in table.rows for cell in row.cells]
    return {
        "corpus": comparison.corpus,
        "facts": _facts(comparison),
        "explanation": explanation(comparison),
        "conclusions": conclusions(comparison),
        "summary": summary,
        "intervals": any(cell.below for cell in cells),
        "marks": any(cell.best for cell in cells),
        "at_k_chunks": any(metric.family.at_k_chunks for metric in comparison.metrics),
        "plots": [plot for plot in plots if plot is not None],
        "plot_width": WIDTH,
        "plot_margin": MARGIN,
        "retrieval_tables": retrieval,
        "segmentation": segmentation,
        "sizes": size_table(comparison),
        "results": comparison.results,
        "families": list(families),
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
