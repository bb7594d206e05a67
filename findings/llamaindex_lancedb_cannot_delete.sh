#!/usr/bin/env bash
# llama-index-vector-stores-lancedb 0.6.0 with lancedb 0.40.0: delete(ref_doc_id) quotes the ID as the
# name of a column, and raises ValueError for every document. So IngestionPipeline cannot update one.
# Exits 0 while this holds; output: 'ValueError: ... No field named "gulls.txt"'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 llama-index-vector-stores-lancedb==0.6.0 lancedb==0.40.0 pandas==2.3.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.vector_stores.lancedb import LanceDBVectorStore

source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="gulls.txt")}
node = TextNode(text="Gulls sleep.", embedding=[1.0, 0.0], relationships=source)
store = LanceDBVectorStore(uri="db")
store.add([node])
try:
    store.delete("gulls.txt")
except ValueError as error:
    print(f"ValueError: {str(error)[:120]}")
    raise SystemExit('No field named "gulls.txt"' not in str(error))
raise SystemExit("the document is deleted")
PYTHON
