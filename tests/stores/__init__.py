"""Chunks and nodes in real vector stores, and the tables about these stores in docs/vectors.md.

`samples` has documents, vectors and the meaning of scores; `langchain_stores` and
`llamaindex_stores` open the stores and measure what each does; `tables` reads and writes the tables
in the documentation; `test_stores` compares. `requirements.txt` names the packages.
"""
