#!/usr/bin/env bash
# ranx 0.3.21: bpref is NaN if no document of a question is judged as not relevant, as in most collections for retrieval, and
# with one such question the mean of all is NaN. It divides by the number of those documents. trec_eval (ir-measures 0.4.3)
# gives the share of relevant documents that were found.
# Exits 0 while this holds; output: "ranx nan, trec_eval 0.5; with a judged miss: ranx 0.5, trec_eval 0.5".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  ranx==0.3.21 ir-measures==0.4.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import math

import ir_measures
from ranx import Qrels, Run, evaluate

FOUND = {"q": {"a": 2.0, "c": 1.0}}


def both(judged):
    """Return bpref by ranx and by trec_eval, of a search that finds `a` and `c`."""
    ranx = float(evaluate(Qrels(judged), Run(FOUND), "bpref"))
    return ranx, ir_measures.calc_aggregate([ir_measures.Bpref], judged, FOUND)[ir_measures.Bpref]


relevant = {"a": 1, "b": 1}
alone, beside_a_miss = both({"q": relevant}), both({"q": {**relevant, "d": 0}})
print("ranx {}, trec_eval {}; with a judged miss: ranx {}, trec_eval {}".format(*alone, *beside_a_miss))
raise SystemExit(not (math.isnan(alone[0]) and alone[1] == 0.5 and beside_a_miss == (0.5, 0.5)))
PYTHON
