#!/usr/bin/env bash
# ragas 0.4.3: BleuScore cuts answer and reference into sentences, and gives sacrebleu each sentence of the reference as a
# reference of its own, for the first sentence of the answer alone. The other sentences are compared with nothing:
# whatever they state, the score is 1. Of the whole texts sacrebleu 2.6.0 has 0.32.
# Exits 0 while this holds; output: "ragas 1.00, sacrebleu 0.32".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  ragas==0.4.3 langchain-community==0.3.31 sacrebleu==2.6.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import asyncio

import sacrebleu
from ragas import SingleTurnSample
from ragas.metrics import BleuScore

REFERENCE = "The ferry leaves at nine. It costs five pounds. Dogs are free."
ANSWER = "The ferry leaves at nine. Cows eat grass all day. Nobody knows why."
sample = SingleTurnSample(response=ANSWER, reference=REFERENCE)
score = asyncio.run(BleuScore().single_turn_ascore(sample))
whole = sacrebleu.corpus_bleu([ANSWER], [[REFERENCE]]).score / 100
print(f"ragas {score:.2f}, sacrebleu {whole:.2f}")
raise SystemExit(not (score > 0.99 and whole < 0.5))
PYTHON
