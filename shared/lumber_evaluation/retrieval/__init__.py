"""Retrieval: does a search for a question find the text that answers it?

`retrieve` searches the chunks of one splitter for every question; `recall_at_words` scores a
splitter in one call.
"""

from lumber_evaluation.retrieval.passages import ALL_FOUND_BY, PASSAGE_BUDGETS
from lumber_evaluation.retrieval.results import CUTOFFS, QuestionResult, RetrievalResult
from lumber_evaluation.retrieval.searching import recall_at_words, retrieve
from lumber_evaluation.retrieval.word_recall import WORD_BUDGETS

__all__ = [
    "ALL_FOUND_BY",
    "CUTOFFS",
    "PASSAGE_BUDGETS",
    "WORD_BUDGETS",
    "QuestionResult",
    "RetrievalResult",
    "recall_at_words",
    "retrieve",
]
