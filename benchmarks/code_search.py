"""Measures how often a question in plain words finds a definition in this repository's code.

    python benchmarks/code_search.py

Each question of `code_questions.jsonl` describes a class without using its name. The Python files
of the packages are one index. A definition is found if a passage of the budget has its first line.
"""

from __future__ import annotations

import json
from pathlib import Path

from langchain_core.documents import Document

from langchain_lumber import PassageRetriever

BUDGETS = (150, 300, 600)  # words
_HERE = Path(__file__).parent


def read_code() -> list[Document]:
    """Return the Python files of the packages."""
    root = _HERE.parent
    return [
        Document(path.read_text(encoding="utf-8"), metadata={"source": str(path.relative_to(root))})
        for folder in ("shared", "langchain_lumber", "llamaindex_lumber")
        for path in sorted((root / folder).rglob("*.py"))
    ]


def main() -> None:
    lines = (_HERE / "code_questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    retriever = PassageRetriever()
    retriever.add_documents(read_code())
    print(f"budget in words | found, of {len(questions)} | in the first passage\n--- | --- | ---")
    for budget in BUDGETS:
        retriever.budget = budget
        ranks = []
        for question in questions:
            texts = [passage.page_content for passage in retriever.invoke(question["question"])]
            ranks += [n for n, text in enumerate(texts) if question["must_contain"] in text][:1]
        print(f"{budget} | {len(ranks)} | {ranks.count(0)}")


if __name__ == "__main__":
    main()
