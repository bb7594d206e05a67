"""The use of language models in an evaluation.

`questions` generates questions with known answers, `answers` answers and grades them, `hyde` writes
hypothetical passages to search with, and `propositions` rewrites passages as single statements.
All of them call the model through `asking`, and `cached_model` caches every completion on disk.
"""
