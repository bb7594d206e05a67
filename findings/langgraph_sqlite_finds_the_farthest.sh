#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2: with distance_type="l2", SqliteStore's search returns the farthest texts, best match
# last. With "inner_product", it ranks by the distance L1, so that a long vector in the direction of the question is last.
# Exits 0 while this holds; output: "cosine ['same', 'near', 'far'], l2 ['far', 'near', 'same'], inner_product: near before
# long".
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
from langgraph.store.sqlite import SqliteStore

VECTORS = {"same": [1.0, 0.0], "near": [0.8, 0.6], "far": [0.0, 1.0], "long": [9.0, 0.0]}


def embed(texts):
    return [next(vector for name, vector in VECTORS.items() if name in text) for text in texts]


def ranked(distance, names):
    index = {"embed": embed, "dims": 2, "distance_type": distance}
    with SqliteStore.from_conn_string(":memory:", index=index) as store:
        store.setup()
        for name in names:
            store.put(("notes",), name, {"text": name})
        return [hit.key for hit in store.search(("notes",), query="same")]


cosine, l2 = (ranked(distance, ("near", "far", "same")) for distance in ("cosine", "l2"))
first, second = ranked("inner_product", ("near", "long"))
print(f"cosine {cosine}, l2 {l2}, inner_product: {first} before {second}")
expected = ["same", "near", "far"]
raise SystemExit(cosine != expected or l2 != expected[::-1] or first != "near")
PYTHON
