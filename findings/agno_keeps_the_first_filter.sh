#!/usr/bin/env bash
# agno 3.1.10: LangChainVectorDb makes a retriever of a LangChain store (langchain-core 1.8.3) at its first search, with
# that search's filters and limit, and asks it all later questions: one about 2024 finds the ferry of 2020. If a
# retriever is passed (knowledge_retriever=), filters and limit are ignored without a message.
# Exits 0 while this holds; output: "asked for 2020: [2020]; then for 2024: [2020]; of a retriever: 3 years".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  agno==3.1.10 langchain-core==1.8.3 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import logging

from agno.knowledge.knowledge import Knowledge
from agno.vectordb.langchaindb import LangChainVectorDb
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

logging.disable()
store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
for year in (2020, 2021, 2022, 2023, 2024):
    store.add_documents([Document("The ferry leaves at nine.", metadata={"year": year})])


def years(knowledge, year, limit):
    """Return the years of what agno finds if it is asked for one year."""
    filters = {"filter": lambda document: document.metadata["year"] == year}
    found = knowledge.search("When does the ferry leave?", max_results=limit, filters=filters)
    return sorted(document.meta_data["year"] for document in found)


knowledge = Knowledge(vector_db=LangChainVectorDb(vectorstore=store))
first, second = years(knowledge, 2020, 1), years(knowledge, 2024, 3)
retriever = store.as_retriever(search_kwargs={"k": 3})
passed = years(Knowledge(vector_db=LangChainVectorDb(knowledge_retriever=retriever)), 2024, 1)
print(f"asked for 2020: {first}; then for 2024: {second}; of a retriever: {len(passed)} years")
right = first == second == [2020] and len(passed) == 3
raise SystemExit(not right)
PYTHON
