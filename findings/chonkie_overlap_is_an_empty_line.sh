#!/usr/bin/env bash
# chonkie 1.7.0: OverlapRefinery with mode="recursive" gives chunks that end at a paragraph an overlap of one
# line break, whatever context_size is. If a sentence is longer than that, the overlap from the next chunk
# is words without the spaces between. So chunks of a document with paragraphs have no context, and no
# question has such a word as "Mosteels".
# Exits 0 while this holds; output: "before: '\n', after: 'Mosteelsswimbynightinquite'" for 8 tokens.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  chonkie==1.7.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from chonkie import Chunk, OverlapRefinery

TEXTS = ["Gulls sleep at sea. Cod is cold.\n\n", "Most eels swim by night in quite cold rivers far away."]


def overlap(method):
    chunks = [Chunk(text=text, start_index=0, end_index=len(text), token_count=1) for text in TEXTS]
    refinery = OverlapRefinery("word", context_size=8, mode="recursive", method=method, merge=False)
    return next(chunk.context for chunk in refinery(chunks) if chunk.context)


contexts = [overlap("prefix"), overlap("suffix")]
print("before: {!r}, after: {!r}".format(*contexts))
raise SystemExit(contexts != ["\n", "Mosteelsswimbynightinquite"])
PYTHON
