"""Finds what a language model quotes in the documents that it was given.

`quoted_answers` asks for quotes and reads them from an answer, `citations` looks each up in the
documents, and `quote_alignment` compares it with their text.
"""
