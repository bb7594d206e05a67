"""LlamaIndex's IngestionPipeline, async and in two processes, with docstore, cache and Chroma.

Vectors include the surroundings of their nodes, and what the store finds is joined to passages.

Install: pip install '.[llama-index]' llama-index-vector-stores-chroma
Run:     python examples/llamaindex_chroma_pipeline.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import chromadb
from llama_index.core import VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.chroma import ChromaVectorStore

from common import Options, Passage, llamaindex_documents, options, show, temporary_folder
from llamaindex_lumber import ContextEmbedding, LayoutNodeParser, LumberEmbedding, PassageJoiner


async def main(given: Options) -> None:
    with temporary_folder() as folder:
        name, text = next(iter(given.files.items()))
        changed = given.files | {name: f"{text}\n\nOne more line.\n"}

        print("nodes                  added   in store   batches cached")
        await ingest("first run", given.files, folder)
        await ingest("second run", given.files, folder)
        await ingest("a file has grown", changed, folder)
        await ingest("as it was before", given.files, folder)

        index = VectorStoreIndex.from_vector_store(store(folder), embed_model=LumberEmbedding())
        hits = await index.as_retriever(similarity_top_k=8).aretrieve(given.question)
        joiner = PassageJoiner(texts=llamaindex_documents(given.files), budget=300)
        found = joiner.postprocess_nodes(hits, query_str=given.question)
        show([Passage.of_node(hit.node, hit.score) for hit in found], given)


async def ingest(title: str, files: dict[str, str], folder: Path) -> None:
    """Bring the store up to date with the files; everything is opened anew, as by a new process."""
    vectors = store(folder)
    pipeline = IngestionPipeline(
        transformations=[LayoutNodeParser(target_size=50), ContextEmbedding()],
        docstore=SimpleDocumentStore(),  # remembers a hash of every document
        docstore_strategy=DocstoreStrategy.UPSERTS,  # deletes the nodes of a changed document
        # Remembers what each step made of each batch of documents; with several processes from
        # llama-index-core 0.14.22 on, and nothing before it.
        cache=IngestionCache(),
        vector_store=vectors,
    )
    if (folder / "pipeline").exists():
        pipeline.load(str(folder / "pipeline"))
    added = await pipeline.arun(documents=llamaindex_documents(files), num_workers=2)
    pipeline.persist(str(folder / "pipeline"))
    cached = len(pipeline.cache.cache.get_all(pipeline.cache.collection))
    print(f"{title:<21}{len(added):>7}{vectors.client.count():>11}{cached:>17}")


def store(folder: Path) -> ChromaVectorStore:
    client = chromadb.PersistentClient(str(folder / "chroma"))
    collection = client.get_or_create_collection("files", metadata={"hnsw:space": "cosine"})
    return ChromaVectorStore(chroma_collection=collection)


if __name__ == "__main__":
    asyncio.run(main(options(__doc__)))
