#!/usr/bin/env bash
# langchain-classic 1.0.8: EnsembleRetriever takes documents with the same text for one, whatever their metadata or
# IDs. Unless id_key= names metadata, of two files that state the same, such as "Closed on Mondays." of a pool and a
# museum, one is found, with the rank of both, and an answer cites that one alone.
# Exits 0 while this holds; output: "each retriever finds ['museum.md', 'pool.md'], together they find ['pool.md']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-classic==1.0.8 langchain-core==1.8.3 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
store.add_documents(
    [Document("Closed on Mondays.", metadata={"source": name}, id=name) for name in ("museum.md", "pool.md")]
)


def sources(retriever):
    return sorted(one.metadata["source"] for one in retriever.invoke("What is closed on Mondays?"))


one = store.as_retriever()
alone, together = sources(one), sources(EnsembleRetriever(retrievers=[one, store.as_retriever()]))
print(f"each retriever finds {alone}, together they find {together}")
raise SystemExit(alone != ["museum.md", "pool.md"] or len(together) != 1)
PYTHON
