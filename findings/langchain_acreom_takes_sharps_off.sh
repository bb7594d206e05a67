#!/usr/bin/env bash
# langchain-community 0.4.2: AcreomLoader removes each "#" from the notes of a vault, to get tags without it: "C#" is
# "C", an issue #12 is 12, and headings are paragraphs. Comments of a script lose their mark in code, too.
# Exits 0 while this holds; output: " Tuning\n\nIn C and F, not in C."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from langchain_community.document_loaders import AcreomLoader

Path("vault").mkdir()
Path("vault/a.md").write_text("---\ntitle: Tuning\n---\n# Tuning\n\nIn C# and F#, not in C.\n")
(document,) = AcreomLoader("vault").load()
print(repr(document.page_content.rstrip()))
raise SystemExit(document.page_content.rstrip() != " Tuning\n\nIn C and F, not in C.")
PYTHON
