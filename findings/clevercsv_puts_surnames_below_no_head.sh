#!/usr/bin/env bash
# clevercsv 0.8.5 takes spaces for the delimiter of a CSV file with a single column of names: "Ann Lee" is a row of two
# cells below the single head "name", and in dicts the name is "Ann".
# Exits 0 while this holds; output: [{'name': 'Ann', None: ['Lee']}, {'name': 'Bob', None: ['Ray']}].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check clevercsv==0.8.5
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import clevercsv

Path("names.csv").write_text("name\nAnn Lee\nBob Ray\n")
rows = [dict(row) for row in clevercsv.read_dicts("names.csv")]
print(rows)
raise SystemExit(rows != [{"name": "Ann", None: ["Lee"]}, {"name": "Bob", None: ["Ray"]}])
PYTHON
