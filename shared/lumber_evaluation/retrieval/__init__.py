"""Retrieval: does a search for a question find the text that answers it?

`retrieve` searches the chunks of one splitter for every question.
"""

from lumber_evaluation.retrieval.passages import PASSAGE_BUDGETS
from lumber_evaluation.retrieval.results import CUTOFFS, QuestionResult, RetrievalResult
from lumber_evaluation.retrieval.searching import retrieve
from lumber_evaluation.retrieval.word_recall import WORD_BUDGETS

__all__ = [
    "CUTOFFS",
    "PASSAGE_BUDGETS",
    "WORD_BUDGETS",
    "QuestionResult",
    "RetrievalResult",
    "retrieve",
]
