#!/usr/bin/env bash
# inscriptis 2.7.6 puts the terms and meanings of a definition list on one line, without a space where the
# page has none between them, as minified pages: "Coda fishEela snake of a fish". Browsers show each on a
# line. The words at the edges are found by no search.
# Exits 0 while this holds; output: "Coda fishEela long fish".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  inscriptis==2.7.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import inscriptis

text = inscriptis.get_text("<dl><dt>Cod</dt><dd>a fish</dd><dt>Eel</dt><dd>a long fish</dd></dl>")
print(text.strip())
raise SystemExit(text.strip() != "Coda fishEela long fish")
PYTHON
