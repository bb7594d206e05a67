#!/usr/bin/env bash
# num2words 0.5.14 leaves out a zero behind the point in Vietnamese and Turkish: 2.01 is "two point one", and 1.05 "one
# point five". In Persian 1.05 is "one and a half". In English, German and French the minus of a number between -1 and 0
# is gone: -0.5 is "zero point five".
# Exits 0 while this holds; output: "hai phẩy một, birvirgülbeş, یک و نیم" and equal words for 0.5 and -0.5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check num2words==0.5.14
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from num2words import num2words

words = [num2words(2.01, lang="vi"), num2words(1.05, lang="tr"), num2words(1.05, lang="fa")]
half = num2words(1.5, lang="fa")
minus = [lang for lang in ("en", "de", "fr") if num2words(-0.5, lang=lang) == num2words(0.5, lang=lang)]
print(f"{', '.join(words)}; -0.5 is 0.5 in {minus}: {num2words(-0.5)}")
raise SystemExit(words != ["hai phẩy một", "birvirgülbeş", half] or minus != ["en", "de", "fr"])
PYTHON
