"""Retrieval: does a search for a question find the text that answers it?

`searching` searches the chunks of one splitter for every question, and `passage_search` finds
passages. `references` determines which chunks answer a question; `question_results` and
`word_recall` measure the results.
"""

from lumber_evaluation.retrieval.passage_search import PASSAGE_BUDGETS
from lumber_evaluation.retrieval.question_results import CUTOFFS, QuestionResult, RetrievalResult
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
