"""Searches the chunks of a splitter for the answers to questions.

Every chunk and every question is embedded, and every question is compared with every chunk: the
search is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_evaluation.dataset import Corpus, Document, EvaluatedChunk, Question, SplitDocument
from lumber_evaluation.retrieval.passage_search import passage_recalls, store_chunks
from lumber_evaluation.retrieval.question_results import CUTOFFS, QuestionResult, RetrievalResult
from lumber_evaluation.retrieval.references import check_questions, find_gold, token_overlap
from lumber_evaluation.retrieval.word_recall import WORD_BUDGETS, WordRecall
from lumber_retrieval.embedders import Embedder
from lumber_retrieval.index.surroundings import PlacedText, embed_chunks, in_surroundings
from lumber_retrieval.index.vectors import Vectors, matrix, pack, unit_length, unpack


def retrieve(
    corpus: Corpus,
    splits: Sequence[SplitDocument],
    embedder: Embedder,
    *,
    context: bool = False,
    surroundings: bool = False,
    within_document: bool = True,
    passages: bool = False,
    show_progress: bool = False,
) -> RetrievalResult:
    """Search the chunks of a splitter for each question of a corpus.

    Args:
        corpus: Documents and questions.
        splits: Each document as the splitter splits it.
        embedder: Embeds chunks and questions.
        context: Embed each chunk below its context (title, headings, header of a table), as
            `split_and_embed` does. The context is found in the same way for the chunks of every
            splitter, and its words count as retrieved.
        surroundings: Add the vectors of a chunk's neighbours to its own.
        within_document: Search the chunks of the question's document only, as GutenQA does for
            each book; else those of the whole corpus.
        passages: Also measure what a reader gets if hits are joined into passages.
        show_progress: Show a progress bar.

    Returns:
        Results in the order of the questions. Equally similar chunks are in the order of the
        corpus, so equal arguments give equal results.

    Raises:
        ValueError: There is no question, one has no expected answer, a document that is asked about
            was not split, or a vector is not finite.
    """
    check_questions(corpus.questions)
    queries = [question.question for question in corpus.questions]
    missing = {q.document for q in corpus.questions} - {split.document for split in splits}
    if missing:
        raise ValueError(
            f"there are questions about {min(missing)!r}, which was not split: pass a split of "
            f"every document of the corpus {corpus.name!r}"
        )
    if context:
        splits = [in_context(corpus.by_name[split.document], split) for split in splits]
    chunks = tuple(chunk for split in splits for chunk in split.chunks)
    placed = place_splits(splits)
    embedded = embed_chunks(
        placed, embedder.embed_documents, surroundings=False, show_progress=show_progress
    )
    if surroundings:
        if passages:  # quantised, as in an index
            embedded = [unpack(pack(rows), len(rows)) for rows in embedded]
        embedded = [in_surroundings(*pair) for pair in zip(placed, embedded, strict=True)]
    vectors = np.concatenate(embedded)
    query_vectors = matrix(embedder.embed_queries(queries), len(queries))
    if embedder.similarity == "cosine":
        vectors, query_vectors = unit_length(vectors), unit_length(query_vectors)
    gold = _gold(corpus, chunks)
    texts = {document.name: document.text for document in corpus.documents}
    word_recall = WordRecall(corpus.by_name, chunks)
    results: dict[int, QuestionResult] = {}
    for numbers, questions in _search_scopes(corpus, chunks, within_document):
        area = [chunks[number] for number in numbers]
        searched = vectors[numbers]
        store = store_chunks(texts, area, searched, surroundings=surroundings) if passages else None
        count = max(CUTOFFS[-1], word_recall.depth(numbers, WORD_BUDGETS[-1]))
        for question in questions:
            vector = query_vectors[question]
            # Rounded, because similarities of equal vectors may differ in the last digit.
            scores = np.round(searched @ vector, 6) if numbers else vector[:0]
            about = corpus.questions[question]
            result = _result(about, chunks, numbers, scores, gold[question], count, word_recall)
            if store is not None:
                recalls = passage_recalls(store, area, about, vector.tolist(), word_recall)
                result = replace(result, passage_recalls=recalls)
            results[question] = result
    ordered = tuple(results[n] for n in range(len(queries)))
    embedded_texts = {chunk.in_context for split in placed for chunk in split}
    return RetrievalResult(chunks, ordered, len(embedded_texts))


def in_context(document: Document, split: SplitDocument) -> SplitDocument:
    """Return the split with the context of each chunk, whatever splitter made it."""
    source = document.to_split()
    parsed = MarkdownText(source) if source.kind == "markdown" else PlainText(source)
    spans = [chunk.span for chunk in split.chunks]
    places = parsed.outline.places(parsed.text, spans)
    chunks = zip(split.chunks, places, strict=True)
    return replace(split, chunks=tuple(replace(chunk, context=at.context) for chunk, at in chunks))


def place_splits(splits: Iterable[SplitDocument]) -> list[list[PlacedText]]:
    """Return the chunks of documents with the texts to embed: each below its context."""
    return [[PlacedText(c.span, c.text, c.context.above(c.text)) for c in s.chunks] for s in splits]


def _search_scopes(
    corpus: Corpus, chunks: Sequence[EvaluatedChunk], within_document: bool
) -> list[tuple[list[int], list[int]]]:
    """Return the numbers of the chunks to search, and of the questions to search them for."""
    if not within_document:
        return [(list(range(len(chunks))), list(range(len(corpus.questions))))]
    scopes: dict[str, tuple[list[int], list[int]]] = {}
    for number, question in enumerate(corpus.questions):
        scopes.setdefault(question.document, ([], []))[1].append(number)
    for number, chunk in enumerate(chunks):
        if chunk.document in scopes:
            scopes[chunk.document][0].append(number)
    return list(scopes.values())


def _gold(corpus: Corpus, chunks: Sequence[EvaluatedChunk]) -> list[list[int]]:
    """Return, for each question, the numbers of the chunks that answer it."""
    gold: list[list[int]] = [[] for _ in corpus.questions]
    for numbers, questions in _search_scopes(corpus, chunks, within_document=True):
        asked = [corpus.questions[question] for question in questions]
        spans = [chunks[number].span for number in numbers]
        gold_places = find_gold(corpus.by_name[asked[0].document].text, spans, asked)
        for question, places in zip(questions, gold_places, strict=True):
            gold[question] = [numbers[place] for place in places]
    return gold


def _result(
    question: Question,
    chunks: Sequence[EvaluatedChunk],
    numbers: Sequence[int],
    scores: Vectors,
    gold: Sequence[int],
    count: int,
    word_recall: WordRecall,
) -> QuestionResult:
    """Return the result of a question, for which at most the `count` nearest chunks are read.

    The chunks `numbers` are searched. `scores` has their similarities in the same order, and `gold`
    the numbers of the chunks that answer the question.
    """
    ranked = np.argsort(-scores, kind="stable")
    places = {numbers[place]: rank for rank, place in enumerate(ranked.tolist(), start=1)}
    nearest = list(places)[:count]
    first = tuple(nearest[: CUTOFFS[-1]])
    overlaps = {}
    if question.references:
        overlaps = {k: token_overlap(question, [chunks[n] for n in first[:k]]) for k in CUTOFFS}
    return QuestionResult(
        question,
        first,
        tuple(gold),
        min((places[number] for number in gold if number in places), default=None),
        {words: word_recall(question, nearest, words) for words in WORD_BUDGETS},
        overlaps,
    )
