#!/usr/bin/env bash
# timelength 3.0.4 reads "half an hour", but keeps half an hour of "1 1/2 hours" and of "2 and a half hours", and an hour of
# "an hour and a half". "2 to 3 hours" is three, "-5 minutes" five, and "PT1M" (a minute of ISO 8601) a month. `success` is
# true for each.
# Exits 0 while this holds; output: 1800, 1800, 3600, 10800, 300 and 2635200 seconds, and 5400 for "1.5 hours".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check timelength==3.0.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from timelength import TimeLength

SECONDS = {
    "1 1/2 hours": 1800,
    "2 and a half hours": 1800,
    "an hour and a half": 3600,
    "2 to 3 hours": 10800,
    "-5 minutes": 300,
    "PT1M": 2635200,
    "half an hour": 1800,
    "1.5 hours": 5400,
}
seen = {text: TimeLength(text).result for text in SECONDS}
for text, result in seen.items():
    print(text, result.seconds, result.success)
same = {text: result.seconds for text, result in seen.items()} == SECONDS
raise SystemExit(not same or not all(result.success for result in seen.values()))
PYTHON
