#!/usr/bin/env bash
# ragas 0.4.3 with rouge-score 0.1.2: RougeScore of an answer that equals the reference is 0 in Russian, Greek or Chinese,
# because words are made of a to z and digits. In German "Büro" equals "Bäro". NonLLMStringSimilarity and
# BleuScore of the same answers are 1.
# Exits 0 while this holds; output: "Паром идёт в полдень: ROUGE 0.0, similarity 1.0, BLEU 1.0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  ragas==0.4.3 langchain-community==0.3.31 rouge-score==0.1.2 sacrebleu==2.6.0 rapidfuzz==3.14.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import asyncio

from ragas import SingleTurnSample
from ragas.metrics import BleuScore, NonLLMStringSimilarity, RougeScore


def scores(answer, reference):
    sample = SingleTurnSample(response=answer, reference=reference)
    metrics = (RougeScore(), NonLLMStringSimilarity(), BleuScore())
    return [round(float(asyncio.run(each.single_turn_ascore(sample))), 2) for each in metrics]


texts = ["Паром идёт в полдень", "The ferry leaves at noon"]
same = [scores(text, text) for text in texts]
for text, (rouge, similarity, bleu) in zip(texts, same):
    print(f"{text}: ROUGE {rouge}, similarity {similarity}, BLEU {bleu}")
raise SystemExit(same != [[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]] or scores("Büro", "Bäro")[0] != 1.0)
PYTHON
