#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2: a search in SqliteStore for items whose status is not "draft" ($ne) leaves out the
# items that have no status, because SQL compares NULL with nothing. InMemoryStore of langgraph-checkpoint 4.3.2 finds
# them, so tests in memory pass, and the items are missing on disk.
# Exits 0 while this holds; output: "InMemoryStore ['final', 'none'], SqliteStore ['final']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langgraph-checkpoint-sqlite==3.1.2 langgraph-checkpoint==4.3.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

ITEMS = {"draft": {"status": "draft"}, "final": {"status": "final"}, "none": {"text": "High at nine."}}


def found(store):
    for key, value in ITEMS.items():
        store.put(("notes",), key, value)
    return sorted(item.key for item in store.search(("notes",), filter={"status": {"$ne": "draft"}}))


with SqliteStore.from_conn_string(":memory:") as store:
    store.setup()
    seen = f"InMemoryStore {found(InMemoryStore())}, SqliteStore {found(store)}"
print(seen)
raise SystemExit(seen != "InMemoryStore ['final', 'none'], SqliteStore ['final']")
PYTHON
