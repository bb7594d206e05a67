"""The use of language models in an evaluation.

`generated_questions` makes questions with known answers from documents. `batch_asking` sends many
prompts to a model at a time, and `cached_model` caches every completion on disk.
"""
