"""LangChain with Qdrant in local mode: stable ids overwrite, and a filter searches one file.

Install: pip install '.[langchain]' langchain-qdrant
Run:     python examples/langchain_qdrant_local.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

from pathlib import Path

from langchain_core.documents import Document
from langchain_qdrant import QdrantVectorStore
from qdrant_client.models import FieldCondition, Filter, MatchValue

from common import Options, Passage, options, show
from langchain_lumber import BertTextSplitter, LumberEmbeddings

NAME = "files"


def main(given: Options) -> None:
    with given.folder() as folder:
        print("chunks                 made  in store")
        ingest("first run", given, folder)
        ingest("second run", given, folder)

        store = QdrantVectorStore.from_existing_collection(
            NAME, LumberEmbeddings(), path=str(folder / "qdrant")
        )
        found = []
        for name in given.files:
            here = FieldCondition(key="metadata.source", match=MatchValue(value=name))
            inside = Filter(must=[here])
            found += store.similarity_search_with_score(given.question, k=2, filter=inside)
        print("\nThe two best passages of each file:")
        show([Passage.of_document(chunk, score) for chunk, score in found], given)
        store.client.close()


def ingest(title: str, given: Options, folder: Path) -> None:
    """Split all files and add all chunks; the store is opened anew, as by a new process."""
    # Qdrant takes UUIDs as ids. These are computed from file, offsets, text and splitter.
    splitter = BertTextSplitter(add_start_index=True, stable_ids=True)
    documents = [Document(text, metadata={"source": name}) for name, text in given.files.items()]
    chunks = splitter.split_documents(documents)
    store = QdrantVectorStore.from_documents(
        chunks, LumberEmbeddings(), path=str(folder / "qdrant"), collection_name=NAME
    )
    print(f"{title:<21}{len(chunks):>6}{store.client.count(NAME).count:>10}")
    store.client.close()  # local mode locks the folder


if __name__ == "__main__":
    main(options(__doc__))
