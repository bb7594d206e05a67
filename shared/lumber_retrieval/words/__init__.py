"""The words of texts and questions.

`keywords` are the terms by which a text is found, `coverage` measures how much of a question a text
has, `title_boost` prefers documents whose title a question names, and `word_count` counts the words
that a budget allows.
"""
