"""Loaders of corpora: your own files with questions about them, and what models are trained on.

Errors name what is missing or malformed, with file and line.
"""

from lumber_evaluation.corpora.folder import load_folder
from lumber_evaluation.corpora.questions import load_questions
from lumber_evaluation.corpora.training_texts import load_passages, load_wiki_sections
from lumber_evaluation.corpora.wiki_dump import iter_wiki_dump

__all__ = [
    "iter_wiki_dump",
    "load_folder",
    "load_passages",
    "load_questions",
    "load_wiki_sections",
]
