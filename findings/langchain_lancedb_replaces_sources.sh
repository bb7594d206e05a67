#!/usr/bin/env bash
# langchain-lancedb 0.1.0: the LanceDB store replaces "source" in the metadata of each hit by the folder of the
# database, so that no hit names its document, and ignores the `filter` of a search without a message. The stored
# metadata is right.
# Exits 0 while this holds; output: "stored: ferry.md, pool.md; found: lance, lance; with a filter for 2024: 2020,
# 2024".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-lancedb==0.1.0 langchain-core==1.8.3 lancedb==0.40.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json

import lancedb
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_lancedb import LanceDB

store = LanceDB(DeterministicFakeEmbedding(size=4), uri="lance")
ferry = Document("The ferry leaves at nine.", metadata={"source": "ferry.md", "year": 2020})
pool = Document("The pool opens at ten.", metadata={"source": "pool.md", "year": 2024})
store.add_documents([ferry, pool])
rows = lancedb.connect("lance").open_table("documents").to_arrow().to_pylist()
stored = sorted(json.loads(row["metadata"])["source"] for row in rows)
hits = store.similarity_search("When does the pool open?", k=2, filter={"year": 2024})
sources = [hit.metadata["source"] for hit in hits]
years = sorted(hit.metadata["year"] for hit in hits)
print(f"stored: {', '.join(stored)}; found: {', '.join(sources)}; ", end="")
print(f"with a filter for 2024: {', '.join(map(str, years))}")
right = stored == ["ferry.md", "pool.md"] and sources == ["lance"] * 2 and years == [2020, 2024]
raise SystemExit(not right)
PYTHON
