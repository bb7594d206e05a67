"""Measures what a reader gets: passages, found as `PassageIndex` finds them.

Vectors and keywords are searched together. All words of the passages count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lumber_core.text.markdown import CONTEXT_KEY
from lumber_evaluation.dataset import Document, EvaluatedChunk, Question
from lumber_evaluation.retrieval.word_recall import WordRecall
from lumber_retrieval.index.indexed_documents import texts_around
from lumber_retrieval.index.store import NewDocument, PassageStore
from lumber_retrieval.index.surroundings import Vectors
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import SearchSettings
from lumber_retrieval.search import find_passages

PASSAGE_BUDGETS = (300, 600)
"""Numbers of words at which passages are measured."""


class PassageSearch:
    """Searches chunks with vectors, and joins the hits to passages.

    The chunks of a document are one after the other and in order; vectors have the shape (chunks,
    width). With `context` and `surroundings`, vectors and keywords include the contexts of chunks
    and the texts around them.
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        chunks: Sequence[EvaluatedChunk],
        vectors: Vectors,
        *,
        context: bool,
        surroundings: bool,
        word_recall: WordRecall,
    ) -> None:
        self._texts = {name: document.text for name, document in documents.items()}
        self._chunks = chunks
        self._word_recall = word_recall
        self._store = PassageStore(None)
        members: dict[str, list[int]] = {}
        for number, chunk in enumerate(chunks):
            members.setdefault(chunk.document, []).append(number)
        stored = []  # as a `PassageIndex` stores chunks
        for name, numbers in members.items():
            own = [chunks[number] for number in numbers]
            texts = [chunk.text for chunk in own]
            above = [str(chunk.context) if context else "" for chunk in own]
            stored.append(
                NewDocument(
                    name,
                    source=name,
                    digest="",
                    text=self._texts[name],
                    metadata={},
                    spans=[chunk.span for chunk in own],
                    details=[
                        {"number": number, CONTEXT_KEY: titles}
                        for number, titles in zip(numbers, above, strict=True)
                    ],
                    words=[c.context.above(c.text) for c in own] if context else texts,
                    around=texts_around(texts) if surroundings else [""] * len(texts),
                    vectors=vectors[numbers],
                )
            )
        self._store.put(stored)

    def find(self, question: Question, query: str, vector: Sequence[float]) -> dict[int, float]:
        """Return the recall of the reference text for each of `PASSAGE_BUDGETS`; see `WordRecall`.

        The query is the text that is searched for, with its vector.
        """
        with self._store.snapshot() as snapshot:
            return {
                words: self._recall(
                    question,
                    find_passages(snapshot, query, vector, SearchSettings(budget=words)),
                    words,
                )
                for words in PASSAGE_BUDGETS
            }

    def _recall(self, question: Question, found: Sequence[Passage], words: int) -> float:
        # Best first, because the last may not fit: a single passage can exceed the budget, and
        # headings count here.
        passages = []
        for passage in sorted(found, key=lambda passage: -passage.score):
            first = min(passage.hits, key=lambda hit: hit.span)
            above = self._chunks[first.metadata["number"]].context
            passages.append(EvaluatedChunk(passage.document, passage.span, passage.text, above))
        return self._word_recall.of(passages)(question, range(len(passages)), words)
