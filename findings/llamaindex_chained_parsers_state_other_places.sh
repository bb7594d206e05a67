#!/usr/bin/env bash
# llama-index-core 0.14.25: in a pipeline of MarkdownNodeParser and SentenceSplitter, nodes below the first section have
# no offsets, or offsets within their section instead of the document: quotes of them are looked up at the wrong place.
# Exits 0 while this holds; output: "'Closed on feast days.': (77, 48)", which is at 77, and states 48.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

TEXT = "# Pool\n\nA pool of the town.\n\n# Museum\n\nOpens at nine, and at ten on Sundays. Closed on feast days.\n"
steps = [MarkdownNodeParser(), SentenceSplitter(chunk_size=20, chunk_overlap=0, include_metadata=False)]
nodes = IngestionPipeline(transformations=steps).run(documents=[Document(text=TEXT)])
places = {node.text: (TEXT.index(node.text), node.start_char_idx) for node in nodes}
print(places)
below = [place for text, place in places.items() if "Pool" not in text]
raise SystemExit(below != [(29, None), (77, 48)])
PYTHON
