#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2: SqliteStore (and PostgresStore 3.2.0) embeds a question with embed_documents, as if it
# were a text: models that distinguish them (E5, Cohere, Gemini) get no question. InMemoryStore uses embed_query.
# Exits 0 while this holds; output: "InMemoryStore ['query: tide?'], SqliteStore ['passage: tide?']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langgraph-checkpoint-sqlite==3.1.2 langgraph-checkpoint==4.3.2 numpy==2.4.6 sqlite-vec==0.1.9 pysqlite3-binary==0.5.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

import pysqlite3

sys.modules["sqlite3"] = pysqlite3  # it can load the extension for vectors, as some builds of Python cannot
from langchain_core.embeddings import Embeddings
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore


class Prefixes(Embeddings):
    """Notes what it embeds, with prefixes as E5 has them."""

    def __init__(self):
        self.embedded = []

    def embed_documents(self, texts):
        self.embedded += [f"passage: {text}" for text in texts]
        return [[1.0, 0.0] for _ in texts]

    def embed_query(self, text):
        self.embedded.append(f"query: {text}")
        return [1.0, 0.0]


def embedded_by(store, model):
    store.put(("notes",), "a", {"text": "High at nine."})
    model.embedded.clear()
    store.search(("notes",), query="tide?")
    return model.embedded


model = Prefixes()
in_memory = embedded_by(InMemoryStore(index={"embed": model, "dims": 2}), model).copy()
with SqliteStore.from_conn_string(":memory:", index={"embed": model, "dims": 2}) as store:
    store.setup()
    in_sqlite = embedded_by(store, model)
print(f"InMemoryStore {in_memory}, SqliteStore {in_sqlite}")
raise SystemExit(in_memory != ["query: tide?"] or in_sqlite != ["passage: tide?"])
PYTHON
