#!/usr/bin/env bash
# chunkipy 1.2.0 loses a space if its RecursiveTextChunker divides a part that is too large at spaces: the space after
# ":", ";" or "," at the end of the part, although the documentation states that separators are kept. "room 3: 5 people"
# becomes "3:5 people", "pool 2; 4 dogs" becomes "2;4 dogs", and "lane 7, 500 swimmers" becomes "7,500 swimmers".
# Exits 0 while this holds; output: "3:5", "2;4" and "7,500" in the joined chunks, and the texts as they are in one
# chunk.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check chunkipy==1.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from chunkipy import RecursiveTextChunker
from chunkipy.size_estimators import WordSizeEstimator

TEXTS = {
    "The fire was in room 3: 5 people had left it.": "3:5 people",
    "No dogs may swim in pool 2; 4 dogs swam there today.": "2;4 dogs",
    "The race was held in lane 7, 500 swimmers looked on.": "7,500 swimmers",
}


def join_chunks(text, words):
    return "".join(RecursiveTextChunker(words, WordSizeEstimator()).chunk(text).get_all_text())


joined = {text: join_chunks(text, words=5) for text in TEXTS}
print(*joined.values(), sep="\n")
whole = all(join_chunks(text, words=50) == text for text in TEXTS)
raise SystemExit(not whole or any(change not in joined[text] for text, change in TEXTS.items()))
PYTHON
