"""LangChain with Qdrant: vectors that know their surroundings, and passages made of what is found.

Every chunk is stored with its own vector, under an id that is the same in every run, so that adding
it again overwrites it. A filter searches one file.

Install: pip install '.[langchain]' langchain-qdrant
Run:     python examples/langchain_qdrant_local.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

from pathlib import Path

from langchain_core.documents import Document
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, FieldCondition, Filter, MatchValue, VectorParams

from common import Options, Passage, langchain_documents, options, show, temporary_folder
from langchain_lumber import ContextEmbeddings, LayoutTextSplitter, LumberEmbeddings, PassageJoiner

NAME = "files"


def main(given: Options) -> None:
    documents = langchain_documents(given.files)
    with temporary_folder() as folder:
        print("chunks                 made  in store")
        ingest("first run", documents, folder)
        ingest("second run", documents, folder)

        client = QdrantClient(path=str(folder))
        store = QdrantVectorStore(client, NAME, LumberEmbeddings())
        joiner = PassageJoiner(texts=documents, budget=150)
        found: list[Document] = []
        for name in given.files:
            here = FieldCondition(key="metadata.source", match=MatchValue(value=name))
            retriever = store.as_retriever(search_kwargs={"k": 5, "filter": Filter(must=[here])})
            hits = retriever.invoke(given.question)
            found += joiner.compress_documents(hits, given.question)
        print("\nThe best passages of each file:")
        show([Passage.of_document(passage) for passage in found], given)
        client.close()


def ingest(title: str, documents: list[Document], folder: Path) -> None:
    """Split and embed all files, and store all chunks; all is opened anew, as by a new process."""
    # Qdrant takes UUIDs as ids. These are computed from file, offsets, text and splitter.
    splitter = LayoutTextSplitter(target_size=50, add_metadata=True, stable_ids=True)
    chunks = splitter.split_documents(documents)
    client = QdrantClient(path=str(folder))
    if not client.collection_exists(NAME):
        size = VectorParams(size=384, distance=Distance.COSINE)  # of LumberEmbeddings
        client.create_collection(NAME, size)
    QdrantVectorStore(client, NAME, ContextEmbeddings(chunks)).add_documents(chunks)
    print(f"{title:<21}{len(chunks):>6}{client.count(NAME).count:>10}")
    client.close()  # local mode locks the folder


if __name__ == "__main__":
    main(options(__doc__))
