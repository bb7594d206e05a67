#!/usr/bin/env bash
# llama-index-core 0.14.25: AutoPrevNextNodePostprocessor, which adds the nodes before or after a hit, sorts all by their
# IDs. These are random, so a model reads steps 4, 2, 3, 1, and others after each indexing. PrevNextNodePostprocessor
# keeps the order, and replaces a hit behind another hit by a copy without a score, the best hit too:
# SimilarityPostprocessor then leaves that out.
# Exits 0 while this holds; output: "9 orders of 9, such as (4, 2, 3, 1); scores [(3, 0.8), (4, None), (5, None)]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor import (
    AutoPrevNextNodePostprocessor,
    PrevNextNodePostprocessor,
    SimilarityPostprocessor,
)
from llama_index.core.schema import NodeWithScore
from llama_index.core.storage.docstore import SimpleDocumentStore

text = " ".join(
    f"Step {n} is to turn the valve, {'wait and look, ' * 15}and go on." for n in range(9)
)
orders = []
for _ in range(9):  # a document that is parsed anew has nodes with other IDs
    nodes = SentenceSplitter(chunk_size=70, chunk_overlap=0)([Document(text=text)])
    store = SimpleDocumentStore()
    store.add_documents(nodes)
    best, second = NodeWithScore(node=nodes[4], score=0.9), NodeWithScore(node=nodes[3], score=0.8)
    # The mock answers with its prompt, where PREVIOUS stands.
    auto = AutoPrevNextNodePostprocessor(docstore=store, llm=MockLLM(), num_nodes=2)
    found = auto.postprocess_nodes([best, second], query_str="How?")
    orders.append(tuple(nodes.index(each.node) for each in found))
found = PrevNextNodePostprocessor(docstore=store).postprocess_nodes([best, second])
scores = [(nodes.index(each.node), each.score) for each in found]
kept = SimilarityPostprocessor(similarity_cutoff=0.5).postprocess_nodes(found)
print(f"{len({*orders})} orders of 9, such as {orders[0]}; scores {scores}")
right = scores == [(3, 0.8), (4, None), (5, None)] and [each.node for each in kept] == [nodes[3]]
raise SystemExit(len({*orders}) < 3 or not right)
PYTHON
