"""The variables of the template, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from lumber_core import __version__
from lumber_evaluation.comparison import Comparison, SplitterResult
from lumber_evaluation.comparison.metrics import Metric, MetricFamily, families_of
from lumber_evaluation.report.conclusions import conclusions, explanation
from lumber_evaluation.report.cuts import CutPassage, telling_passages
from lumber_evaluation.report.plots import Plot, differences_plot, family_plot
from lumber_evaluation.report.questions import hard_questions
from lumber_evaluation.report.svg import legend_mark
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

# Columns of passages that splitters cut side by side: more do not fit on a page.
_RAILS = 6


@dataclass(frozen=True, slots=True)
class Rails:
    """Passages with the cuts of several splitters side by side.

    Attributes:
        names: Letter, name and mark of each column.
        passages: The passages.
    """

    names: tuple[tuple[str, str, str], ...]
    passages: tuple[CutPassage, ...]


def view(comparison: Comparison) -> dict[str, Any]:
    """Return the template's variables."""
    families = families_of(comparison.metrics)
    retrieved = {f: ms for f, ms in families.items() if f.sample == "question" and f.axis}
    return {
        "corpus": comparison.corpus,
        "facts": _facts(comparison),
        "explanation": explanation(comparison),
        "conclusions": conclusions(comparison),
        "summary": summary_table(comparison),
        "legend": [(result.name, legend_mark(n)) for n, result in enumerate(comparison.results)],
        "retrieval_plots": [
            family_plot(comparison, family, metrics)
            for family, metrics in retrieved.items()
            if family.plotted
        ],
        "difference_plots": _difference_plots(comparison),
        "retrieval_tables": _retrieval_tables(comparison, retrieved) if retrieved else [],
        "differences": _differences(comparison),
        "segmentation": boundary_table(comparison),
        "sizes": size_table(comparison),
        "cost": cost_table(comparison),
        "rails": _rails(comparison),
        "questions": hard_questions(comparison),
        "failures": _failures(comparison),
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


def _retrieval_tables(
    comparison: Comparison, families: Mapping[MetricFamily, Sequence[Metric]]
) -> list[Table]:
    tables = [family_table(comparison, family, metrics) for family, metrics in families.items()]
    first = [tables[0], answers_table(comparison), passages_table(comparison)]
    return [each for each in [*first, *tables[1:]] if each is not None]


def _difference_plots(comparison: Comparison) -> list[Plot]:
    plots = [
        differences_plot(comparison, metric)
        for metric in comparison.metrics
        if metric.leads and metric.family.sample == "question"
    ]
    return [plot for plot in plots if plot is not None]


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
    """Return the failures of each splitter, with their places or reasons."""
    found = []
    for result in comparison.results:
        if result.failures:
            where = [f"{split.document}: {split.failures}" for split in result.splits]
            failed = [
                said for said, split in zip(where, result.splits, strict=True) if split.failures
            ]
            found.append((result.name, f"{result.failures} verdicts could not be used", failed))
    return found


def _starts(result: SplitterResult, number: int) -> list[int]:
    return sorted({chunk.span.start for chunk in result.splits[number].chunks})


def _rails(comparison: Comparison) -> Rails | None:
    documents = comparison.corpus.documents
    shown = comparison.results[:_RAILS]
    referenced = [document.is_segmented for document in documents]
    if len(shown) + any(referenced) < 2:
        return None
    # If there is a reference, passages come from documents that have one.
    numbers = [n for n in range(len(documents)) if referenced[n] or not any(referenced)]
    texts, starts = {}, {}
    for number in numbers:
        document = documents[number]
        texts[document.name] = document.text
        starts[document.name] = [_starts(result, number) for result in shown]
        if referenced[number]:
            starts[document.name].append(list(document.starts))
    passages = telling_passages(texts, starts)
    if not passages:
        return None
    names = [
        (ascii_uppercase[kind], result.name, legend_mark(kind)) for kind, result in enumerate(shown)
    ]
    if any(referenced):
        names.append(("R", "reference segments", ""))
    return Rails(tuple(names), tuple(passages))
