#!/usr/bin/env bash
# langchain-community 0.4.2: NotebookLoader gives the cells of a notebook as Python shows lists of strings: with
# brackets, quotation marks and "\n" as two characters. No line ends, so that "# Tide" is no heading, and the code of
# a cell is one line for a splitter and an embedder.
# Exits 0 while this holds; output: 'markdown' cell: '['# Tide\n', 'High at nine.']'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from pathlib import Path

from langchain_community.document_loaders import NotebookLoader

cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Tide\n", "High at nine."]}
notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
Path("a.ipynb").write_text(json.dumps(notebook))
(document,) = NotebookLoader("a.ipynb").load()
print(document.page_content.strip())
raise SystemExit(r"'['# Tide\n', 'High at nine.']'" not in document.page_content)
PYTHON
