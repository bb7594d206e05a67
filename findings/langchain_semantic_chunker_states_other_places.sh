#!/usr/bin/env bash
# langchain-experimental 0.4.2: SemanticChunker with add_start_index=True adds up the lengths of its chunks, without
# the spaces and empty lines between them that it leaves out. Each start is further from the truth than the one
# before.
# Exits 0 while this holds; output: "Ask Ann." is stated at 'ing tea.'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-experimental==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_experimental.text_splitter import SemanticChunker

TEXT = "Open at 8.\n\n\nNo dogs.\n\n\nRooms are cheap.\n\n\nBring tea. Ask Ann."
splitter = SemanticChunker(
    DeterministicFakeEmbedding(size=8), add_start_index=True, number_of_chunks=5
)
last = splitter.create_documents([TEXT])[-1]
stated = TEXT[last.metadata["start_index"] :][:8]
print(f"{last.page_content!r} is stated at {stated!r}")
raise SystemExit(last.page_content != "Ask Ann." or last.page_content.startswith(stated))
PYTHON
