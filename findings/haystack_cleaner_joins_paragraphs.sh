#!/usr/bin/env bash
# haystack-ai 3.4.1: DocumentCleaner with default settings replaces each run of two or more white space characters with
# a space, so blank lines too. Headings, items, code and paragraphs run together, and
# DocumentSplitter(split_by="passage"), which follows it in Haystack's own pipelines, has nowhere to cut: a file becomes
# one document.
# Exits 0 while this holds; output: "without: 4; with: ['Room 12 34 seats - tea - cake if wet: stop()']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  haystack-ai==3.4.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from haystack import Document
from haystack.components.preprocessors import DocumentCleaner, DocumentSplitter

TEXT = "Room 12\n\n34 seats\n\n- tea\n  - cake\n\nif wet:\n    stop()"
split = DocumentSplitter(split_by="passage", split_length=1).run
plain = split(documents=[Document(content=TEXT)])["documents"]
cleaned = DocumentCleaner().run(documents=[Document(content=TEXT)])["documents"]
contents = [document.content for document in split(documents=cleaned)["documents"]]
print(f"without: {len(plain)}; with: {contents}")
raise SystemExit((len(plain), contents) != (4, ["Room 12 34 seats - tea - cake if wet: stop()"]))
PYTHON
