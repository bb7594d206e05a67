#!/usr/bin/env bash
# langchain-classic 1.0.8: TimeWeightedVectorStoreRetriever puts the time of access into the metadata as a datetime,
# which langchain-chroma 1.1.0 refuses, so that no document can be added. It still returns each refused document until
# the process ends, because the last four are always among the hits, although the store is empty.
# Exits 0 while this holds; output: "refused: ValueError; in Chroma: 0; found: The ferry leaves at nine."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-classic==1.0.8 langchain-core==1.8.3 langchain-chroma==1.1.0 chromadb==1.5.9
cd "$folder"
ANONYMIZED_TELEMETRY=False "$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_chroma import Chroma
from langchain_classic.retrievers import TimeWeightedVectorStoreRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

store = Chroma("diary", DeterministicFakeEmbedding(size=4))
retriever = TimeWeightedVectorStoreRetriever(vectorstore=store)
try:
    retriever.add_documents([Document("The ferry leaves at nine.")])
    refusal = ""
except ValueError as error:
    refusal = str(error)
kept = len(store.get()["ids"])
found = [document.page_content for document in retriever.invoke("When does the ferry leave?")]
print(f"refused: {'ValueError' if refusal else 'no'}; in Chroma: {kept}; found: {', '.join(found)}")
right = "which is a datetime" in refusal and kept == 0 and found == ["The ferry leaves at nine."]
raise SystemExit(not right)
PYTHON
