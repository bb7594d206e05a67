#!/usr/bin/env bash
# lancedb 0.40.0: with max_token_length=40, a full-text index leaves out a Russian word of 20 letters, which
# one expects to be half of the limit. A letter of Cyrillic or Greek counts as two, one of Georgian or Hindi
# as three, and the limit itself is too long. The same word in Latin letters is found. Hybrid search ignores
# the words of such a question without an error: set max_token_length to a multiple of the longest word.
# Exits 0 while this holds; output: "'кооператив': 1, 'сельскохозяйственный': 0, 'selskokhozyaystvennyy': 1".
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

WORDS = ["кооператив", "сельскохозяйственный", "selskokhozyaystvennyy"]
table = lancedb.connect("db").create_table("words", [{"text": " ".join(WORDS)}])
table.create_index("text", config=FTS(language="Russian", max_token_length=40))
found = {word: len(table.search(word, query_type="fts").to_list()) for word in WORDS}
print(found)
raise SystemExit(list(found.values()) != [1, 0, 1])
PYTHON
