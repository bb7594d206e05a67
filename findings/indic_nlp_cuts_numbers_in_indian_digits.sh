#!/usr/bin/env bash
# indic-nlp-library 0.92 keeps numbers, times and thousands in Latin digits as one token each, and makes three of each in
# the digits of Hindi, Bengali, Gujarati and other languages of India: "৩.৫০" is "৩", ".", "৫০", so that a search by
# tokens finds any other 3 and 50. Its detokenizer writes 3.50 as "३. ५०", and 1,500 as "१, ५००". A number in Latin
# digits is cut as well if the text begins with it.
# Exits 0 while this holds; output: nine tokens of three numbers in Indian digits, three in Latin, "3", ".", "50" at a
# start.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check indic-nlp-library==0.92
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from indicnlp.tokenize.indic_detokenize import trivial_detokenize
from indicnlp.tokenize.indic_tokenize import trivial_tokenize

NATIVE = {"hi": "है ३.५० १,५०० १०:३०", "bn": "এ ৩.৫০ ১,৫০০ ১০:৩০", "gu": "છે ૩.૫૦ ૧,૫૦૦ ૧૦:૩૦"}
LATIN = "है 3.50 1,500 10:30"
tokens = {lang: trivial_tokenize(text, lang) for lang, text in NATIVE.items()}
latin = [trivial_tokenize(LATIN, lang) for lang in NATIVE]
restored = trivial_detokenize(" ".join(tokens["hi"]), "hi")
first = trivial_tokenize("3.50 है", "hi")
print(tokens, latin[0], first, restored, sep="\n")
cut = all(len(found) == 10 for found in tokens.values()) and restored == "है ३. ५० १, ५०० १०: ३०"
changed = first != ["3", ".", "50", "है"] or any(found != LATIN.split() for found in latin)
raise SystemExit(not cut or changed)
PYTHON
