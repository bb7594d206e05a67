#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2: SqliteStore ignores "fields" of its index, which InMemoryStore and PostgresStore
# respect, and embeds the whole value as JSON: its keys, and all fields that should be left out of the vectors.
# Exits 0 while this holds; output: "InMemoryStore ['Otters swim.'], SqliteStore ['{"draft": "no", "text": "Otters
# swim."}']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langgraph-checkpoint-sqlite==3.1.2 langgraph-checkpoint==4.3.2 sqlite-vec==0.1.9 pysqlite3-binary==0.5.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

import pysqlite3

sys.modules["sqlite3"] = pysqlite3  # it can load the extension for vectors, as some builds of Python cannot
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

embedded = []


def embed(texts):
    embedded.extend(texts)
    return [[1.0, 0.0, 0.0] for _ in texts]


def embedded_by(store):
    embedded.clear()
    store.put(("notes",), "a", {"text": "Otters swim.", "draft": "no"})
    return [*embedded]


index = {"embed": embed, "dims": 3, "fields": ["text"]}
in_memory = embedded_by(InMemoryStore(index=index))
with SqliteStore.from_conn_string(":memory:", index=index) as store:
    store.setup()
    in_sqlite = embedded_by(store)
print(f"InMemoryStore {in_memory}, SqliteStore {in_sqlite}")
raise SystemExit(in_memory != ["Otters swim."] or in_sqlite != ['{"draft": "no", "text": "Otters swim."}'])
PYTHON
