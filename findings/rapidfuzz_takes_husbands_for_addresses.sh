#!/usr/bin/env bash
# RapidFuzz 3.14.6: utils.default_process, which the documentation advises before strings are compared, puts spaces for
# the marks of vowels of Hindi, so "husband" and "address" are alike by 100. Signs go as well: of "C#", "C" and "C++"
# the first is the best match for "C++", and "-5" is "5".
# Exits 0 while this holds; output: 100.0 for all three pairs; without it 67 and less.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rapidfuzz==3.14.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from rapidfuzz import fuzz, process, utils

pairs = [("पति", "पता"), ("C++", "C#"), ("-5", "5")]
scores = [fuzz.ratio(*pair, processor=utils.default_process) for pair in pairs]
raw = [round(fuzz.ratio(*pair)) for pair in pairs]
best = process.extractOne("C++", ["C#", "C", "C++"], processor=utils.default_process)
print(f"{scores}, without {raw}; C++ is {best[0]}")
raise SystemExit(scores != [100, 100, 100] or max(raw) > 67 or best[0] != "C#")
PYTHON
