#!/usr/bin/env bash
# langchain-whoosh 0.1.1 and llama-index-retrievers-whoosh 0.1.1 (whoosh3 3.54.0): their retrievers read a question in the
# syntax of queries, in which "?" stands for one letter: the last word of a question is not found, here the one that counts.
# Exits 0 while this holds; output for both: "Where are rivers: 1 found; Where are rivers?: 0 found".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-whoosh==0.1.1 \
  llama-index-retrievers-whoosh==0.1.1 whoosh3==3.54.0 langchain-core==1.8.3 llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_whoosh import WhooshRetriever as OfLangChain
from llama_index.retrievers.whoosh import WhooshRetriever as OfLlamaIndex

TEXTS = ["Otters live along rivers.", "The ferry leaves at nine."]
langchain, llama_index = OfLangChain.from_texts(TEXTS), OfLlamaIndex.from_texts(TEXTS)
right = True
for name, find in (("LangChain", langchain.invoke), ("LlamaIndex", llama_index.retrieve)):
    plain, asked = len(find("Where are rivers")), len(find("Where are rivers?"))
    print(f"{name}: Where are rivers: {plain} found; Where are rivers?: {asked} found")
    right = right and plain == 1 and asked == 0
raise SystemExit(not right)
PYTHON
