#!/usr/bin/env bash
# neologdn 0.5.6, which prepares Japanese texts for search, has a function normalize that takes the wave dash and the
# tilde for a lengthened vowel, and deletes them. Japanese writes ranges with these: "3 to 5 minutes" becomes "35
# minutes", and opening hours from 9:00 to 17:00 are one number. normalize(text, tilde="ignore") keeps them; the default
# is "remove".
# Exits 0 while this holds; output: "35分で到着, 営業時間は9:0017:00です, 3-5分".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  neologdn==0.5.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from neologdn import normalize

TEXTS = ("3〜5分で到着", "営業時間は9:00～17:00です", "3-5分")
seen = ", ".join(map(normalize, TEXTS))
print(seen)
assert normalize(TEXTS[0], tilde="ignore") == TEXTS[0]
raise SystemExit(seen != "35分で到着, 営業時間は9:0017:00です, 3-5分")
PYTHON
