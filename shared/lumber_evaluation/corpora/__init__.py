"""Loaders of corpora: your own files with questions about them.

Errors name what is missing or malformed, with file and line.
"""

from lumber_evaluation.corpora.folder import load_folder
from lumber_evaluation.corpora.questions import load_questions

__all__ = [
    "load_folder",
    "load_questions",
]
