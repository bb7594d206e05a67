"""Measures what a reader gets: passages, found as `PassageIndex` finds them.

Vectors and keywords are searched together. All words of the passages count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lumber_core.text.markdown import CONTEXT_KEY
from lumber_evaluation.dataset import EvaluatedChunk, Question
from lumber_evaluation.retrieval.word_recall import WordRecall
from lumber_retrieval.index.adding import texts_around
from lumber_retrieval.index.rows import NewDocument
from lumber_retrieval.index.store import PassageStore
from lumber_retrieval.index.vectors import Vectors
from lumber_retrieval.passage_index import find_passages
from lumber_retrieval.passages.ranking import SearchSettings

PASSAGE_BUDGETS = (300, 600)
"""Numbers of words at which passages are measured."""


def store_chunks(
    texts: Mapping[str, str],
    chunks: Sequence[EvaluatedChunk],
    vectors: Vectors,
    *,
    surroundings: bool,
) -> PassageStore:
    """Return a store of chunks, as a `PassageIndex` stores them; hits have the chunk's "number".

    A chunk is found by its words and the words of its context.

    Args:
        texts: The documents by name.
        chunks: Their chunks; those of a document follow each other in order.
        vectors: The vectors of the chunks, shape (chunks, width).
        surroundings: Whether a chunk is also found by the words of the texts around it.
    """
    members: dict[str, list[int]] = {}
    for number, chunk in enumerate(chunks):
        members.setdefault(chunk.document, []).append(number)
    stored = []
    for name, numbers in members.items():
        document_chunks = [chunks[number] for number in numbers]
        around = (
            texts_around([chunk.text for chunk in document_chunks])
            if surroundings
            else [""] * len(document_chunks)
        )
        stored.append(
            NewDocument(
                name,
                source=name,
                digest="",
                text=texts[name],
                metadata={},
                spans=[chunk.span for chunk in document_chunks],
                details=[{"number": n, CONTEXT_KEY: str(chunks[n].context)} for n in numbers],
                words=[chunk.context.above(chunk.text) for chunk in document_chunks],
                around=around,
                vectors=vectors[numbers],
            )
        )
    store = PassageStore(None)
    store.put(stored)
    return store


def passage_recalls(
    store: PassageStore,
    chunks: Sequence[EvaluatedChunk],
    question: Question,
    vector: Sequence[float],
    word_recall: WordRecall,
) -> dict[int, float]:
    """Return the recall of the reference text for each of `PASSAGE_BUDGETS`; see `WordRecall`."""
    recalls = {}
    with store.snapshot() as snapshot:
        for words in PASSAGE_BUDGETS:
            found = find_passages(snapshot, question.question, vector, SearchSettings(budget=words))
            # Best first, because the last may not fit: a single passage can exceed the budget, and
            # headings count here.
            passages = []
            for passage in sorted(found, key=lambda passage: -passage.score):
                first = min(passage.hits, key=lambda hit: hit.span)
                above = chunks[first.metadata["number"]].context
                passages.append(EvaluatedChunk(passage.document, passage.span, passage.text, above))
            recalls[words] = word_recall.of(passages)(question, range(len(passages)), words)
    return recalls
