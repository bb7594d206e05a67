"""What can and cannot be concluded from a comparison, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from lumber_evaluation.comparison import MIN_FOR_INTERVAL, Comparison
from lumber_evaluation.comparison.metrics import PASSAGE_RECALL, WORD_RECALL, Metric
from lumber_retrieval.passages.joining import MAX_GAP

_FEW_QUESTIONS = 100  # with so many or fewer, a question moves a share by 1 % or more
_MANY_DIFFERENCES = 40  # of so many, two look clear at 95 % by chance alone


def conclusions(comparison: Comparison) -> list[str]:
    """Return what can and what cannot be concluded, most important first."""
    return [
        *_about_metrics(comparison),
        *_about_corpus(comparison),
        *_about_answers(comparison),
        *_about_results(comparison),
    ]


def explanation(comparison: Comparison) -> str:
    """Return the definitions of the leading recalls, a sentence each; "" if none was measured."""
    leading = {metric.family: metric for metric in comparison.metrics if metric.leads}
    if WORD_RECALL not in leading:
        return ""
    metric = leading[WORD_RECALL]
    text = (
        f"How to read this: \u201c{metric.label}\u201d is the share of the words that answer "
        f"a question among the first {metric.at:,} words of the chunks that a search returns, "
        "best chunk first. It is the mean over the questions; 1 is the best value."
    )
    if PASSAGE_RECALL in leading:
        text += (
            f" \u201c{leading[PASSAGE_RECALL].label}\u201d is that share if "
            f"sentences at most {MAX_GAP} words apart are joined into passages."
        )
    return text


def join_names(names: list[str]) -> str:
    """Join names for a sentence: "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _about_metrics(comparison: Comparison) -> Iterator[str]:
    yield from (_leader(comparison, metric) for metric in comparison.metrics if metric.leads)
    if not comparison.metrics:
        yield (
            "There are neither questions nor reference segments: this shows how the splitters "
            "differ, not which one is better."
        )
    if comparison.corpus.questions and not comparison.sizes_alike:
        ordered = sorted(comparison.results, key=lambda result: result.mean_size)
        small, large = ordered[0], ordered[-1]
        yield (
            f"Mean chunk sizes differ by more than a third, from {small.mean_size:,.0f} tokens "
            f"({small.name}) to {large.mean_size:,.0f} ({large.name}). The same number of chunks "
            "is then not the same amount of text, so no value at k chunks is marked as best. "
            "Compare recall at equal amounts of text."
        )


def _leader(comparison: Comparison, metric: Metric) -> str:
    best = comparison.best(metric)
    value = f"{comparison.figures[best, metric.key].value:.2f}"
    if len(comparison.results) == 1:
        return f"{metric.label}: {best} reaches {value}. There is nothing to compare it with."
    against = comparison.against_best(metric)
    if not any(d.differing for d in against):
        return f"{metric.label}: all splitters have the same value ({value})."
    if metric.family.at_k_chunks and not comparison.sizes_alike:
        equals = [d.second for d in against if not d.value]
        has = "have" if equals else "has"
        return (
            f"{metric.label}: {join_names([best, *equals])} {has} the highest value ({value}), "
            "which does not show which is better: k chunks of different sizes are not the same "
            "amount of text."
        )
    open_ = [d for d in against if not d.clear]
    clear = join_names([d.second for d in against if d.clear] or [""])
    if not open_:
        return f"{metric.label}: {best} is clearly ahead of every other splitter ({value})."
    leads = f"{best} has the best value ({value})"
    sentence = (
        f"{leads} and is clearly ahead of {clear}"
        if clear
        else f"no splitter is clearly ahead. {leads}"
    )
    undecided = []
    equals = [d.second for d in open_ if not d.value]
    behind = [d.second for d in open_ if d.value]
    if equals:
        has = "has" if len(equals) == 1 else "have"
        undecided.append(f"{join_names(equals)} {has} the same value")
    if behind:
        undecided.append(
            f"{join_names(behind)} cannot be distinguished from it with what was measured here"
        )
    return f"{metric.label}: {sentence}. {'; '.join(undecided)}."


def _about_corpus(comparison: Comparison) -> Iterator[str]:
    count = len(comparison.corpus.questions)
    if 0 < count < _FEW_QUESTIONS:
        plural = "question proves" if count == 1 else "questions prove"
        yield (
            f"{count} {plural} little: each moves a share by {100 / count:.1f} percentage points."
        )
    documents = {question.document for question in comparison.corpus.questions}
    if 0 < len(documents) < MIN_FOR_INTERVAL and len(documents) < count:
        plural = "one document" if len(documents) == 1 else f"{len(documents)} documents"
        yield (
            f"All questions are about {plural}: intervals draw questions, and are not valid for "
            "other documents."
        )
    segmented = sum(document.is_segmented for document in comparison.corpus.documents)
    if 0 < segmented < MIN_FOR_INTERVAL:
        plural = "document has" if segmented == 1 else "documents have"
        yield (
            f"Only {segmented} {plural} reference segments: too few to distinguish a better "
            "segmentation from chance, so no interval is given."
        )


def _about_answers(comparison: Comparison) -> Iterator[str]:
    count = len(comparison.corpus.questions)
    first = comparison.results[0].retrieval
    absent = sum(question.is_absent for question in first.questions) if first else 0
    if absent:
        yield (
            f"The answers to {absent} of {count} questions do not occur in their documents: no "
            "splitter can find them."
        )
    for result in comparison.results:
        questions = result.retrieval.questions if result.retrieval is not None else ()
        if cut := sum(question.is_cut_apart for question in questions):
            yield (
                f"{result.name}: {cut} of {count} questions have an answer that no chunk contains "
                "whole, because it was cut apart. In figures at k chunks they count as missed."
            )


def _about_results(comparison: Comparison) -> Iterator[str]:
    local = [result.name for result in comparison.results if "judge=BertJudge(" in result.settings]
    if local:
        yield (
            f"{join_names(local)}: the bundled classifier judged where topics shift, not a "
            "language model, with which the chunks differ."
        )
    count = len(comparison.differences)
    if count >= _MANY_DIFFERENCES:
        yield (
            f"{count} paired differences were taken at 95 %: some will look clear by chance alone. "
            "Choose the metric that matters before you look."
        )
    for result in comparison.results:
        if result.failures:
            yield (
                f"{result.name}: {result.failures} answers of its model could not be used; its "
                "fallback decided the cuts there."
            )
