"""What a language model does for an evaluation.

`questions` writes questions with known answers, `answers` answers and judges them, `hyde` writes
hypothetical passages to search with, and `propositions` rewrites passages as single statements.
All of them ask through `asking`, and `cached_model` keeps every completion on disk.
"""
