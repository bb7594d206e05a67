#!/usr/bin/env bash
# jsonshiatsu 0.2.1 changes texts inside valid JSON as if it were broken: "No pets" is "false pets", room "012" is "10",
# a fraction is a decimal, and text that looks like a comment or like Python is changed. Its documentation describes it
# as a replacement for Python's json with the same functionality. json-repair 0.64.6 returns the same as json.
# Exits 0 while this holds; output: "false pets", "10", "0.9 stars", "srcx", "null" and "a: {b}".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  jsonshiatsu==0.2.1 json-repair==0.64.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json

import json_repair
import jsonshiatsu

SEEN = {
    "No pets": "false pets",
    "012": "10",
    "9/10 stars": "0.9 stars",
    "src/*.py and lib/*/x": "srcx",
    "None": "null",
    "a = {b}": "a: {b}",
}
changed = {}
for text in SEEN:
    reply = json.dumps({"text": text})
    assert json_repair.loads(reply) == {"text": text}
    changed[text] = jsonshiatsu.loads(reply)["text"]
    print(f"{text!r} is {changed[text]!r}")
raise SystemExit(changed != SEEN)
PYTHON
