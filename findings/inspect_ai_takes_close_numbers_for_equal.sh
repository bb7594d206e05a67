#!/usr/bin/env bash
# inspect-ai 0.3.285: match(numeric=True) compares five digits, so 1,234,567 is accepted for 1,234,599, and it removes
# the comma of "3,5": 35. exact() splits at hyphens and removes other signs: for it, "5 degrees" equals "-5 degrees",
# "1:30" is 130, and "C#" is "C++".
# Exits 0 while this holds; output: "match(numeric=True) 1,234,567 for 1,234,599: C", "exact() 5 degrees for -5 degrees:
# C".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  inspect-ai==0.3.285
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import asyncio

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Target, exact, match
from inspect_ai.solver import TaskState


def grade(scorer, answer, target):
    output = ModelOutput.from_content("mockllm/model", answer)
    state = TaskState("mockllm/model", 1, 1, input="?", messages=[], output=output)
    return asyncio.run(scorer(state, Target(target))).value


CASES = [
    (match(numeric=True), "match(numeric=True)", "1,234,567", "1,234,599"),
    (match(numeric=True), "match(numeric=True)", "3,5", "35"),
    (exact(), "exact()", "5 degrees", "-5 degrees"),
    (exact(), "exact()", "1:30", "130"),
    (exact(), "exact()", "C#", "C++"),
]
grades = [grade(scorer, answer, target) for scorer, _, answer, target in CASES]
for (_, name, answer, target), value in zip(CASES, grades, strict=True):
    print(f"{name} {answer} for {target}: {value}")
raise SystemExit(grades != ["C"] * len(CASES) or grade(exact(), "6 degrees", "5 degrees") != "I")
PYTHON
