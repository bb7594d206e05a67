#!/usr/bin/env bash
# beir 2.2.0: EvaluateRetrieval.evaluate takes the mean over the questions that the results have as keys, and
# evaluate_custom over those with judgments. So a search that finds nothing for half of the questions has a recall and
# NDCG of 1.0 beside an MRR of 0.5, unless the results have an entry for each question: `{}` is enough for a question
# without hits.
# Exits 0 while this holds; output: "left out: recall 1.0, NDCG 1.0, MRR 0.5; as {}: recall 0.5, NDCG 0.5, MRR 0.5".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
# The evaluation needs no more than these; beir itself requires PyTorch too.
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pytrec_eval-terrier==0.5.11 numpy==2.4.6 tqdm==4.70.1
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps beir==2.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from beir.retrieval.evaluation import EvaluateRetrieval

RELEVANT = {"When is the pool open?": {"pool": 1}, "Who owns the Coda?": {"boats": 1}}
FOUND = {"When is the pool open?": {"pool": 0.9}}

seen = []
for results in (FOUND, {**FOUND, "Who owns the Coda?": {}}):
    ndcg, _, recall, _ = EvaluateRetrieval.evaluate(RELEVANT, results, [1])
    mrr = EvaluateRetrieval.evaluate_custom(RELEVANT, results, [1], "mrr")
    seen.append((recall["Recall@1"], ndcg["NDCG@1"], mrr["MRR@1"]))
texts = ["recall {}, NDCG {}, MRR {}".format(*values) for values in seen]
print(f"left out: {texts[0]}; as {{}}: {texts[1]}")
raise SystemExit(seen != [(1.0, 1.0, 0.5), (0.5, 0.5, 0.5)])
PYTHON
