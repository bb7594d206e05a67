"""Measuring splitters on texts with known boundaries, and by the questions that chunks answer.

`corpora` loads texts, reference segments and questions; `questions` makes questions about one's
own texts. `splitters` makes any splitter ready to be measured, those of `baselines` among them.
`metrics` compares boundaries; `embedders` and `retrieval` search chunks for answers, `hyde` and
`qa` with a language model; `bootstrap` gives intervals. `comparison` does all of it for splitters
side by side, `sweep` for the values of one setting, and `report` shows either.
"""
