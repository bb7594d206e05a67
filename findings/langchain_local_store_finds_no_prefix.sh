#!/usr/bin/env bash
# langchain-classic 1.0.8: LocalFileStore.yield_keys(prefix=...) does not yield the keys that begin with the prefix, as
# BaseStore documents and other stores do: it looks for a folder of that name. Keys that should be listed or deleted by
# prefix, such as the namespace of a cache of embeddings ("model-1" + hash), stay.
# Exits 0 while this holds; output: "in memory ['pool-1', 'pool-2'], in files []".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-classic==1.0.8
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_classic.storage import LocalFileStore
from langchain_core.stores import InMemoryByteStore

found = []
for store in (InMemoryByteStore(), LocalFileStore("store")):
    store.mset([("pool-1", b"a"), ("pool-2", b"b"), ("bar-1", b"c")])
    assert len(list(store.yield_keys())) == 3
    found.append(sorted(store.yield_keys(prefix="pool")))
print("in memory {}, in files {}".format(*found))
raise SystemExit(found != [["pool-1", "pool-2"], []])
PYTHON
