#!/usr/bin/env bash
# langchain-community 0.4.2: BibtexLoader, which should read the abstract of an entry without a PDF according to its
# documentation, leaves out each entry without a `file`. With bibtexparser 2.1.0, which pip installs, it raises
# AttributeError.
# Exits 0 while this holds; output: "AttributeError; with 1.4.4: 0 documents of 1 entry".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 bibtexparser==2.1.0 pymupdf==2.0
cd "$folder"
cat > papers.bib <<'BIBTEX'
@article{lee2020, title = {Otters}, author = {Ann Lee}, year = {2020}, abstract = {Otters eat fish.}}
BIBTEX
cat > load.py <<'PYTHON'
from langchain_community.document_loaders import BibtexLoader

try:
    print(len(BibtexLoader("papers.bib").load()))
except AttributeError:
    print("AttributeError")
PYTHON
newest=$("$folder/venv/bin/python" -W ignore load.py)
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bibtexparser==1.4.4
older=$("$folder/venv/bin/python" -W ignore load.py)
echo "$newest; with 1.4.4: $older documents of 1 entry"
[ "$newest; $older" = "AttributeError; 0" ]
