#!/usr/bin/env bash
# langchain-community 0.4.2 with faiss-cpu 1.15.1: FAISS refuses an ID that it has, but the vector is
# in the index by then, without a document. Searches that find it raise KeyError from then on.
# Exits 0 while this holds; output: "refused: ValueError; then a search: KeyError".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 faiss-cpu==1.15.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_community.vectorstores import FAISS
from langchain_core.embeddings import DeterministicFakeEmbedding

store = FAISS.from_texts(["Gulls sleep."], DeterministicFakeEmbedding(size=8), ids=["a"])
assert len(store.similarity_search("gulls", k=5)) == 1


def error_of(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "none"


refusal = error_of(lambda: store.add_texts(["Gulls sleep."], ids=["a"]))
search = error_of(lambda: store.similarity_search("gulls", k=5))
print(f"refused: {refusal}; then a search: {search}")
raise SystemExit((refusal, search) != ("ValueError", "KeyError"))
PYTHON
