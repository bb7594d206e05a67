#!/usr/bin/env bash
# haystack-ai 3.4.1: DocumentJoiner("distribution_based_rank_fusion") brings the scores of each retriever to one scale,
# except where all hits of one have the same score, so where it has one hit. Its raw score then competes with scores
# of 0 to 1, so that a hit of BM25 stands above the best by cosine because it is the only one.
# Exits 0 while this holds; output: "two hits each: ['a 0.67', 'c 0.67', 'b 0.33', 'd 0.33']; one of BM25: ['c 1.2',
# 'a 0.67', 'b 0.33']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  haystack-ai==3.4.1
cd "$folder"
HAYSTACK_TELEMETRY_ENABLED=False "$folder/venv/bin/python" -W ignore - <<'PYTHON'
from haystack import Document
from haystack.components.joiners import DocumentJoiner

COSINE = {"a": 0.9, "b": 0.5}


def join(words):
    lists = [
        [Document(content=text, score=score) for text, score in hits.items()]
        for hits in (COSINE, words)
    ]
    joined = DocumentJoiner("distribution_based_rank_fusion").run(documents=lists)["documents"]
    return [f"{document.content} {document.score:.2g}" for document in joined]


two, one = join({"c": 1.2, "d": 0.8}), join({"c": 1.2})
print(f"two hits each: {two}; one of BM25: {one}")
seen = (["a 0.67", "c 0.67", "b 0.33", "d 0.33"], ["c 1.2", "a 0.67", "b 0.33"])
raise SystemExit((two, one) != seen)
PYTHON
