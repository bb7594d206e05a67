"""Runs splitters side by side on the same documents and questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from lumber_core.lumber.cost_estimate import Prices
from lumber_core.support.extras import require
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec, token_counter
from lumber_evaluation.boundary_metrics import score_segmentation
from lumber_evaluation.cached_work import CachedWork
from lumber_evaluation.comparison.metrics import SplitterResult
from lumber_evaluation.comparison.results import Comparison
from lumber_evaluation.dataset import Corpus, EvaluatedSplitter, SplitDocument
from lumber_evaluation.retrieval import retrieve
from lumber_evaluation.retrieval.references import check_questions
from lumber_evaluation.splitters import wrap_splitter
from lumber_retrieval.embedders import embedder as embedder_of

_COUNTERS = {"estimate": "estimated from the characters", "words": "1.2 tokens a word"}


def compare(
    corpus: Corpus,
    splitters: Iterable[object],
    *,
    embedder: object = "bundled",
    tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
    prices: Prices | None = None,
    context: bool = False,
    surroundings: bool = False,
    within_document: bool = False,
    passages: bool = False,
    folder: str | Path | None = None,
    show_progress: bool = False,
) -> Comparison:
    """Run splitters side by side on the same documents and questions.

    Args:
        corpus: Documents, optionally with reference segments, and optionally questions about them.
        splitters: Splitters of this project, LangChain or LlamaIndex, functions, or the output of
            `lumber_evaluation.splitters.wrap_splitter`.
        embedder: "bundled", an embedding model of LangChain or LlamaIndex, or one of
            `lumber_retrieval.embedders`.
        tokenizer: Counts the tokens of chunks. Default: an estimate. See
            `lumber_core.tokens.token_counter`.
        prices: What the splitters' models cost. None: costs are not shown.
        context: Measure every splitter again with each chunk embedded below its context: title,
            headings, header of a table. The words of the context count as retrieved.
        surroundings: Measure every splitter again with the vectors of a chunk's neighbours added to
            its own; with `context`, on top of it.
        within_document: Let a question search the chunks of its own document only.
        passages: Also measure passages, joined from hits that lie close together: found by vectors
            alone, and by vectors and words as in `PassageIndex`.
        folder: Where finished work is cached, so that an interrupted run resumes. None: nowhere.
        show_progress: Show progress bars.

    Raises:
        ValueError: There is nothing to split, no splitter, two splitters with the same name, a
            question without an expected answer, no question where an argument needs one, or a name
            is unknown.
        TypeError: A splitter, the embedder or the tokenizer has the wrong type.
        MissingExtraError: A package is not installed.

    Example:
        >>> from lumber_core import BertChunker, GreedyChunker
        >>> from lumber_evaluation.corpora import load_folder
        >>> from lumber_evaluation.report import write_report
        >>> corpus = load_folder("my_docs", questions="my_questions.jsonl")  # doctest: +SKIP
        >>> comparison = compare(corpus, [BertChunker(), GreedyChunker(400)])  # doctest: +SKIP
        >>> write_report(comparison, "report")  # doctest: +SKIP
    """
    subjects = [wrap_splitter(splitter) for splitter in splitters]
    embedded = {"context": context, "surroundings": surroundings}
    check_comparison(corpus, subjects, {**embedded, "passages": passages})
    variants = [dict.fromkeys(embedded, False)] + [embedded] * any(embedded.values())
    counter = token_counter(tokenizer)
    counter.count([""])  # raises now if a vocabulary is not available
    work = CachedWork(folder)
    search_embedder = work.embedder(embedder_of(embedder))
    segmented = [document for document in corpus.documents if document.is_segmented]
    if segmented:
        require("nltk", package="nltk", extra="evaluation")

    all_splits: list[tuple[SplitDocument, ...]] = []
    total = len(subjects) * len(corpus.documents)
    with tqdm(total=total, desc="splitting", unit="document", disable=not show_progress) as bar:
        for subject in subjects:
            bar.set_postfix_str(subject.name)
            splits_of_subject = []
            for document in corpus.documents:
                splits_of_subject.append(work.split(subject, document))
                bar.update(1)
            all_splits.append(tuple(splits_of_subject))

    results = []
    for subject, splits in zip(subjects, all_splits, strict=True):
        by_name = {split.document: split for split in splits}
        starts = [[c.span.start for c in by_name[d.name].chunks] for d in segmented]
        plain = SplitterResult(
            subject.name,
            subject.settings,
            splits,
            tuple(tuple(counter.count([c.text for c in s.chunks])) for s in splits),
            score_segmentation(segmented, starts) if segmented else None,
        )
        for variant in variants:
            retrieval = None
            if corpus.questions:
                retrieval = retrieve(
                    corpus,
                    splits,
                    search_embedder,
                    **variant,
                    within_document=within_document,
                    passages=passages,
                    show_progress=show_progress,
                )
            name = ", ".join([subject.name, *(part for part, is_on in variant.items() if is_on)])
            results.append(replace(plain, name=name, retrieval=retrieval))
    return Comparison(
        corpus,
        tuple(results),
        search_embedder.identity if corpus.questions else "",
        _COUNTERS.get(tokenizer, repr(counter)) if isinstance(tokenizer, str) else repr(counter),
        within_document,
        prices,
    )


def check_comparison(
    corpus: Corpus, subjects: Sequence[EvaluatedSplitter], about_questions: Mapping[str, bool]
) -> None:
    """Raise unless the corpus and the splitters can be compared.

    `about_questions` is whether each argument of `compare` that needs questions is set.
    """
    if not any(document.text.strip() for document in corpus.documents):
        raise ValueError(f"the corpus {corpus.name!r} contains no text: there is nothing to split")
    if not subjects:
        raise ValueError("no splitter to compare: pass one or more")
    (name, count), *_ = Counter(subject.name for subject in subjects).most_common()
    if count > 1:
        raise ValueError(
            f"{count} splitters are named {name!r}: give each its own name with "
            "wrap_splitter(splitter, name=...)"
        )
    if corpus.questions:
        check_questions(corpus.questions)
    for name, is_set in about_questions.items():
        if is_set and not corpus.questions:
            raise ValueError(
                f"the corpus {corpus.name!r} contains no questions, which {name} needs: pass "
                f"questions, or leave {name} out"
            )
