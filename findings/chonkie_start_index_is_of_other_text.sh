#!/usr/bin/env bash
# chonkie 1.7.0: with tokenizer="word", RecursiveChunker leaves out the space between two chunks, and gives
# the second chunk the offset of that space and an end that is one too low: text[start_index:end_index] is
# not its text. Joined chunks are not the text ("cold andswims"). A citation by offsets lacks a character.
# With tokenizer="character", which is the default, both are right.
# Exits 0 while this holds; output: "[(True, 0), (False, 35)] with words, joined equal: False".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  chonkie==1.7.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from chonkie import RecursiveChunker

TEXT = "Gulls sleep at sea. Cod is cold and swims far.\n"


def places(tokenizer, size):
    chunks = RecursiveChunker(tokenizer, chunk_size=size)(TEXT)
    right = [(TEXT[one.start_index : one.end_index] == one.text, one.start_index) for one in chunks]
    return right, "".join(one.text for one in chunks) == TEXT


words, characters = places("word", 8), places("character", 30)
print(f"{words[0]} with words, joined equal: {words[1]}")
expected = ([(True, 0), (False, 35)], False)
raise SystemExit(words != expected or characters != ([(True, 0), (True, 30)], True))
PYTHON
