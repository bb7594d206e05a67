#!/usr/bin/env bash
# llama-index-node-parser-chonkie 0.2.0 (llama-index-core 0.14.25, chonkie 1.7.0): an IngestionPipeline gives any Chunker the
# cached nodes of the first, whatever its kind and size, because no setting of chonkie is in what LlamaIndex serialises.
# Exits 0 while this holds; output: "50 words: 3 nodes; then 10 words: 3 nodes from the cache, 14 without it".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-node-parser-chonkie==0.2.0 llama-index-core==0.14.25 chonkie==1.7.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.node_parser.chonkie import Chunker

cache, documents = IngestionCache(), [Document(text="Otters swim. " * 60, id_="otters")]
large = Chunker("token", chunk_size=50, tokenizer="word")
small = Chunker("sentence", chunk_size=10, tokenizer="word")


def count(chunker, cache=None):
    """Return the number of nodes that a pipeline makes."""
    pipeline = IngestionPipeline(transformations=[chunker], cache=cache, disable_cache=not cache)
    return len(pipeline.run(documents=documents))


first, second, right = count(large, cache), count(small, cache), count(small)
print(f"50 words: {first} nodes; then 10 words: {second} nodes from the cache, {right} without it")
raise SystemExit(not first == second < right)
PYTHON
