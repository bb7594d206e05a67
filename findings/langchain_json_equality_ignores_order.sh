#!/usr/bin/env bash
# langchain-classic 1.0.8: JsonEqualityEvaluator, which checks whether two JSON texts are equal, accepts the steps
# ["open", "drain"] for ["drain", "open"]: it sorts a list that is the whole text, but none inside an object. `true`
# equals 1, so that "paid: 1" passes for "paid: true".
# Exits 0 while this holds; output: "list True, in an object False, true and 1 True".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-classic==1.0.8
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_classic.evaluation import JsonEqualityEvaluator

PAIRS = {
    "list": ('["open", "drain"]', '["drain", "open"]'),
    "in an object": ('{"steps": ["open", "drain"]}', '{"steps": ["drain", "open"]}'),
    "true and 1": ('{"paid": 1}', '{"paid": true}'),
}
evaluator = JsonEqualityEvaluator()
seen = {
    name: evaluator.evaluate_strings(prediction=answer, reference=right)["score"]
    for name, (answer, right) in PAIRS.items()
}
print(", ".join(f"{name} {score}" for name, score in seen.items()))
raise SystemExit([*seen.values()] != [True, False, True])
PYTHON
