"""Documents that are ingested again into vector stores on disk: nothing is kept twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index

from langchain_lumber import GreedyTextSplitter, LumberEmbeddings
from tests.langchain.test_pipelines import TEXT

Open = Callable[[], Any]


@pytest.fixture(params=["qdrant", "chroma"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same store on disk anew with every call, as another process would."""
    opened: list[Any] = []

    def qdrant() -> Any:
        from qdrant_client import QdrantClient
        from qdrant_client.models import Distance, VectorParams

        if opened:
            opened.pop().client.close()  # local mode locks the folder
        client = QdrantClient(path=str(tmp_path))
        if not client.collection_exists("texts"):
            client.create_collection("texts", VectorParams(size=384, distance=Distance.COSINE))
        kind = pytest.importorskip("langchain_qdrant").QdrantVectorStore
        opened.append(kind(client, "texts", LumberEmbeddings()))
        return opened[-1]

    def chroma() -> Any:
        kind = pytest.importorskip("langchain_chroma").Chroma
        return kind("texts", LumberEmbeddings(), persist_directory=str(tmp_path))

    pytest.importorskip(f"langchain_{request.param}", reason="run make test-examples")
    yield {"qdrant": qdrant, "chroma": chroma}[request.param]
    if opened:
        opened.pop().client.close()


def texts(store: Any) -> list[str]:
    """Return the texts in a store, in order."""
    if hasattr(store, "get"):
        return sorted(store.get()["documents"])
    points, _ = store.client.scroll("texts", limit=10_000)
    return sorted(point.payload["page_content"] for point in points)


def library(second: str = TEXT * 2) -> list[Document]:
    return [
        Document(page_content=TEXT, metadata={"source": "a.txt"}),
        Document(page_content=second, metadata={"source": "b.txt"}),
    ]


def chunks(*documents: Document) -> list[Document]:
    splitter = GreedyTextSplitter(chunk_size=12, add_start_index=True, stable_ids=True)
    return splitter.split_documents(documents)


def stable_id(chunk: Document) -> str:
    assert chunk.id is not None
    return chunk.id


def sorted_texts(*documents: Document) -> list[str]:
    return sorted(chunk.page_content for chunk in chunks(*documents))


def test_stable_ids_overwrite(reopen: Open) -> None:
    for _ in range(2):
        reopen().add_documents(chunks(*library()))
    assert texts(reopen()) == sorted_texts(*library())
    # The ids of an unchanged document tell what to delete of a changed one.
    before, after = chunks(*library()), chunks(*library(second=TEXT + "The end.\n"))
    old = {chunk.id for chunk in before} - {chunk.id for chunk in after}
    store = reopen()
    store.add_documents(after)
    store.delete(sorted(map(str, old)))
    assert texts(reopen()) == sorted_texts(*library(second=TEXT + "The end.\n"))


def test_the_indexing_api_adds_nothing_again_and_removes_old_chunks(reopen: Open) -> None:
    records = InMemoryRecordManager(namespace="texts")
    records.create_schema()

    def ingest(documents: list[Document]) -> tuple[int, int]:
        result = index(
            chunks(*documents),
            records,
            reopen(),
            cleanup="scoped_full",
            batch_size=2,  # fewer than a document has: "incremental" would add chunks again
            source_id_key="source",
            key_encoder=stable_id,  # Qdrant rejects SHA-256
        )
        return result["num_added"], result["num_deleted"]

    count = len(chunks(*library()))
    assert ingest(library()) == (count, 0)
    assert ingest(library()) == (0, 0)
    assert texts(reopen()) == sorted_texts(*library())
    changed = library(second="It rained.\n\n" + TEXT)
    added, deleted = ingest(changed)
    assert added > 0
    assert deleted > 0
    assert texts(reopen()) == sorted_texts(*changed)
