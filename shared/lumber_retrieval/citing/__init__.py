"""Finds what a language model quotes in the documents that it was given.

`quoted_answers` asks for quotes, `reply_quotes` reads them from an answer, and `citations` looks
each up in the documents. A `quotable_text` has it character by character, or `quote_alignment`
finds what is most like it.
"""
