#!/usr/bin/env bash
# langchain-community 0.4.2 with sqlite-vec 0.1.9: LangChain's SQLiteVec ignores `filter`, without a message, and so returns
# texts of other years or users than asked for. IDs are ignored, too: a text that is added again is found twice.
# Exits 0 while that is so; seen: "for 2024: ['otters 2023', 'otters 2023']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 sqlite-vec==0.1.9
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_community.vectorstores import SQLiteVec
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

store = SQLiteVec(
    table="notes", connection=None, embedding=DeterministicFakeEmbedding(size=8), db_file="notes.db"
)
note = Document("otters 2023", metadata={"year": 2023}, id="1")
for _ in range(2):
    store.add_documents([note], ids=[note.id])
found = store.similarity_search("otters", k=2, filter={"year": 2024})
texts = [document.page_content for document in found]
print(f"for 2024: {texts}")
raise SystemExit(texts != ["otters 2023"] * 2)
PYTHON
