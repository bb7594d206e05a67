#!/usr/bin/env bash
# llama-index-core 0.14.25 with nltk 3.10.4, installed by uv 0.13.9: SentenceSplitter raises PermissionError. uv links
# files from its cache where both are on one disk, and nltk reads no file that has a second link, not even the stop
# words that LlamaIndex brings. pip copies files, and so does uv with --link-mode copy: both work.
# Exits 0 while this holds; output: "PermissionError ... refusing multiply-linked file", then "split".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check uv==0.13.9
cd "$folder"
cat > see.py <<'PYTHON'
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter

try:
    nodes = SentenceSplitter(chunk_size=60, chunk_overlap=0)([Document(text="Gulls sleep. " * 40)])
except PermissionError as error:
    print("PermissionError", str(error)[:300])
else:
    print("split")
PYTHON
export UV_CACHE_DIR="$folder/cache" UV_NATIVE_TLS=1
for mode in hardlink copy; do
  "$folder/venv/bin/uv" venv --quiet "$mode"
  "$folder/venv/bin/uv" pip install --quiet --link-mode "$mode" --python "$mode/bin/python" \
    llama-index-core==0.14.25 nltk==3.10.4
  "$mode/bin/python" -W ignore see.py | tee "$mode.txt"
done
grep -q "refusing multiply-linked file" hardlink.txt && grep -qx split copy.txt
