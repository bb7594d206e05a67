#!/usr/bin/env bash
# sacrebleu 2.6.0: corpus_bleu of answers that equal their references is 0.0 if none has more than three words, however
# many there are, and for equal sentences in Japanese with the default tokenizer, to which each is one word. It is 100
# with sentence_bleu.
# Exits 0 while this holds; output: "0.0 of 200 equal answers, 0.0 in Japanese, and 100 for each alone".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import logging

from sacrebleu import corpus_bleu, sentence_bleu

logging.disable(logging.CRITICAL)
answers = ["Yes", "No", "Not on Monday", "Room 5"] * 50
japanese = ["今日は泳ぐことができません。", "月曜日は休みです。"]
scores = [corpus_bleu(texts, [texts]).score for texts in (answers, japanese)]
alone = {round(sentence_bleu(text, [text]).score) for text in answers + japanese}
print(f"{scores[0]} of {len(answers)} equal answers, {scores[1]} in Japanese, and {alone} for each alone")
raise SystemExit(scores != [0, 0] or alone != {100})
PYTHON
