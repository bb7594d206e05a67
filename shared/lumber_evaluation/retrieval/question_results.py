"""The results of a search of a splitter's chunks for each question, and their measures.

Only the first chunk that answers counts, as in the code published with the LumberChunker paper:
Recall@k is the share of questions for which it is among the first k, DCG@k discounts it by rank.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from lumber_evaluation.dataset import EvaluatedChunk, Question
from lumber_evaluation.retrieval.references import TokenOverlap
from lumber_evaluation.retrieval.word_recall import WORD_BUDGETS

CUTOFFS = (1, 2, 5, 10, 20)
"""The k of Recall@k and DCG@k: numbers of chunks."""

_NO_OVERLAP = TokenOverlap(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The result of one question with one splitter.

    Attributes:
        question: The question.
        retrieved: Numbers of chunks, best first, at most the largest of `CUTOFFS`.
        gold: Numbers of the chunks that answer it; empty if none does.
        first_hit: Rank, from 1, of the first gold chunk among all that were searched; None if
            there is no gold chunk.
        word_recalls: Recall of the reference text for each of `WORD_BUDGETS`; see `WordRecall`.
        overlaps: Overlap of the first k chunks with the references for each k of `CUTOFFS`; empty
            for a question without references.
        passage_recalls: Recall in the passages that a reader gets, for each of `PASSAGE_BUDGETS`;
            empty if it was not measured.
    """

    question: Question
    retrieved: tuple[int, ...]
    gold: tuple[int, ...]
    first_hit: int | None
    word_recalls: Mapping[int, float]
    overlaps: Mapping[int, TokenOverlap] = field(default_factory=dict)
    passage_recalls: Mapping[int, float] = field(default_factory=dict)

    def word_recall(self, words: int) -> float:
        """Return the share of the reference text among the first words retrieved; or nan.

        The value is nan if the reference text does not occur in the document.
        """
        if words not in WORD_BUDGETS:
            raise ValueError(f"words must be one of {WORD_BUDGETS}, not {words}")
        return self.word_recalls[words]

    def recall(self, k: int) -> float:
        """Return 1 if one of the first k chunks answers the question, else 0."""
        return float(self.first_hit is not None and self.first_hit <= k)

    def dcg(self, k: int) -> float:
        """Return DCG@k: 1 / log2(rank + 1) for the first chunk up to k that answers, else 0.

        That is the sum over ranks of relevance / log2(rank + 1), where relevance is 1 for the first
        chunk that answers and 0 for others: a passage found again in another chunk counts once.
        """
        return 1 / math.log2(self.first_hit + 1) if self.first_hit and self.recall(k) else 0.0

    def overlap(self, k: int) -> TokenOverlap:
        """Return how the first k chunks, one of `CUTOFFS`, overlap with the references; or nan."""
        return self.overlaps[k] if self.overlaps else _NO_OVERLAP

    def passage_recall(self, words: int) -> float:
        """Return the share of the reference text in passages of `words` words; or nan.

        `words` is one of `PASSAGE_BUDGETS`. The value is nan if passages were not measured, or if
        the reference text does not occur in the document.
        """
        return self.passage_recalls[words] if self.passage_recalls else math.nan

    @property
    def is_absent(self) -> bool:
        """Whether the reference text is not in the document, so that no splitter could find it."""
        return math.isnan(self.word_recalls[WORD_BUDGETS[0]])

    @property
    def is_cut_apart(self) -> bool:
        """Whether the reference text is in the document, but whole in no chunk."""
        return not self.gold and not self.is_absent


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The results of all questions with one splitter.

    Attributes:
        chunks: The chunks that were searched; their numbers are indices of this tuple. Each has a
            vector.
        questions: A result for each question, in the order of the corpus.
        texts_embedded: Number of different texts that were embedded for these vectors.
    """

    chunks: tuple[EvaluatedChunk, ...]
    questions: tuple[QuestionResult, ...]
    texts_embedded: int = 0
