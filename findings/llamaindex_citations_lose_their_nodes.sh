#!/usr/bin/env bash
# llama-index-core 0.14.25: CitationQueryEngine returns copies of the nodes that it found, with random IDs, without
# offsets, and with "Source 1:" in the text, even of a node that is not cut. So a citation leads to a document, but to
# no node or place in it; the plain query engine returns the nodes themselves.
# Exits 0 while this holds; output: "plain: [('pool', 40, 'house', 'Open at 8.')]; citations: [('random', None, 'house',
# 'Source 1:\nOpen at 8.\n')]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

house = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="house")}
node = TextNode(
    text="Open at 8.", id_="pool", start_char_idx=40, end_char_idx=50, relationships=house
)
index = VectorStoreIndex([node], embed_model=MockEmbedding(8))
engines = {
    "plain": index.as_query_engine(llm=MockLLM()),
    "citations": CitationQueryEngine.from_args(index, llm=MockLLM()),
}
found = {}
for name, engine in engines.items():
    nodes = [hit.node for hit in engine.query("When?").source_nodes]
    found[name] = [
        (n.node_id if n.node_id == "pool" else "random", n.start_char_idx, n.ref_doc_id, n.text)
        for n in nodes
    ]
print("; ".join(f"{name}: {nodes}" for name, nodes in found.items()))
raise SystemExit(
    found
    != {
        "plain": [("pool", 40, "house", "Open at 8.")],
        "citations": [("random", None, "house", "Source 1:\nOpen at 8.\n")],
    }
)
PYTHON
