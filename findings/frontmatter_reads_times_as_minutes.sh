#!/usr/bin/env bash
# python-frontmatter 1.3.0 reads "opens: 9:30" above a note as the number 570, the score "2:1" as 121, and room "012" as
# 10, but room "019" as a text: numbers to the base 60 and 8 of YAML 1.1. A filter by metadata finds no 9:30, and no
# room 12.
# Exits 0 while this holds; output: {'opens': 570, 'score': 121, 'room': 10, 'hall': '019'}.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check python-frontmatter==1.3.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import frontmatter

read = frontmatter.loads("---\nopens: 9:30\nscore: 2:1\nroom: 012\nhall: 019\n---\nThe pool.\n").metadata
print(read)
raise SystemExit(read != {"opens": 570, "score": 121, "room": 10, "hall": "019"})
PYTHON
