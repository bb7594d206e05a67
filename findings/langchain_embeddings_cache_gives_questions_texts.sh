#!/usr/bin/env bash
# langchain-classic 1.0.8: CacheBackedEmbeddings embeds a text that occurs twice in one call twice, so repeated footers
# and empty cells are paid each time. With query_embedding_cache=True questions and texts share their keys: a question
# that is also a text gets the vector of the text, and then the other way round, from models that tell them apart.
# Exits 0 while this holds; output: "embedded: ['Fees', 'Fees']; the question Fees: [1.0, 0.0], without cache [0.0,
# 1.0]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-classic==1.0.8
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_classic.embeddings import CacheBackedEmbeddings
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryByteStore

embedded = []


class Model(Embeddings):
    """Has one kind of vectors for texts and another for questions, as many models have."""

    def embed_documents(self, texts):
        embedded.extend(texts)
        return [[1.0, 0.0] for _ in texts]

    def embed_query(self, text):
        return [0.0, 1.0]


cached = CacheBackedEmbeddings.from_bytes_store(
    *(Model(), InMemoryByteStore()),
    namespace="model",
    key_encoder="sha256",
    query_embedding_cache=True,
)
cached.embed_documents(["Fees", "Fees"])
vector, own = cached.embed_query("Fees"), Model().embed_query("Fees")
print(f"embedded: {embedded}; the question Fees: {vector}, without cache {own}")
raise SystemExit((embedded, vector) != (["Fees", "Fees"], [1.0, 0.0]))
PYTHON
