#!/usr/bin/env bash
# llama-index-core 0.14.25 with beautifulsoup4 4.15.0: HTMLNodeParser takes a bold or italic word out of
# its paragraph and makes it a separate node, so the rest can state the opposite.
# Exits 0 while this holds; output: "['Gulls do\nsleep.', 'not']" for "<p>Gulls do <b>not</b> sleep.</p>".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 beautifulsoup4==4.15.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document
from llama_index.core.node_parser import HTMLNodeParser

page = Document(text="<p>Gulls do <b>not</b> sleep.</p>")
texts = [node.text for node in HTMLNodeParser().get_nodes_from_documents([page])]
print(texts)
raise SystemExit(texts != ["Gulls do\nsleep.", "not"])
PYTHON
