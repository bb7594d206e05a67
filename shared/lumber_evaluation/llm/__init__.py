"""The use of language models in an evaluation.

`questions` generates questions with known answers. It calls the model through `asking`, and
`cached_model` caches every completion on disk.
"""
