#!/usr/bin/env bash
# bibtexparser 2.0.0b9 with LatexDecodingMiddleware decodes all fields with pylatexenc 2.11 as LaTeX, also links, in
# which "%" begins a comment: a link with "%20" ends there, also in \url, where LaTeX keeps it.
# Exits 0 while this holds; output: "https://example.com/pool" of "https://example.com/pool%20rules.pdf", twice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bibtexparser==2.0.0b9 pylatexenc==2.11
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import bibtexparser
from bibtexparser.middlewares import LatexDecodingMiddleware

LINK = "https://example.com/pool%20rules.pdf"
ENTRY = f"@misc{{pool, title = {{Caf{{\\'e}} rules}}, url = {{{LINK}}}, howpublished = {{\\url{{{LINK}}}}}}}"
library = bibtexparser.parse_string(ENTRY, append_middleware=[LatexDecodingMiddleware()])
decoded = {field.key: field.value for field in library.entries[0].fields}
print(decoded)
cut = {"title": "Café rules", "url": "https://example.com/pool", "howpublished": "https://example.com/pool"}
raise SystemExit(decoded != cut)
PYTHON
