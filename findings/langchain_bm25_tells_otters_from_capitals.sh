#!/usr/bin/env bash
# langchain-community 0.4.2: BM25Retriever cuts only at white space, so "otters" and "Otters" are different words, as
# are "eat?" and "eat". If no word matches, it still returns texts, the last one first. TFIDFRetriever finds the answer.
# Exits 0 while this holds; output: "What do otters eat? BM25: 'Rain on Monday.' TF-IDF: 'Otters eat fish.'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 rank-bm25==0.2.2 scikit-learn==1.9.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_community.retrievers import BM25Retriever, TFIDFRetriever

TEXTS = ["Otters eat fish.", "The violin has four strings.", "Rain on Monday."]
QUESTION = "What do otters eat?"
bm25, tfidf = (
    kind.from_texts(TEXTS, k=1).invoke(QUESTION)[0].page_content for kind in (BM25Retriever, TFIDFRetriever)
)
print(f"{QUESTION} BM25: {bm25!r} TF-IDF: {tfidf!r}")
raise SystemExit((bm25, tfidf) != ("Rain on Monday.", "Otters eat fish."))
PYTHON
