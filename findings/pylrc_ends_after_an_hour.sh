#!/usr/bin/env bash
# pylrc 0.1.2 leaves out all lines of an LRC file from minute 60 on, without an error: its minutes have the digits 0 to 59,
# but LRC has no hours, so that a concert, sermon or audiobook goes on with [60:05.00].
# Exits 0 while this holds; output: "[(3598.0, 'of the first hour')]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pylrc==0.1.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pylrc

LYRICS = "[59:58.00]of the first hour\n[60:05.00]of the second hour\n[100:00.00]of its end\n"
seen = [(line.time, line.text) for line in pylrc.parse(LYRICS)]
print(seen)
raise SystemExit(seen != [(3598.0, "of the first hour")])
PYTHON
