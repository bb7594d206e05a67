#!/usr/bin/env bash
# langchain-text-splitters 1.1.3: HTMLSemanticPreservingSplitter, in spite of its name, puts the words of
# inline elements before the others: "not Gulls do sleep." of "Gulls do <b>not</b> sleep." Text that
# stands in no element of its own between a heading and a paragraph is left out.
# Exits 0 while this holds; output: "'not Gulls do sleep.', then 'Eels do.' without 'Cod rests.'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-text-splitters==1.1.3 langchain-core==1.8.3 beautifulsoup4==4.14.2 lxml==6.1.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_text_splitters import HTMLSemanticPreservingSplitter

PAGE = "<h1>Sea</h1><p>Gulls do <b>not</b> sleep.</p><h2>Fish</h2>Cod rests.<p>Eels do.</p>"
splitter = HTMLSemanticPreservingSplitter([("h1", "h1"), ("h2", "h2")])
texts = [document.page_content for document in splitter.split_text(PAGE)]
print("{!r}, then {!r} without 'Cod rests.'".format(*texts))
raise SystemExit(texts != ["not Gulls do sleep.", "Eels do."])
PYTHON
