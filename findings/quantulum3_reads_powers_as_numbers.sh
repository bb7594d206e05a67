#!/usr/bin/env bash
# quantulum3 0.10.0 finds "6 kilograms" in "10^6 kg", and 10 of nothing: the exponent is the quantity. "10^-6 kg" is -6
# kilograms. With a factor before it, "2x10^6 kg", it is two million.
# Exits 0 while this holds; output: [(10.0, ''), (6.0, 'kg')], [(10.0, ''), (-6.0, 'kg')], and [(2000000.0, 'kg')].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check quantulum3==0.10.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from quantulum3 import parser

TEXTS = ["The ship has 10^6 kg.", "A grain has 10^-6 kg.", "The ship has 2x10^6 kg."]
found = [[(q.value, q.unit.symbols[0] if q.unit.symbols else "") for q in parser.parse(text)] for text in TEXTS]
print(*found)
raise SystemExit(found != [[(10, ""), (6, "kg")], [(10, ""), (-6, "kg")], [(2e6, "kg")]])
PYTHON
