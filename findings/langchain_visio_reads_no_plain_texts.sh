#!/usr/bin/env bash
# langchain-community 0.4.2: VsdxLoader reads a shape's text only if it has formatting inside. Of a drawing that Visio made,
# whose shapes have plain texts (the package vsdx brings it), it returns an empty page.
# Exits 0 while this holds; output: "vsdx: ['RECTANGLE', 'CONNECTED_SHAPE', 'STRAIGHT_CONNECTOR', ...], VsdxLoader: ''".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 xmltodict==1.0.4 vsdx==0.6.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import vsdx
from langchain_community.document_loaders import VsdxLoader

drawing = Path(vsdx.__file__).parent / "media" / "media.vsdx"
with vsdx.VisioFile(str(drawing)) as opened:
    texts = [shape.text.strip() for shape in opened.pages[0].all_shapes]
(page,) = VsdxLoader(drawing).load()
print(f"vsdx: {texts}, VsdxLoader: {page.page_content!r}")
raise SystemExit("RECTANGLE" not in texts or page.page_content != "")
PYTHON
