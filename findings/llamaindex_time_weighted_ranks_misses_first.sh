#!/usr/bin/env bash
# llama-index-core 0.14.25: TimeWeightedPostprocessor takes a score of 0 for a missing score, and puts 1.0 in its place.
# A text that has nothing in common with the question comes before the best match, if both were read at the same time.
# Exits 0 while this holds; output: "0.9 ferry, 0.1 piers, 0.0 otters; then otters, ferry, piers".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.postprocessor import TimeWeightedPostprocessor
from llama_index.core.schema import NodeWithScore, TextNode

SCORES = {"ferry": 0.9, "piers": 0.1, "otters": 0.0}
NOW = 1_800_000_000.0
nodes = [
    NodeWithScore(node=TextNode(text=text, metadata={"__last_accessed__": NOW}), score=score)
    for text, score in SCORES.items()
]
ranked = TimeWeightedPostprocessor(top_k=3, now=NOW).postprocess_nodes(nodes)
order = [node.text for node in ranked]
print(f"{', '.join(f'{score} {text}' for text, score in SCORES.items())}; then {', '.join(order)}")
raise SystemExit(order != ["otters", "ferry", "piers"])
PYTHON
