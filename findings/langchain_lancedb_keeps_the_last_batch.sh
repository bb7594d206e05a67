#!/usr/bin/env bash
# langchain-community 0.4.2 with lancedb 0.40.0: LanceDB.add_texts replaces the table at each call,
# because its default mode is "overwrite". A store that is filled in batches has only the last
# batch.
# Exits 0 while this holds; output: "1 of 2 texts: ['second']; with mode=append 2 of 2".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 lancedb==0.40.0 pandas==2.3.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_community.vectorstores import LanceDB
from langchain_core.embeddings import DeterministicFakeEmbedding

found = []
for settings in ({}, {"mode": "append"}):
    embedding = DeterministicFakeEmbedding(size=8)
    store = LanceDB(uri=f"db{len(found)}", embedding=embedding, **settings)
    store.add_texts(["first"])
    store.add_texts(["second"])
    found.append(sorted(one.page_content for one in store.similarity_search("first", k=5)))
print(f"{len(found[0])} of 2 texts: {found[0]}; with mode=append {len(found[1])} of 2")
raise SystemExit(found != [["second"], ["first", "second"]])
PYTHON
