#!/usr/bin/env bash
# rouge 1.0.1 counts each different word once, unless `exclusive=False` is passed: an answer that repeats "the dog"
# without end has a precision and F of 1.0 in ROUGE-1 and ROUGE-L against "the dog". Lin's ROUGE (2004, sections 2 and
# 3) divides by the length of the answer or counts each n-gram as often as it is there. rouge-score 0.1.2, Google's,
# does so.
# Exits 0 while this holds; output: "rouge 1.0 and 1.0, with exclusive=False 0.18 and 0.18, rouge-score 0.18 and 0.18".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  rouge==1.0.1 rouge-score==0.1.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

ANSWER, REFERENCE = " ".join(["the dog"] * 10), "the dog"
default, all_words = (
    [round(scores[0][kind]["f"], 2) for kind in ("rouge-1", "rouge-l")]
    for setting in ({}, {"exclusive": False})
    for scores in [Rouge(**setting).get_scores(ANSWER, REFERENCE)]
)
scores = RougeScorer(["rouge1", "rougeL"]).score(REFERENCE, ANSWER)
google = [round(score.fmeasure, 2) for score in scores.values()]
form = "rouge {} and {}, with exclusive=False {} and {}, rouge-score {} and {}"
print(form.format(*default, *all_words, *google))
raise SystemExit(default != [1.0, 1.0] or all_words != [0.18, 0.18] or google != [0.18, 0.18])
PYTHON
