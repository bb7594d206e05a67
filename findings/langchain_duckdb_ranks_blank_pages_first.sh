#!/usr/bin/env bash
# langchain-community 0.4.2 with duckdb 2.0.1: a text whose vector is all zeros comes before the best match
# in LangChain's DuckDB store. Its cosine is NaN, and DuckDB sorts NaN as the largest number. Embeddings of
# words give such a vector for a page without known words, and k such pages leave no place for an answer.
# LangChain's InMemoryVectorStore ranks it last, with the score 0.
# Exits 0 while this holds; output: "DuckDB: ['(blank page)', 'eel'], in memory: ['eel', 'eel and cod']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 duckdb==2.0.1 pandas==3.1.1 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_community.vectorstores import DuckDB
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

TEXTS = ["eel and cod", "eel", "cod", "(blank page)"]


class WordEmbeddings(Embeddings):
    def embed_query(self, text):
        return [float(word in text) for word in ("eel", "cod")]

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


rankings = []
for store in (DuckDB, InMemoryVectorStore):
    found = store.from_texts(TEXTS, WordEmbeddings()).similarity_search("eel", k=2)
    rankings.append([document.page_content for document in found])
print("DuckDB: {}, in memory: {}".format(*rankings))
raise SystemExit(rankings != [["(blank page)", "eel"], ["eel", "eel and cod"]])
PYTHON
