#!/usr/bin/env bash
# ir-measures 0.4.3: P@1 is 0 and RR@1 is 1 for one ranking, in one call, so the first hit is wrong and
# right. The scores differ by 3e-8, as those of a reranker near 1 do. P and nDCG compare them as 32-bit
# floats, where they are equal, and prefer the larger name; RR@k compares them as they are.
# Settings of a retriever can change places by the names of the documents alone: compare ranks.
# Exits 0 while this holds; output: "P@1 0.0, nDCG@1 0.0, RR@1 1.0; with whole numbers 1.0, 1.0, 1.0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  ir-measures==0.4.3 pytrec-eval-terrier==0.5.11
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import ir_measures
from ir_measures import RR, P, nDCG

RELEVANT = {"question": {"a": 1}}
MEASURES = [P @ 1, nDCG @ 1, RR @ 1]


def measure(scores):
    found = ir_measures.calc_aggregate(MEASURES, RELEVANT, {"question": scores})
    return [found[each] for each in MEASURES]


values = measure({"a": 0.99999997, "b": 0.99999994}) + measure({"a": 2.0, "b": 1.0})
print("P@1 {}, nDCG@1 {}, RR@1 {}; with whole numbers {}, {}, {}".format(*values))
raise SystemExit(values != [0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
PYTHON
