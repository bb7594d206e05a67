#!/usr/bin/env bash
# pysbd 0.3.4: a sentence with a character that the segmenter uses internally as a mark is left out, or the part before
# the character: the note of captions (U+266C), the sign of hot springs on maps (U+2668), the comet, the sun. There is
# no error, even with clean=False, which should change nothing.
# Exits 0 while this holds; output: "['It stops. ', 'Ann leaves.']" of three sentences.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pysbd==0.3.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pysbd

TEXT = "It stops. \u266c Sail away. Ann leaves."
SPRINGS = "Open at 8. Bathe at \u2668 Otoyu or at home. Ask Ann."
segmenter = pysbd.Segmenter(language="en", clean=False)
seen = segmenter.segment(TEXT)
print(seen)
kept = ["It stops. ", "Ann leaves."], ["Open at 8. ", "Ask Ann."]
raise SystemExit((seen, segmenter.segment(SPRINGS)) != kept)
PYTHON
