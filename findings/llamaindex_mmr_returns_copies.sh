#!/usr/bin/env bash
# llama-index-core 0.14.25: the mode MMR of a vector store, which should find texts unlike those found before, compares
# each text only with the one before. So a copy of the first comes back as the third, before a text that is new.
# LangChain's, with the same vectors and weight, compares it with all before.
# Exits 0 while this holds; output: "LlamaIndex ['tea', 'jam', 'tea, a copy']; LangChain ['tea', 'jam', 'cake']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 langchain-core==1.8.3 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import SimpleVectorStore, VectorStoreQuery
from llama_index.core.vector_stores.types import VectorStoreQueryMode

VECTORS = {
    "tea": [1.0, 0.0, 0.0],
    "tea, a copy": [1.0, 0.0, 0.0],
    "cake": [0.7, 0.7, 0.0],
    "jam": [0.6, 0.4, 0.7],
}


class Model(Embeddings):
    def embed_query(self, text):
        return [1.0, 0.3, 0.2]

    def embed_documents(self, texts):
        return [VECTORS[text] for text in texts]


store = SimpleVectorStore()
store.add([TextNode(text=name, id_=name, embedding=vector) for name, vector in VECTORS.items()])
query = VectorStoreQuery(Model().embed_query(""), 3, mode=VectorStoreQueryMode.MMR)
llama = store.query(query, mmr_threshold=0.5).ids
chain = InMemoryVectorStore.from_texts([*VECTORS], Model())
other = [
    found.page_content for found in chain.max_marginal_relevance_search("", k=3, lambda_mult=0.5)
]
print(f"LlamaIndex {llama}; LangChain {other}")
raise SystemExit((llama, other) != (["tea", "jam", "tea, a copy"], ["tea", "jam", "cake"]))
PYTHON
