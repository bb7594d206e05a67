"""Measuring splitters: by known boundaries, and by the questions that their chunks answer.

`corpora` loads texts, reference segments and questions. `splitters` wraps any splitter, and
`baselines` has some to compare with. `segmentation` compares boundaries; `embedders` and
`retrieval` search chunks for answers; `llm` generates questions and answers them with a language
model. `bootstrap` computes intervals. `comparison` runs splitters side by side, or one splitter
over values of a setting, and `report` shows the result.
"""
