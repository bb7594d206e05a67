#!/usr/bin/env bash
# syntok 1.4.4: sentences of syntok.segmenter have "not" in place of "n't", joined to what is before it: "can't" is
# "canot", "don't" is "donot". process and analyze, which make the sentences, have no setting that keeps the text; a
# separate Tokenizer has one (replace_not_contraction=False).
# Exits 0 while this holds; output: "You canot park. It doesnot matter."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  syntok==1.4.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from syntok import segmenter

TEXT = "You can't park. It doesn't matter."
words = [token for part in segmenter.process(TEXT) for sentence in part for token in sentence]
seen = "".join(token.spacing + token.value for token in words)
print(seen)
raise SystemExit(seen != "You canot park. It doesnot matter.")
PYTHON
