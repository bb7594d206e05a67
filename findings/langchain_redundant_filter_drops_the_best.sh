#!/usr/bin/env bash
# langchain-community 0.4.2: of two texts that are alike, EmbeddingsRedundantFilter drops the first, which is the better
# hit of a retriever. Its comment announces that it drops the second, but it reads the pairs from the lower half of a
# matrix, whose rows are the later texts. So last year's draft takes the place of this year's prices.
# Exits 0 while this holds; output: "found 2026, 2025 (a draft), Piers; kept 2025 (a draft), Piers".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_community.document_transformers import EmbeddingsRedundantFilter
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

# What a model gives for pages of prices, two nearly alike, and for another subject.
VECTORS = {"2026": [1.0, 0.1], "2025 (a draft)": [1.0, 0.2], "Piers": [0.3, 1.0]}


class Model(Embeddings):
    def embed_query(self, text):
        return [1.0, 0.0]

    def embed_documents(self, texts):
        return [VECTORS[text] for text in texts]


store = InMemoryVectorStore.from_documents([Document(text) for text in VECTORS], Model())
best_first = store.as_retriever()
retriever = ContextualCompressionRetriever(
    base_retriever=best_first,
    base_compressor=DocumentCompressorPipeline(
        transformers=[EmbeddingsRedundantFilter(embeddings=Model())]
    ),
)
found, kept = (
    [document.page_content for document in each.invoke("ferry prices")]
    for each in (best_first, retriever)
)
print(f"found {', '.join(found)}; kept {', '.join(kept)}")
raise SystemExit((found, kept) != ([*VECTORS], [*VECTORS][1:]))
PYTHON
