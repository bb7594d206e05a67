"""Finds the quotes of a language model in the documents that it was given.

`quoted_answers` asks for quotes, `reply_quotes` reads them from an answer, `reply_marks` reads the
marks that refer to them, and `citations` looks each quote up in the documents. `quotable_text`
finds a quote character by character, and `quote_alignment` finds the most similar text.
"""
