"""Loaders of corpora: your own files with questions about them.

`files` finds and reads the files of a corpus, `folder` loads your texts, and `question_table` the
questions about them. Errors name what is missing or malformed, with file and line.
"""

from lumber_evaluation.corpora.folder import load_folder
from lumber_evaluation.corpora.question_table import load_questions

__all__ = ["load_folder", "load_questions"]
