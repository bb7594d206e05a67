#!/usr/bin/env bash
# unit_parse 0.1.12, made for values in scientific texts, takes the upper end of a range for a power if the lower end is
# 10: "10 to 20 mg" is 1e-20 mg, where "20 to 30 mg" is 20 mg. With the dash of print, "5–7 mm" is 35 mm; "6 ft 2 in" is
# 12 feet, and "5 ± 0.2 mm" one millimetre, although its rules take tolerances off, as of "5 ± 2 mm".
# Exits 0 while this holds; output: "1e-20 mg, 20 mg, 35 mm, 12 ft, 1.0 mm, 5 mm" without a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check unit_parse==0.1.12 pint==0.25.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from unit_parse import parser

TEXTS = ["10 to 20 mg", "20 to 30 mg", "5–7 mm", "6 ft 2 in", "5 ± 0.2 mm", "5 ± 2 mm"]
values = [str(parser(text)) for text in TEXTS]
print(*values, sep=", ")
raise SystemExit(values != ["1e-20 mg", "20 mg", "35 mm", "12 ft", "1.0 mm", "5 mm"])
PYTHON
