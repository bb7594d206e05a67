"""Documents that are ingested again into vector stores on disk: nothing is kept twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import Document
from llama_index.core.storage.docstore import SimpleDocumentStore

from llamaindex_lumber import GreedyNodeParser, LumberEmbedding
from tests.llamaindex.test_pipelines import TEXT, library

Open = Callable[[], Any]


@pytest.fixture(params=["qdrant", "chroma"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same store on disk anew with every call, as another process would."""
    opened: list[Any] = []

    def qdrant() -> Any:
        from qdrant_client import QdrantClient

        if opened:
            opened.pop().client.close()  # local mode locks the folder
        opened.append(module.QdrantVectorStore("texts", QdrantClient(path=str(tmp_path / "q"))))
        return opened[-1]

    def chroma() -> Any:
        import chromadb

        client = chromadb.PersistentClient(str(tmp_path / "c"))
        return module.ChromaVectorStore(chroma_collection=client.get_or_create_collection("texts"))

    module = pytest.importorskip(
        f"llama_index.vector_stores.{request.param}", reason="run make test-examples"
    )
    yield {"qdrant": qdrant, "chroma": chroma}[request.param]
    if opened:
        opened.pop().client.close()


def ids(store: Any) -> list[str]:
    """Return the ids of the nodes in a store, in order."""
    if hasattr(store, "collection_kwargs"):  # Chroma's get_nodes asks for ids
        return sorted(store.client.get()["ids"])
    return sorted(node.node_id for node in store.get_nodes())


def parsed(documents: list[Document]) -> list[str]:
    nodes = GreedyNodeParser(chunk_size=12)(documents)
    return sorted(node.node_id for node in nodes)


def ingest(documents: list[Document], store: Any, folder: Path, **own: Any) -> int:
    """Run a pipeline that is loaded from disk; return how many nodes it passed on."""
    pipeline = IngestionPipeline(
        transformations=[GreedyNodeParser(chunk_size=12), LumberEmbedding()],
        vector_store=store,
        **own,
    )
    if (folder / "pipeline").exists():
        pipeline.load(str(folder / "pipeline"))
    nodes = pipeline.run(documents=documents)
    pipeline.persist(str(folder / "pipeline"))
    return len(nodes)


def test_ids_overwrite_without_a_docstore(reopen: Open, tmp_path: Path) -> None:
    for _ in range(2):
        assert ingest(library(), reopen(), tmp_path, disable_cache=True) > 4
    assert ids(reopen()) == parsed(library())


def test_the_pipeline_adds_nothing_again_and_removes_old_nodes(
    reopen: Open, tmp_path: Path
) -> None:
    def run(documents: list[Document]) -> int:
        strategy = DocstoreStrategy.UPSERTS
        docstore = SimpleDocumentStore()
        return ingest(documents, reopen(), tmp_path, docstore=docstore, docstore_strategy=strategy)

    assert run(library()) == len(parsed(library()))
    assert run(library()) == 0
    assert ids(reopen()) == parsed(library())
    changed = library(second="It rained.\n\n" + TEXT)
    assert run(changed) == len(parsed(changed[1:]))
    assert ids(reopen()) == parsed(changed)


def test_a_file_that_is_gone_goes_from_the_store(reopen: Open, tmp_path: Path) -> None:
    strategy = DocstoreStrategy.UPSERTS_AND_DELETE
    for documents in (library(), library()[:1]):
        docstore = SimpleDocumentStore()
        ingest(documents, reopen(), tmp_path, docstore=docstore, docstore_strategy=strategy)
    assert ids(reopen()) == parsed(library()[:1])
