#!/usr/bin/env bash
# llama-index-readers-file 0.7.0: XMLReader with a tree_level_split writes the elements of that level alone. Words
# between them are lost: of "Do <b>not</b> swim <i>here</i>." only the marked words and what follows them are left,
# and a paragraph without any marks is written whole.
# Exits 0 while this holds; output: "['<b>not</b> swim', '<i>here</i>.', '<p>Fish.</p>']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 llama-index-readers-file==0.7.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from llama_index.readers.file import XMLReader

Path("rules.xml").write_text("<rules><p>Do <b>not</b> swim <i>here</i>.</p><p>Fish.</p></rules>")
texts = [each.text.strip() for each in XMLReader(tree_level_split=2).load_data(Path("rules.xml"))]
print(texts)
raise SystemExit(texts != ["<b>not</b> swim", "<i>here</i>.", "<p>Fish.</p>"])
PYTHON
