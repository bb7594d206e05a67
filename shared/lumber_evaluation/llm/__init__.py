"""The use of language models in an evaluation.

`generated_questions` have known answers. `batch_asking` asks a model many of them at a time, and
`cached_model` caches every completion on disk.
"""
