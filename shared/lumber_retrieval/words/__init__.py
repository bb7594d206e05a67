"""The words of texts and questions.

`keywords` returns the terms by which a text is found. `coverage` measures how much of a question a
text contains, and `title_boost` prefers documents whose title a question names. `word_count` counts
the words that a budget allows.
"""
