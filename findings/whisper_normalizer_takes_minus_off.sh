#!/usr/bin/env bash
# whisper-normalizer 0.1.15, which makes transcripts alike before their errors are counted, removes the minus of "-5",
# joins numbers beside each other ("two, three" is "23"), and makes "70 clock" of "7 o'clock". So the word error rate of
# 5 degrees for -5 degrees, or of page 23 for pages 2 and 3, is 0.
# Exits 0 while this holds; output: "It is 5 degrees", "pages 23", "at 70 clock" and error rates of 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check whisper-normalizer==0.1.15 jiwer==4.0.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from jiwer import wer
from whisper_normalizer.english import EnglishTextNormalizer

normalize = EnglishTextNormalizer()
pairs = [
    ("It is -5 degrees", "It is 5 degrees"),
    ("on pages two, three", "on pages 23"),
    ("at 7 o'clock", "at 70 clock"),
]
rates = [wer(normalize(said), normalize(heard)) for said, heard in pairs]
for (said, heard), rate in zip(pairs, rates):
    print(f"{said!r} and {heard!r}: {normalize(said)!r}, an error rate of {rate}")
raise SystemExit(rates != [0, 0, 0] or normalize("minus five degrees") != "-5 degrees")
PYTHON
