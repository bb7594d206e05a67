#!/usr/bin/env bash
# trectools 0.0.50, with the pandas that pip installs with it (3.1.1), takes a document for relevant in R-precision if
# it is relevant to another question. For two questions whose first hits are only relevant to the other question it
# returns 1.0 instead of 0; of two that have found the same relevant document first, 2.0 instead of 1. With pandas 2.2.3
# both are right, and so is its MAP of the same run. There is no error or warning.
# Exits 0 while this holds; output: [1.0, 2.0] with pandas 3.1.1, and [0.0, 1.0] with pandas 2.2.3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > see.py <<'PYTHON'
from pathlib import Path

from trectools import TrecEval, TrecQrel, TrecRun

RELEVANT = ["1 0 a 1\n2 0 b 1\n", "1 0 b 1\n2 0 b 1\n"]
RUNS = [
    "1 Q0 b 1 0.9 x\n1 Q0 a 2 0.8 x\n2 Q0 a 1 0.9 x\n2 Q0 b 2 0.8 x\n",
    "1 Q0 b 1 0.9 x\n1 Q0 a 2 0.8 x\n2 Q0 b 1 0.9 x\n2 Q0 a 2 0.8 x\n",
]
values = []
for relevant, run in zip(RELEVANT, RUNS):
    Path("relevant.txt").write_text(relevant)
    Path("run.txt").write_text(run)
    evaluation = TrecEval(TrecRun("run.txt"), TrecQrel("relevant.txt"))
    values.append((float(evaluation.get_rprec()), float(evaluation.get_map())))
print(values)
PYTHON
for pandas in 3.1.1 2.2.3; do
  python3 -m venv "$folder/venv$pandas"
  "$folder/venv$pandas/bin/pip" install --quiet --disable-pip-version-check trectools==0.0.50 "pandas==$pandas"
  "$folder/venv$pandas/bin/python" -W ignore see.py | tee "seen$pandas"
done
[ "$(cat seen3.1.1)" = "[(1.0, 0.5), (2.0, 1.0)]" ]
[ "$(cat seen2.2.3)" = "[(0.0, 0.5), (1.0, 1.0)]" ]
