#!/usr/bin/env bash
# llama-index-core 0.14.25: if a step of an IngestionPipeline fails, such as an embedding model whose server is down,
# the next run treats the documents as done, and neither returns nor stores them: with the strategy DUPLICATES_ONLY, and
# with any strategy if there is no vector store. The docstore has their hashes before the steps are run.
# Exits 0 while this holds; output: "second run: DUPLICATES_ONLY 0, UPSERTS without a vector store 0, UPSERTS with one
# 1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document, MockEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import MarkdownNodeParser
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

PAGE = Document(text="# Ferry\n\nIt leaves at nine.", id_="ferry")


class Model(MockEmbedding):
    """An embedding model whose server is down at the first call."""

    calls: int = 0

    def _get_text_embeddings(self, texts):
        self.calls += 1
        if self.calls == 1:
            raise ConnectionError("the server is down")
        return super()._get_text_embeddings(texts)


def run_twice(strategy, store):
    steps = [MarkdownNodeParser(), Model(embed_dim=4)]
    pipeline = IngestionPipeline(
        transformations=steps, docstore=SimpleDocumentStore(), docstore_strategy=strategy, vector_store=store
    )
    try:
        raise AssertionError(pipeline.run(documents=[PAGE]))
    except ConnectionError:
        return len(pipeline.run(documents=[PAGE]))


once = run_twice(DocstoreStrategy.DUPLICATES_ONLY, SimpleVectorStore())
alone = run_twice(DocstoreStrategy.UPSERTS, None)
good = run_twice(DocstoreStrategy.UPSERTS, SimpleVectorStore())
print(f"second run: DUPLICATES_ONLY {once}, UPSERTS without a vector store {alone}, UPSERTS with one {good}")
raise SystemExit((once, alone, good) != (0, 0, 1))
PYTHON
