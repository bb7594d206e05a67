#!/usr/bin/env bash
# sentence-stream 1.3.0 takes every pair of asterisks for emphasis and leaves it out of its sentences: "2*3*4" is "234", and
# "a * b * c" is "a  b  c". The marks of a list with asterisks go, too. A German date is divided ("am 3." and "Mai."), and
# "M. Dupont" is not. Its readme states neither, and no setting keeps the text.
# Exits 0 while this holds; output: "Room fee: 234 euro.", "Set x = a  b  c.", and "Das ist am 3." before "Mai."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sentence-stream==1.3.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from sentence_stream import stream_to_sentences

SENTENCES = {
    "Room fee: 2*3*4 euro. Pay now.": ["Room fee: 234 euro.", "Pay now."],
    "Set x = a * b * c. Stop.": ["Set x = a  b  c.", "Stop."],
    "Das ist am 3. Mai. Komm.": ["Das ist am 3.", "Mai. Komm."],
}
seen = {text: list(stream_to_sentences([text])) for text in SENTENCES}
print(seen)
raise SystemExit(seen != SENTENCES)
PYTHON
