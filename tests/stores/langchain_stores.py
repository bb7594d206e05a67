"""LangChain's stores, and how they treat the chunks of a splitter."""

import contextlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from langchain_lumber import LayoutTextSplitter, PassageJoiner
from tests.stores import samples
from tests.stores.samples import EVERY, QUESTION, SIZE, TEXTS, Place, attempt, vector


class Words(Embeddings):
    """Vectors of words."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return vector(text)


def chroma(place: Place) -> VectorStore:
    from langchain_chroma import Chroma

    return Chroma("chunks", Words(), persist_directory=str(place.folder))


def faiss(place: Place) -> VectorStore:
    from faiss import IndexFlatL2
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import FAISS

    if (place.folder / "index.faiss").exists():
        return FAISS.load_local(str(place.folder), Words(), allow_dangerous_deserialization=True)
    return FAISS(Words(), IndexFlatL2(SIZE), InMemoryDocstore(), {})


def in_memory(place: Place) -> VectorStore:
    path = place.folder / "store.json"
    return (
        InMemoryVectorStore.load(str(path), Words())
        if path.exists()
        else InMemoryVectorStore(Words())
    )


def lancedb(place: Place, **mode: str) -> VectorStore:
    from langchain_community.vectorstores import LanceDB

    return LanceDB(uri=str(place.folder), embedding=Words(), **mode)


def milvus(place: Place) -> VectorStore:
    from langchain_milvus import Milvus

    return Milvus(
        Words(),
        connection_args={"uri": str(place.folder / "milvus.db")},
        index_params={"index_type": "FLAT", "metric_type": "L2"},
        enable_dynamic_field=True,
    )


def postgres(place: Place) -> VectorStore:
    from langchain_postgres import PGEngine, PGVectorStore
    from sqlalchemy.exc import ProgrammingError

    engine = PGEngine.from_connection_string(place.url.replace("://", "+psycopg://"))
    with contextlib.suppress(ProgrammingError):  # the table exists
        engine.init_vectorstore_table(place.name, SIZE)
    return PGVectorStore.create_sync(engine, Words(), place.name)


def qdrant(place: Place) -> VectorStore:
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(place.folder))
    if not client.collection_exists("chunks"):
        sizes = models.VectorParams(size=SIZE, distance=models.Distance.COSINE)
        client.create_collection("chunks", vectors_config=sizes)
    return QdrantVectorStore(client, "chunks", Words())


def sklearn(place: Place) -> VectorStore:
    from langchain_community.vectorstores import SKLearnVectorStore

    return SKLearnVectorStore(Words(), persist_path=str(place.folder / "chunks.json"))


def usearch(place: Place) -> VectorStore:
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import USearch
    from usearch.index import Index

    return USearch(Words(), Index(ndim=SIZE, metric="l2sq"), InMemoryDocstore(), [])


STORES: dict[str, Callable[[Place], VectorStore]] = {
    "InMemoryVectorStore": in_memory,
    "Chroma": chroma,
    "FAISS": faiss,
    "Qdrant, local": qdrant,
    'LanceDB with `mode="append"`': partial(lancedb, mode="append"),
    "LanceDB without it": lancedb,
    "Milvus Lite with `enable_dynamic_field=True`": milvus,
    "SKLearnVectorStore": sklearn,
    "PGVectorStore": postgres,
    "USearch, from chunks without IDs": usearch,
}


def documents(texts: dict[str, str] = TEXTS, **metadata: Any) -> list[Document]:
    return [
        Document(text, metadata={"source": name, "year": samples.YEARS[name], **metadata}, id=name)
        for name, text in texts.items()
    ]


def comparable(returned: Iterable[Document], keys: Iterable[str]) -> list[Any]:
    """Return texts and the metadata of these keys, in an order that is always the same."""
    return sorted(
        [
            repr((document.page_content, [document.metadata.get(key, "gone") for key in keys]))
            for document in returned
        ]
    )


class Measured(samples.Measured):
    """How a store of LangChain behaves."""

    named_by = "source"
    not_reopened = "not by LangChain's class"

    def __init__(self, store: str, places: Callable[[], Place]) -> None:
        self._ids = "without IDs" not in store
        super().__init__(STORES[store], places)

    def split(self, texts: dict[str, str], **metadata: Any) -> list[Document]:
        splitter = LayoutTextSplitter(target_size=12, add_metadata=True, stable_ids=self._ids)
        return splitter.split_documents(documents(texts, **metadata))

    def add(self, store: Any, chunks: list[Document]) -> None:
        store.add_documents(chunks)

    def close(self, store: Any, place: Place) -> None:
        if isinstance(store, InMemoryVectorStore):
            store.dump(str(place.folder / "store.json"))
        elif hasattr(store, "save_local"):
            store.save_local(str(place.folder))
        elif hasattr(store, "persist"):
            store.persist()
        elif type(store).__name__ == "QdrantVectorStore":
            store.client.close()

    def contents(self, store: Any, **settings: Any) -> list[Document]:
        # SKLearn refuses to return more than it has.
        most = len(getattr(store, "_texts", range(EVERY)))
        return list(store.similarity_search(QUESTION, k=most, **settings))

    @staticmethod
    def _place(chunk: Document) -> tuple[Any, ...]:
        return chunk.metadata["source"], chunk.metadata["start_index"]

    def row(self) -> dict[str, str]:
        return {
            "`None`, list, dict in your metadata": samples.own_values(self.own),
            "Documents with another key, later": attempt(self.other_keys),
            "Chunks added in two batches": attempt(self.batches),
            "The same chunks again": attempt(self.again),
            "A change, by `index()`": attempt(self.change),
            "`Document.id` comes back": attempt(self.id_back),
            "Score": attempt(self.score),
            '`filter={"year": 2024}`': attempt(lambda: self.filtered_by(filter={"year": 2024})),
            "Opened again": attempt(self.reopened),
        }

    def check_chunks(self) -> None:
        """Check that chunks come back with all their metadata, and that passages are the same."""
        store = self._filled()
        returned, keys = self.contents(store), sorted(self._given[0].metadata)
        assert comparable(returned, keys) == comparable(self._given, keys)
        joiner = PassageJoiner(texts=documents(), budget=30)
        originals = {self._place(document): document for document in self._given}
        same = [originals[self._place(document)] for document in returned]
        for question in (QUESTION, ""):
            passages, expected = (
                joiner.compress_documents(hits, question) for hits in (returned, same)
            )
            assert expected
            assert [document.page_content for document in passages] == [
                document.page_content for document in expected
            ]

    async def check_asynchronous(self) -> None:
        """Check that asynchronous methods return the same chunks."""
        store = self._open()
        await store.aadd_documents(self._given)
        returned = await store.asimilarity_search(QUESTION, k=len(self._given))
        keys = sorted(self._given[0].metadata)
        assert comparable(returned, keys) == comparable(self._given, keys)

    def batches(self) -> str:
        store = self._open()
        store.add_documents(self._given[:2])
        store.add_documents(self._given[2:])
        lost = len(self._given) - len(self.contents(store))
        return "the second replaces the first" if lost else "both kept"

    def again(self) -> str:
        store = self._filled()
        try:
            store.add_documents(self._given)
        except ValueError:
            try:
                return f"refused; {len(self.contents(store))} stay"
            except KeyError:
                return "refused, and searches raise `KeyError` from then on"
        return samples.describe_count(len(self.contents(store)), len(self._given))

    def change(self) -> str:
        def update(encoder: Any) -> str:
            store, records = self._open(), InMemoryRecordManager("chunks")
            records.create_schema()
            for texts in (TEXTS, samples.CHANGED):
                options = {"cleanup": "full", "source_id_key": "source", "key_encoder": encoder}
                index(self.split(texts), records, store, **options)
            expected = self.split(samples.CHANGED)
            keys = sorted(expected[0].metadata)
            right = comparable(self.contents(store), keys) == comparable(expected, keys)
            return "works" if right else "chunks are lost"

        by_id = attempt(lambda: update(lambda chunk: chunk.id))
        by_hash = attempt(lambda: update("sha256"))
        if by_id == by_hash:
            return by_id.replace("`ValueError`", "refused: it cannot delete")
        return f"{by_id} with the chunks' IDs; with hashes {by_hash}"

    def id_back(self) -> str:
        ids = {document.page_content: document.id for document in self._given}
        returned = self.contents(self._filled())
        if not self._ids:
            return "no"
        if all(document.id == ids[document.page_content] for document in returned):
            return "yes"
        for key in returned[0].metadata:
            if all(
                document.metadata.get(key) == ids[document.page_content] for document in returned
            ):
                return f"no, as `{key}` in the metadata"
        return "no"

    def score(self) -> str:
        store = self._filled()
        returned = store.similarity_search_with_score(QUESTION, k=len(self._given))
        return samples.describe_scores(
            (document.page_content, float(score)) for document, score in returned
        )
