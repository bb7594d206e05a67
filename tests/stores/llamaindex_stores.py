"""LlamaIndex's stores, and how they treat the nodes of a parser."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import NodeWithScore
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore
from llama_index.core.vector_stores import VectorStoreQuery as Query

from llamaindex_lumber import LayoutNodeParser, PassageJoiner
from tests.stores import samples
from tests.stores.samples import EVERY, QUESTION, SIZE, TEXTS, Place, attempt, vector


class Words(BaseEmbedding):
    """Vectors of words."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)


def simple(place: Place) -> Any:
    path = place.folder / "store.json"
    return SimpleVectorStore.from_persist_path(str(path)) if path.exists() else SimpleVectorStore()


def chroma(place: Place) -> Any:
    import chromadb
    from llama_index.vector_stores.chroma import ChromaVectorStore

    client = chromadb.PersistentClient(str(place.folder))
    return ChromaVectorStore(chroma_collection=client.get_or_create_collection("nodes"))


def faiss(place: Place) -> Any:
    from faiss import IndexFlatL2
    from llama_index.vector_stores.faiss import FaissVectorStore

    path = place.folder / "store.json"
    if path.exists():
        return FaissVectorStore.from_persist_path(str(path))
    return FaissVectorStore(IndexFlatL2(SIZE))


def lancedb(place: Place) -> Any:
    from llama_index.vector_stores.lancedb import LanceDBVectorStore

    # A new store creates a table. A store that is opened again needs the mode "append".
    mode = "append" if any(place.folder.iterdir()) else "create"
    return LanceDBVectorStore(uri=str(place.folder), mode=mode)


def milvus(place: Place) -> Any:
    from llama_index.vector_stores.milvus import MilvusVectorStore

    async def open_store() -> Any:
        return MilvusVectorStore(uri=str(place.folder / "milvus.db"), dim=SIZE)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(open_store())
    return MilvusVectorStore(uri=str(place.folder / "milvus.db"), dim=SIZE)


def postgres(place: Place) -> Any:
    from llama_index.vector_stores.postgres import PGVectorStore

    return PGVectorStore(
        connection_string=place.url.replace("://", "+psycopg2://"),
        async_connection_string=place.url.replace("://", "+asyncpg://"),
        table_name=place.name,
        embed_dim=SIZE,
    )


def qdrant(place: Place) -> Any:
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    return QdrantVectorStore("nodes", client=QdrantClient(path=str(place.folder)))


STORES: dict[str, Callable[[Place], Any]] = {
    "SimpleVectorStore": simple,
    "Chroma": chroma,
    "FAISS": faiss,
    "Qdrant, local": qdrant,
    'LanceDB, opened again with `mode="append"`': lancedb,
    "Milvus Lite, made in a running event loop": milvus,
    "PGVectorStore": postgres,
}


def documents(texts: dict[str, str] = TEXTS, **metadata: Any) -> list[Document]:
    return [
        Document(
            text=text,
            metadata={"file_name": name, "year": samples.YEARS[name], **metadata},
            id_=name,
        )
        for name, text in texts.items()
    ]


def parser() -> LayoutNodeParser:
    return LayoutNodeParser(target_size=12, chunk_size=300)


def query(**settings: Any) -> Query:
    return Query(vector(QUESTION), similarity_top_k=EVERY, query_str=QUESTION, **settings)


def comparable(nodes: Iterable[Any]) -> dict[str, Any]:
    """Return the fields of each node by its ID."""
    names = ["text", "metadata", "start_char_idx", "end_char_idx", "ref_doc_id", "relationships"]
    names += ["excluded_embed_metadata_keys", "excluded_llm_metadata_keys"]
    return {node.node_id: [getattr(node, name) for name in names] for node in nodes}


class Measured(samples.Measured):
    """How a store of LlamaIndex behaves."""

    named_by = "file_name"
    not_reopened = "nodes are lost"

    def __init__(self, store: str, places: Callable[[], Place]) -> None:
        super().__init__(STORES[store], places)
        self.has_text = self._open().stores_text

    def split(self, texts: dict[str, str], **metadata: Any) -> list[Any]:
        nodes = parser()(documents(texts, **metadata))
        for node in nodes:
            node.embedding = vector(node.text)  # type: ignore[attr-defined]
        return list(nodes)

    def add(self, store: Any, chunks: list[Any]) -> None:
        store.add(chunks)

    def close(self, store: Any, place: Place) -> None:
        if type(store).__name__ in ("SimpleVectorStore", "FaissVectorStore"):
            store.persist(str(place.folder / "store.json"))
        elif type(store).__name__ == "QdrantVectorStore":
            store.client.close()

    def contents(self, store: Any, **settings: Any) -> list[Any]:
        result = store.query(query(**settings))
        return list(result.nodes) if self.has_text else list(result.ids)

    def row(self) -> dict[str, str]:
        beside = "in the docstore"  # where nodes are, if the store has only vectors
        filters = MetadataFilters(filters=[MetadataFilter(key="year", value=2024)])
        strategies = DocstoreStrategy.UPSERTS, DocstoreStrategy.UPSERTS_AND_DELETE
        upserts, with_deletion = (
            attempt(partial(self.change, strategy)) for strategy in strategies
        )
        others = attempt(self.other_keys) if self.has_text else beside
        return {
            "`None`, list, dict in your metadata": samples.own_values(self.own)
            if self.has_text
            else beside,
            "Documents with another key, later": others,
            "The same nodes again": attempt(self.again),
            "`UPSERTS` of a change": upserts,
            "`UPSERTS_AND_DELETE`": with_deletion,
            "Score": attempt(self.score),
            "`MetadataFilters`, year 2024": attempt(lambda: self.filtered_by(filters=filters)),
            "Asynchronous": attempt(lambda: asyncio.run(self.asynchronous())),
            "Opened again": attempt(self.reopened),
        }

    def check_nodes(self) -> None:
        """Check that nodes come back complete, and that passages are the same."""
        store = self._filled()
        if self.has_text:
            assert comparable(self.contents(store)) == comparable(self._given)
        context = StorageContext.from_defaults(vector_store=self._open())
        index = VectorStoreIndex(self._given, storage_context=context, embed_model=Words())
        hits = index.as_retriever(similarity_top_k=len(self._given)).retrieve(QUESTION)
        originals = {node.node_id: node for node in self._given}
        same = [
            NodeWithScore(node=originals[hit.node_id], score=1 - place / EVERY)
            for place, hit in enumerate(hits)
        ]
        assert len(same) == len(self._given)
        for rerank in (True, False):
            joiner = PassageJoiner(texts=documents(), budget=30, rerank=rerank)
            passages, expected = (
                [
                    passage.text
                    for passage in joiner.postprocess_nodes(hits_or_nodes, query_str=QUESTION)
                ]
                for hits_or_nodes in (hits, same)
            )
            assert passages == expected
            assert expected

    def again(self) -> str:
        store = self._filled()
        store.add(self._given)
        return samples.describe_count(len(self.contents(store)), len(self._given))

    def change(self, strategy: DocstoreStrategy) -> str:
        store, docstore = self._open(), SimpleDocumentStore()
        gone = strategy == DocstoreStrategy.UPSERTS_AND_DELETE
        second = samples.CHANGED if gone else TEXTS | samples.CHANGED
        for texts in (TEXTS, second):
            IngestionPipeline(
                transformations=[parser(), Words()],
                docstore=docstore,
                docstore_strategy=strategy,
                vector_store=store,
            ).run(documents=documents(texts))
        expected, nodes = self.split(second), self.contents(store)
        if not self.has_text:
            return "works" if len(nodes) == len(expected) else "old nodes stay"
        right = {node.node_id for node in nodes} == {node.node_id for node in expected}
        return "works" if right else "old nodes stay"

    def score(self) -> str:
        result = self._filled().query(query())
        texts = {node.node_id: node.text for node in self._given}
        # FAISS has numbers instead of IDs.
        texts |= {str(number): node.text for number, node in enumerate(self._given)}
        names = [node.node_id for node in result.nodes] if result.nodes else result.ids
        return samples.describe_scores(
            (texts[name], float(score))
            for name, score in zip(names, result.similarities, strict=True)
        )

    async def asynchronous(self) -> str:
        store = self._open()
        await store.async_add(self._given)
        result = await store.aquery(query())
        return "works" if len(result.ids) == len(self._given) else "nodes are lost"
