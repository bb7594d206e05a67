#!/usr/bin/env bash
# llama-index-core 0.14.25: the embeddings_cache of an embedding model has the text alone as its key. A cache
# that is kept while the model changes gives vectors of the old model, so an index is of both. A model
# that embeds questions otherwise than texts (E5, Cohere, Gemini) gets the vector of the text for a question of
# the same words, such as a title, or the reverse.
# Exits 0 while this holds; output: "new model: its own [2.0, 0.0], with the old cache [1.0, 0.0], as a question [1.0,
# 0.0]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.storage.kvstore import SimpleKVStore


class Model(BaseEmbedding):
    version: float

    def _get_text_embedding(self, text):
        return [self.version, 0.0]

    def _get_query_embedding(self, query):
        return [self.version, 1.0]

    async def _aget_query_embedding(self, query):
        return self._get_query_embedding(query)


cache = SimpleKVStore()
Model(model_name="old", version=1.0, embeddings_cache=cache).get_text_embedding("Eels")
new = Model(model_name="new", version=2.0, embeddings_cache=cache)
own = Model(model_name="new", version=2.0).get_text_embedding("Eels")
text, question = new.get_text_embedding("Eels"), new.get_query_embedding("Eels")
print(f"new model: its own {own}, with the old cache {text}, as a question {question}")
raise SystemExit((own, text, question) != ([2.0, 0.0], [1.0, 0.0], [1.0, 0.0]))
PYTHON
