"""Recall of the reference text at equal amounts of retrieved text.

Recall@k rewards large chunks: five large chunks are more text than five small chunks. Here every
splitter retrieves the same number of words. Chunks are taken best first, and the last one is cut.
The recall is the share of the question's reference text among these words.

Words are separated by white space. White space is not counted in shares, because splitters trim it.
The context of a chunk is read before it, so its words count as retrieved, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy

import numpy as np

from lumber_core.spans import Span
from lumber_evaluation.dataset import Corpus, Document, EvaluatedChunk, Question
from lumber_evaluation.retrieval.references import union

WORD_BUDGETS = (300, 600, 1200)
"""Numbers of retrieved words at which recall is measured."""

_WORD = re.compile(r"\S+")


class WordRecall:
    """Measures recall of the reference text among the first words retrieved.

    Args:
        documents: The documents that were split, by name.
        chunks: Chunks of one splitter; their numbers are indices of this sequence.
    """

    def __init__(self, documents: Mapping[str, Document], chunks: Sequence[EvaluatedChunk]) -> None:
        self._texts = {name: _CountedText(document.text) for name, document in documents.items()}
        self._count(chunks)

    def of(self, chunks: Sequence[EvaluatedChunk]) -> WordRecall:
        """Return the measure for other chunks of the same documents."""
        measure = copy(self)
        measure._count(chunks)
        return measure

    def _count(self, chunks: Sequence[EvaluatedChunk]) -> None:
        self._chunks = chunks
        self._above = [len(str(chunk.context).split()) for chunk in chunks]
        self.words = [  # numbers of words of each chunk and its context
            above + self._texts[chunk.document].count(chunk.span)
            for chunk, above in zip(chunks, self._above, strict=True)
        ]

    def depth(self, numbers: Sequence[int], budget: int) -> int:
        """Return how many of the chunks `numbers` have `budget` words, even the smallest."""
        smallest = np.cumsum(sorted(self.words[number] for number in numbers))
        return int(np.searchsorted(smallest, budget)) + 1

    def __call__(self, question: Question, ranked: Sequence[int], budget: int) -> float:
        """Return the share of a question's reference text among the first words retrieved.

        The reference text is that of the question's references, or else its string in the document.
        If the string occurs several times, the occurrence with the highest share counts. `ranked`
        has the numbers of the chunks retrieved, best first, and `budget` is the number of words.

        Returns:
            From 0 to 1; nan if the reference text does not occur in the document.
        """
        text = self._texts[question.document]
        occurrences = text.references(question)
        if not occurrences:
            return float("nan")
        retrieved = union(self._read(question.document, ranked, budget))
        shares = []
        for spans in occurrences:
            shared = (part.within(reference) for part in retrieved for reference in spans)
            common = [span for span in shared if span.start < span.end]
            shares.append(sum(map(text.visible, common)) / sum(map(text.visible, spans)))
        return max(shares)

    def _read(self, document: str, ranked: Iterable[int], budget: int) -> Iterable[Span]:
        """Yield the spans of a document that are within the budget."""
        for number in ranked:
            chunk = self._chunks[number]
            in_document = chunk.document == document
            if self.words[number] > budget:
                remaining = budget - self._above[number]
                if in_document and remaining > 0:
                    yield self._texts[document].first_words(chunk.span, remaining)
                return
            budget -= self.words[number]
            if in_document:
                yield chunk.span


def absent_questions(corpus: Corpus) -> list[Question]:
    """Return the questions whose reference text does not occur in their document."""
    texts: dict[str, _CountedText] = {}
    for name in {question.document for question in corpus.questions}:
        texts[name] = _CountedText(corpus.by_name[name].text)
    return [q for q in corpus.questions if not texts[q.document].references(q)]


class _CountedText:
    """A text with counts of its words and visible characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = [match.span() for match in _WORD.finditer(text)]
        self._starts = np.array([start for start, _ in words], dtype=np.intp)
        self._ends = np.array([end for _, end in words], dtype=np.intp)
        self._before = np.concatenate([[0], np.cumsum(self._ends - self._starts)])
        self._folded: tuple[str, list[int]] | None = None

    def visible(self, span: Span) -> int:
        """Count the characters of a span that are not white space."""
        return self._visible_before(span.end) - self._visible_before(span.start)

    def _visible_before(self, place: int) -> int:
        word = int(np.searchsorted(self._ends, place))
        inside = 0
        if word < len(self._starts):
            inside = max(0, place - int(self._starts[word]))
        return int(self._before[word]) + inside

    def count(self, span: Span) -> int:
        """Count the words of a span; parts of words count."""
        first = np.searchsorted(self._ends, span.start, side="right")
        return int(np.searchsorted(self._starts, span.end) - first)

    def first_words(self, span: Span, count: int) -> Span:
        """Return the first words of a span, at least one."""
        first = int(np.searchsorted(self._ends, span.start, side="right"))
        last = first + count - 1
        end = int(self._ends[last]) if last < len(self._ends) else span.end
        return Span(span.start, min(span.end, end))

    def references(self, question: Question) -> list[list[Span]]:
        """Return the spans of the reference text, for each place where it occurs."""
        if question.references:
            spans = union(question.references)
            return [spans] if any(map(self.visible, spans)) else []
        answer = (question.must_contain or "").strip().casefold()
        if not answer:
            return []
        if self._folded is None:
            pieces = [character.casefold() for character in self.text]
            places = [place for place, piece in enumerate(pieces) for _ in piece]
            self._folded = "".join(pieces), places
        folded, places = self._folded
        occurrences = []
        start = folded.find(answer)
        while start >= 0:
            occurrences.append([Span(places[start], places[start + len(answer) - 1] + 1)])
            start = folded.find(answer, start + 1)
        return occurrences
