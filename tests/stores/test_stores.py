"""Real stores treat chunks and nodes as docs/vectors.md states.

With WRITE_STORES=1, the tables are written instead.
"""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import Server
from tests.stores import langchain_stores, llamaindex_stores
from tests.stores.samples import Place
from tests.stores.tables import read_rows, write_rows

pytestmark = pytest.mark.stores
WRITES = bool(os.environ.get("WRITE_STORES"))
PACKAGES = {
    "LangChain": (
        *("langchain-core", "langchain-chroma", "chromadb", "langchain-community", "faiss-cpu"),
        *("langchain-qdrant", "qdrant-client", "lancedb", "langchain-milvus", "pymilvus"),
        *("milvus-lite", "scikit-learn", "langchain-postgres", "usearch"),
    ),
    "LlamaIndex": (
        *("llama-index-core", "llama-index-vector-stores-chroma"),
        *("llama-index-vector-stores-faiss", "llama-index-vector-stores-qdrant"),
        *("llama-index-vector-stores-lancedb", "llama-index-vector-stores-milvus"),
        "llama-index-vector-stores-postgres",
    ),
}
_rows: dict[str, dict[str, dict[str, str]]] = {"LangChain": {}, "LlamaIndex": {}}


@pytest.fixture(scope="module")
def url(postgres: Server) -> str:
    postgres.run("CREATE EXTENSION IF NOT EXISTS vector")
    return postgres.url


@pytest.fixture
def places(tmp_path: Path, url: str, request: pytest.FixtureRequest) -> Callable[[], Place]:
    numbers = count()

    def place() -> Place:
        name = f"t{abs(hash(request.node.name)) % 10**9}_{next(numbers)}"
        (folder := tmp_path / name).mkdir()
        return Place(folder, name, url)

    return place


@pytest.fixture
def langchain(store: str, places: Callable[[], Place]) -> langchain_stores.Measured:
    return langchain_stores.Measured(store, places)


@pytest.fixture
def llamaindex(store: str, places: Callable[[], Place]) -> llamaindex_stores.Measured:
    return llamaindex_stores.Measured(store, places)


def check_row(framework: str, store: str, measured: Any) -> None:
    row = _rows[framework][store] = measured.row()
    if not WRITES:
        assert row == read_rows(framework)[store]


@pytest.mark.parametrize("store", langchain_stores.STORES)
def test_a_langchain_store_behaves_as_documented(store: str, langchain: Any) -> None:
    check_row("LangChain", store, langchain)


@pytest.mark.parametrize("store", langchain_stores.STORES)
def test_a_langchain_store_returns_chunks_and_passages(langchain: Any) -> None:
    langchain.check_chunks()


@pytest.mark.parametrize("store", langchain_stores.STORES)
async def test_a_langchain_store_returns_chunks_asynchronously(langchain: Any) -> None:
    await langchain.check_asynchronous()


@pytest.mark.parametrize("store", llamaindex_stores.STORES)
def test_a_llamaindex_store_behaves_as_documented(store: str, llamaindex: Any) -> None:
    check_row("LlamaIndex", store, llamaindex)


@pytest.mark.parametrize("store", llamaindex_stores.STORES)
def test_a_llamaindex_store_returns_nodes_and_passages(llamaindex: Any) -> None:
    llamaindex.check_nodes()


@pytest.mark.parametrize("framework", PACKAGES)
def test_each_documented_store_is_measured(framework: str) -> None:
    if WRITES:
        write_rows(framework, _rows[framework], PACKAGES[framework])
    assert list(read_rows(framework)) == list(_rows[framework])
