#!/usr/bin/env bash
# minsearch 0.2.0: AppendableIndex, documented as an Index to which texts can be added, takes digits for gaps between
# words: it finds nothing for "1990" or "H2O", and ranks room 12 with "room 34" as high as room 34. Index finds all of
# them. The docstring of the tokenizer states that it does what sklearn's does, which keeps digits.
# Exits 0 while this holds; output: 1990 and H2O are found by Index alone; AppendableIndex returns "Room 12" before "Room
# 34".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check minsearch==0.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from minsearch import AppendableIndex, Index

TEXTS = ["Room 12", "Room 34", "Open since 1990", "The H2O plant"]
found = {}
for kind in (Index, AppendableIndex):
    index = kind(text_fields=["text"])
    index.fit([{"text": text} for text in TEXTS])
    for question in ("room 34", "1990", "H2O"):
        found[kind.__name__, question] = [hit["text"] for hit in index.search(question)]
for key, texts in found.items():
    print(*key, texts)
raise SystemExit(
    list(found.values())
    != [["Room 34", "Room 12"], ["Open since 1990"], ["The H2O plant"], ["Room 12", "Room 34"], [], []]
)
PYTHON
