#!/usr/bin/env bash
# nltk 3.10.4: pk should use windows of half a mean segment of the reference. It divides by twice the marks, which
# between units are one less than the segments: of two halves the window is a whole one. So Pk is 0, no error, for a
# text that is cut once too often, and 0.33 in segeval 2.0.11, or here with k=5; and 1 instead of 0.33 for one that is
# not cut. Pass k.
# Exits 0 while this holds; output: "[10, 5, 5]: nltk 0.0, k=5 0.33, segeval 0.33; [20]: nltk 1.0, k=5 0.33, segeval
# 0.33".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nltk==3.10.4 segeval==2.0.11
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import segeval
from nltk.metrics.segmentation import pk


def marks(segments):
    """Return a mark for each place between two units: 1 where a segment ends."""
    return "".join("0" * (size - 1) + "1" for size in segments)[:-1]


REFERENCE = [10, 10]
seen = {}
for cuts in ([10, 5, 5], [20]):
    given = marks(REFERENCE), marks(cuts)
    values = pk(*given), pk(*given, k=5), segeval.pk(cuts, REFERENCE)
    seen[str(cuts)] = [round(float(value), 2) for value in values]
print("; ".join("{}: nltk {}, k=5 {}, segeval {}".format(cuts, *of) for cuts, of in seen.items()))
raise SystemExit(seen != {"[10, 5, 5]": [0.0, 0.33, 0.33], "[20]": [1.0, 0.33, 0.33]})
PYTHON
