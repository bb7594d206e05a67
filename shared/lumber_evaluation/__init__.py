"""Measuring splitters: by known boundaries, and by the questions that their chunks answer.

`corpora` loads texts, reference segments and questions, which `llm` can generate. `splitters` wraps
any splitter, and `baselines` has some to compare with. `boundary_metrics` compares boundaries, and
`retrieval` searches chunks for answers. `bootstrap` computes intervals. `comparison` runs splitters
side by side, and `report` shows the result.
"""
