#!/usr/bin/env bash
# nano-vectordb 0.0.4.3 makes an ID of an item's vector if none is given: of two texts with the same vector the first is
# gone. An item that is added a second time without an ID is stored without one, and then upsert, get and delete raise
# KeyError for any item. A filter that no item passes is an IndexError instead of no hits.
# Exits 0 while this holds; output: ['Room 34'] of two rooms, KeyError three times, and IndexError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nano-vectordb==0.0.4.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - 2> log <<'PYTHON' || { cat log; exit 1; }
import numpy as np
from nano_vectordb import NanoVectorDB


def make_item(text, vector=(1, 0), **fields):
    return {"__vector__": np.array(vector, dtype=np.float32), "text": text, **fields}


def name_error(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except Exception as error:
        return type(error).__name__


equal = NanoVectorDB(2)
equal.upsert([make_item("Room 12"), make_item("Room 34")])
again = NanoVectorDB(2)
for _ in range(2):  # as by a program that adds its files at each start
    again.upsert([make_item("Room 12")])
other = make_item("Pool", (0, 1), __id__="pool")
errors = [name_error(again.upsert, [other]), name_error(again.get, ["pool"]), name_error(again.delete, ["pool"])]
errors.append(name_error(equal.query, np.array([1, 0]), filter_lambda=lambda item: item["text"] == "Pool"))
found = [item["text"] for item in equal.query(np.array([1, 0]))]
print(found, errors)
raise SystemExit(found != ["Room 34"] or errors != ["KeyError"] * 3 + ["IndexError"])
PYTHON
