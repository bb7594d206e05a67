#!/usr/bin/env bash
# llama-index-core 0.14.25: EmbeddingRecencyPostprocessor, which drops older versions of a text, sorts nodes by date,
# but compares the vectors of the order before. It keeps the outdated version, and drops an unrelated text.
# Exits 0 while this holds; output: "keeps ['ferry, 2024', 'ferry, 2023'] of ['ferry, 2023', 'otters, 2022', 'ferry,
# 2024']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 pandas==2.3.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import MockEmbedding
from llama_index.core.postprocessor import EmbeddingRecencyPostprocessor
from llama_index.core.schema import NodeWithScore, TextNode


class Topics(MockEmbedding):
    """Texts on ferries have one vector, others another."""

    def _get_text_embedding(self, text):
        return [1.0, 0.0] if "ferry" in text else [0.0, 1.0]

    _get_query_embedding = _get_text_embedding


FOUND = (("ferry", 2023), ("otters", 2022), ("ferry", 2024))
nodes = [
    NodeWithScore(node=TextNode(text=f"{topic}, {year}", metadata={"date": f"{year}-05-01"}), score=1.0)
    for topic, year in FOUND
]
kept = EmbeddingRecencyPostprocessor(embed_model=Topics(embed_dim=2)).postprocess_nodes(nodes, query_str="ferry")
texts = [node.text for node in kept]
print(f"keeps {texts} of {[node.text for node in nodes]}")
raise SystemExit(texts != ["ferry, 2024", "ferry, 2023"])
PYTHON
