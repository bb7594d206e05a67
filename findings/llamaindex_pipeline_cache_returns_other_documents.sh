#!/usr/bin/env bash
# llama-index-core 0.14.25: the cache of an IngestionPipeline, which is on by default, identifies documents only by
# their text and metadata. A document with the text of an earlier one gets that one's nodes, so they name the other
# document: its deletion or update takes these along, and a citation leads there. Keys that are now left out of
# embeddings (excluded_embed_metadata_keys) stay in nodes and vectors.
# Exits 0 while this holds; output: "nodes of ferry-2026: ['ferry-2025']; embedded: ['price: 5 Open at nine.']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import MetadataMode

pipeline = IngestionPipeline(transformations=[SentenceSplitter()])


def nodes_of(name, **settings):
    return pipeline.run(documents=[Document(id_=name, text="Open at nine.", **settings)])


nodes_of("ferry-2025")
named = [node.ref_doc_id for node in nodes_of("ferry-2026")]
nodes_of("kiosk", metadata={"price": 5})
later = nodes_of("kiosk", metadata={"price": 5}, excluded_embed_metadata_keys=["price"])
embedded = [" ".join(node.get_content(MetadataMode.EMBED).split()) for node in later]
print(f"nodes of ferry-2026: {named}; embedded: {embedded}")
raise SystemExit((named, embedded) != (["ferry-2025"], ["price: 5 Open at nine."]))
PYTHON
