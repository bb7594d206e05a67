#!/usr/bin/env bash
# llama-index-core 0.14.25 measures an average precision of 2.0 and an nDCG of 1.57, whose maximum is 1, if a document
# is found more than once, for example through several of its chunks. One of two right documents, found four times, is
# better than both. Haystack 3.4.1 gives 0.5 and 0.61 for the same.
# Exits 0 while this holds; output: "LlamaIndex: AP 2.0, nDCG 1.57; Haystack: AP 0.5, nDCG 0.61".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 haystack-ai==3.4.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from haystack import Document
from haystack.components.evaluators import DocumentMAPEvaluator, DocumentNDCGEvaluator
from llama_index.core.evaluation.retrieval.metrics import NDCG, AveragePrecision

RIGHT, FOUND = ["ferry", "pier"], ["ferry"] * 4
ours = [
    round(kind().compute(expected_ids=RIGHT, retrieved_ids=FOUND).score, 2)
    for kind in (AveragePrecision, NDCG)
]
right, found = [
    [Document(id=f"{n}", content=name) for n, name in enumerate(of)] for of in (RIGHT, FOUND)
]
others = [
    round(kind().run(ground_truth_documents=[right], retrieved_documents=[found])["score"], 2)
    for kind in (DocumentMAPEvaluator, DocumentNDCGEvaluator)
]
print("LlamaIndex: AP {}, nDCG {}; Haystack: AP {}, nDCG {}".format(*ours, *others))
raise SystemExit(ours != [2.0, 1.57] or max(others) > 1)
PYTHON
