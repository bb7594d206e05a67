"""The words of texts and questions.

`keywords` returns the terms by which a text is found, and counts the words that a budget allows.
`coverage` measures how much of a question a text contains, and prefers documents whose title a
question names. `sentences` divides chunks into sentences, items and rows.
"""
