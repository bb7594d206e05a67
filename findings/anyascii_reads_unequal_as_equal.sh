#!/usr/bin/env bash
# anyascii 0.3.3, which writes any text in ASCII for search and slugs, takes the stroke off signs of negation: "not equal"
# becomes "=", "not less than" becomes "<", as if they were letters with accents. "≤" and "±" are right ("<=", "+-"). A
# number and a fraction are one number: 2½ is "21/2".
# Exits 0 while this holds; output: "a = b, x < 5, y > 5, 2 <= 3, 21/2 cups".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  anyascii==0.3.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from anyascii import anyascii

TEXTS = ("a ≠ b", "x ≮ 5", "y ≯ 5", "2 ≤ 3", "2½ cups")
seen = ", ".join(map(anyascii, TEXTS))
print(seen)
raise SystemExit(seen != "a = b, x < 5, y > 5, 2 <= 3, 21/2 cups")
PYTHON
