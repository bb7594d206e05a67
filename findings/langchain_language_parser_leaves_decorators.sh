#!/usr/bin/env bash
# langchain-community 0.4.2: LanguageParser puts functions and classes of Python into documents of their own, without
# their decorators and the comment above. These stay in the document of the rest, above "# Code for: def pool():", so
# that the route or the test's cases of a function are not found with it.
# Exits 0 while this holds; output: "function: def pool():; the rest has @app.get: True".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_community.document_loaders.parsers import LanguageParser
from langchain_core.documents.base import Blob

CODE = """import app

# Only for members.
@app.get("/pool")
def pool():
    return 1
"""
function, rest = LanguageParser(language="python").lazy_parse(Blob.from_data(CODE))
first = function.page_content.splitlines()[0]
print(f"function: {first}; the rest has @app.get: {'@app.get' in rest.page_content}")
raise SystemExit(first != "def pool():" or "@app.get" not in rest.page_content)
PYTHON
