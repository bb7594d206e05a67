#!/usr/bin/env bash
# langchain-community 0.4.2: ReadTheDocsLoader, which is said to read <article role="main">, returns an empty text for each
# page of Sphinx with the theme Furo, which has that element. A page of Alabaster, Sphinx's own theme, is read.
# Exits 0 while this holds; output: "alabaster: 'Ferry¶\nAt nine.', furo: ''".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 beautifulsoup4==4.15.0 sphinx==9.0.4 furo==2025.12.19
cd "$folder"
mkdir source
printf 'Ferry\n=====\n\nAt nine.\n' > source/index.rst
for theme in alabaster furo; do
  printf "html_theme = '%s'\n" "$theme" > source/conf.py
  "$folder/venv/bin/python" -W ignore -m sphinx -q -E source "$theme"
done
grep -q '<article role="main"' furo/index.html
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_community.document_loaders import ReadTheDocsLoader

alabaster, furo = (
    ReadTheDocsLoader(theme, encoding="utf-8", patterns=["index.html"]).load()[0].page_content
    for theme in ("alabaster", "furo")
)
print(f"alabaster: {alabaster!r}, furo: {furo!r}")
raise SystemExit((alabaster, furo) != ("Ferry¶\nAt nine.", ""))
PYTHON
