"""LlamaIndex's IngestionPipeline, async and in two processes, with docstore, cache and Chroma.

Vectors include the surroundings of their nodes, and hits are joined into passages.

Install: pip install '.[llama-index]' llama-index-vector-stores-chroma
Run:     python examples/llamaindex_chroma_pipeline.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import chromadb
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.chroma import ChromaVectorStore

import llamaindex_lumber as lumber
from common import Options, Passage, options, show, temporary_folder


async def main(args: Options) -> None:
    with temporary_folder() as folder:
        documents = lumber.FilesReader().load_data(args.paths)
        changed = [document.model_copy(deep=True) for document in documents]
        changed[0].set_content(f"{changed[0].text}\n\nOne more line.\n")

        print("nodes                  added   in store   batches cached")
        await ingest("first run", documents, folder)
        await ingest("second run", documents, folder)
        await ingest("a file has grown", changed, folder)
        await ingest("as it was before", documents, folder)

        model = lumber.LumberEmbedding()
        index = VectorStoreIndex.from_vector_store(store(folder), embed_model=model)
        hits = await index.as_retriever(similarity_top_k=8).aretrieve(args.question)
        joiner = lumber.PassageJoiner(texts=documents, budget=300)
        passages = joiner.postprocess_nodes(hits, query_str=args.question)
        show([Passage.of(hit.node, hit.score) for hit in passages], args)


async def ingest(title: str, documents: list[Document], folder: Path) -> None:
    """Update the store with the files; everything is opened again, as in a new process."""
    vectors = store(folder)
    pipeline = IngestionPipeline(
        transformations=[lumber.LayoutNodeParser(target_size=50), lumber.ContextEmbedding()],
        docstore=SimpleDocumentStore(),  # remembers a hash of every document
        docstore_strategy=DocstoreStrategy.UPSERTS,  # deletes the nodes of a changed document
        # Stores the result of each step for each batch of documents. With several processes, it
        # works from llama-index-core 0.14.22 on.
        cache=IngestionCache(),
        vector_store=vectors,
    )
    if (folder / "pipeline").exists():
        pipeline.load(str(folder / "pipeline"))
    added = await pipeline.arun(documents=documents, num_workers=2)
    pipeline.persist(str(folder / "pipeline"))
    cached = len(pipeline.cache.cache.get_all(pipeline.cache.collection))
    print(f"{title:<21}{len(added):>7}{vectors.client.count():>11}{cached:>17}")


def store(folder: Path) -> ChromaVectorStore:
    client = chromadb.PersistentClient(str(folder / "chroma"))
    collection = client.get_or_create_collection("files", metadata={"hnsw:space": "cosine"})
    return ChromaVectorStore(chroma_collection=collection)


if __name__ == "__main__":
    asyncio.run(main(options(__doc__)))
