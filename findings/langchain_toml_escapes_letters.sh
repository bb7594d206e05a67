#!/usr/bin/env bash
# langchain-community 0.4.2: TomlLoader, and JSONLoader of objects, write letters but ASCII's as escapes: no search for a
# café finds "Caf\u00e9". TomlLoader raises TypeError if a file has a date, which TOML has.
# Exits 0 while this holds; output: "TOML {"name": "Caf\u00e9"}, JSON {"name": "Caf\u00e9"}, date TypeError".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 jq==1.11.0 tomli==2.3.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from langchain_community.document_loaders import JSONLoader, TomlLoader

Path("name.toml").write_text('name = "Café"\n', encoding="utf-8")
Path("day.toml").write_text("day = 2024-05-01\n")
Path("name.json").write_text('[{"name": "Café"}]\n', encoding="utf-8")
(toml,) = TomlLoader("name.toml").load()
(json,) = JSONLoader("name.json", ".[]", text_content=False).load()
try:
    TomlLoader("day.toml").load()
    day = "read"
except TypeError:
    day = "TypeError"
print(f"TOML {toml.page_content}, JSON {json.page_content}, date {day}")
escaped = r'{"name": "Caf\u00e9"}'
raise SystemExit((toml.page_content, json.page_content, day) != (escaped, escaped, "TypeError"))
PYTHON
