#!/usr/bin/env bash
# llama-index-core 0.14.25: pickling a splitter, as IngestionPipeline.run(num_workers=2) does for its workers, removes
# attributes that cannot be pickled from the splitter itself, not only from the copy: a lambda that names nodes, or
# handlers with a lock. The run logs a warning and returns nodes with random IDs; the next use of the same splitter
# raises AttributeError.
# Exits 0 while this holds; output: "by the workers: named False; then: ... object has no attribute 'id_func'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
cat > run.py <<'PYTHON'
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import MarkdownNodeParser

if __name__ == "__main__":
    page = Document(text="# Ferry\n\nIt leaves at nine.", id_="ferry")
    parser = MarkdownNodeParser(id_func=lambda number, document: f"{document.node_id}-{number}")
    (alone,) = IngestionPipeline(transformations=[parser], disable_cache=True).run(documents=[page])
    assert alone.node_id == "ferry-0"
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    (node,) = pipeline.run(documents=[page], num_workers=2)
    error = ""
    try:
        parser.get_nodes_from_documents([page])
    except AttributeError as raised:
        error = str(raised)
    print(f"by the workers: named {node.node_id == 'ferry-0'}; then: {error}")
    raise SystemExit(node.node_id == "ferry-0" or "no attribute 'id_func'" not in error)
PYTHON
"$folder/venv/bin/python" -W ignore run.py
