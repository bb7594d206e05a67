#!/usr/bin/env bash
# lancedb 0.40.0: the tokenizer "simple" cuts words of Hindi at the virama, the sign that joins consonants,
# though its docs name white space and punctuation. "विद्या" (knowledge) becomes "विद" and "या", which is "or",
# so each word finds texts with the other. The same holds for Bengali, Tamil and Malayalam. In full-text and
# hybrid search, pass base_tokenizer="icu", which keeps the words whole.
# Exits 0 while this holds; output: "simple: 2 texts for knowledge, 2 for or; icu: 1 and 1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  lancedb==0.40.0 pyarrow==26.0.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import lancedb
from lancedb.index import FTS

TEXTS = [{"text": "यह विद्या है"}, {"text": "यह या वह"}]  # this is knowledge; this or that
counts = []
for tokenizer in ("simple", "icu"):
    table = lancedb.connect("db").create_table(tokenizer, TEXTS)
    config = FTS(base_tokenizer=tokenizer, stem=False, remove_stop_words=False)
    table.create_index("text", config=config)
    for word in ("विद्या", "या"):
        counts.append(len(table.search(word, query_type="fts").to_list()))
print("simple: {} texts for knowledge, {} for or; icu: {} and {}".format(*counts))
raise SystemExit(counts != [2, 2, 1, 1])
PYTHON
