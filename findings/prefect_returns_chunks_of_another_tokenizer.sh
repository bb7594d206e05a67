#!/usr/bin/env bash
# prefect 3.9.1: a task with cache_policy=INPUTS gives LlamaIndex's SentenceSplitter (llama-index-core 0.14.25) the stored
# chunks of one that has another tokenizer, because the key is made of the public fields of pydantic's models as JSON. The
# tokenizer is a private attribute, as are clients and models of many classes. pickle, which is tried if JSON fails, has it.
# Exits 0 while this holds; output: "by words ['One two. Three four.'], by letters ['One two.', ...]; one key for both:
# True".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  prefect==3.9.1 llama-index-core==0.14.25 pydantic==2.14.4
cd "$folder"
PREFECT_HOME="$folder/prefect" "$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.node_parser import SentenceSplitter
from prefect.cache_policies import INPUTS

TEXT = "One two. Three four."
settings = {"chunk_size": 10, "chunk_overlap": 0}
by_words = SentenceSplitter(tokenizer=str.split, **settings)
by_letters = SentenceSplitter(tokenizer=list, **settings)
larger = SentenceSplitter(tokenizer=list, chunk_size=12, chunk_overlap=0)


def key(splitter):
    """Return the key under which Prefect stores the result of a task with these inputs."""
    return INPUTS.compute_key(None, {"splitter": splitter, "text": TEXT}, {})


words, letters = by_words.split_text(TEXT), by_letters.split_text(TEXT)
same = key(by_words) == key(by_letters)
print(f"by words {words}, by letters {letters}; one key for both: {same}")
raise SystemExit(not same or words == letters or key(larger) == key(by_letters))
PYTHON
