#!/usr/bin/env bash
# llama-index-retrievers-bm25 0.8.0 with bm25s 0.3.16: BM25Retriever drops words of one character and English
# stop words, so a question about vitamin C ranks vitamin D as high, and one about IT ranks nothing and
# returns texts with a score of 0 all the same. In Chinese words of one character, such as "dog", go.
# Exits 0 while this holds; output: "vitamin C: ['D', 'C'] of one score; IT: 0.0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-retrievers-bm25==0.8.0 llama-index-core==0.14.25 bm25s==0.3.16
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever


def find(texts, question):
    nodes = [TextNode(text=text) for text in texts]
    retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=2)
    return [(found.text, float(found.score)) for found in retriever.retrieve(question)]


vitamins = find(["Oranges have vitamin C.", "Eels have vitamin D.", "Cod is cold."], "Which fruit has vitamin C?")
team = find(["The IT team helps.", "Cod is cold.", "Eels swim."], "IT")
letters = [text[-2] for text, _ in vitamins]
print(f"vitamin C: {letters} of one score; IT: {team[0][1]}")
tied = len({score for _, score in vitamins}) == 1
raise SystemExit(not (tied and {*letters} == {"C", "D"} and {score for _, score in team} == {0.0}))
PYTHON
