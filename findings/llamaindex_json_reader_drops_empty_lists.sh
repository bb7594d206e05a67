#!/usr/bin/env bash
# llama-index-readers-json 0.6.0: JSONReader(levels_back=0), which writes a line of keys for each value, writes none for
# an empty list or object: a cake of which the file states that it has no allergens reads as one of which nothing is
# known. null and false have lines. The default, without levels_back, keeps empty lists.
# Exits 0 while this holds; output: ['cake vegan False', 'cake price None'].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-json==0.6.0 llama-index-core==0.14.25
cd "$folder"
echo '{"cake": {"allergens": [], "vegan": false, "price": null}}' > menu.json
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.readers.json import JSONReader

lines = JSONReader(levels_back=0).load_data("menu.json")[0].text.split("\n")
plain = JSONReader().load_data("menu.json")[0].text
print(lines)
seen = ["cake vegan False", "cake price None"]
raise SystemExit(lines != seen or '"allergens": []' not in plain)
PYTHON
