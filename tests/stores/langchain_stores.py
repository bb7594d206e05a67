"""LangChain's stores, and what they do with the chunks of a splitter."""

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from langchain_lumber import LayoutTextSplitter, PassageJoiner
from tests.stores.samples import (
    CHANGED,
    EVERY,
    QUESTION,
    SIZE,
    TEXTS,
    YEARS,
    Place,
    attempt,
    describe_count,
    describe_scores,
    own_values,
    vector,
)


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


def lancedb(place: Place) -> VectorStore:
    from langchain_community.vectorstores import LanceDB

    return LanceDB(uri=str(place.folder), embedding=Words())


def lancedb_appending(place: Place) -> VectorStore:
    from langchain_community.vectorstores import LanceDB

    return LanceDB(uri=str(place.folder), embedding=Words(), mode="append")


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
    with contextlib.suppress(ProgrammingError):  # that there is the table
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
    'LanceDB with `mode="append"`': lancedb_appending,
    "LanceDB without it": lancedb,
    "Milvus Lite with `enable_dynamic_field=True`": milvus,
    "SKLearnVectorStore": sklearn,
    "PGVectorStore": postgres,
    "USearch, from chunks without IDs": usearch,
}


def close(store: Any, place: Place) -> None:
    """Write a store to its folder where this is not done by itself, and let go of it."""
    if isinstance(store, InMemoryVectorStore):
        store.dump(str(place.folder / "store.json"))
    elif hasattr(store, "save_local"):
        store.save_local(str(place.folder))
    elif hasattr(store, "persist"):
        store.persist()
    elif type(store).__name__ == "QdrantVectorStore":
        store.client.close()


def documents(texts: dict[str, str] = TEXTS, **own: Any) -> list[Document]:
    return [
        Document(text, metadata={"source": name, "year": YEARS[name], **own}, id=name)
        for name, text in texts.items()
    ]


def comparable(found: Iterable[Document], keys: Iterable[str]) -> list[Any]:
    """Return texts and the metadata of these keys, in an order that is always the same."""
    return sorted(
        [repr((one.page_content, [one.metadata.get(key, "gone") for key in keys])) for one in found]
    )


class Measured:
    """What a store does with chunks; each method opens one at a place of its own."""

    def __init__(
        self, open_store: Callable[[Place], VectorStore], places: Callable[[], Place], ids: bool
    ) -> None:
        self._open_at, self._places, self._ids = open_store, places, ids
        self._given = self._chunks(documents())

    def _open(self) -> VectorStore:
        return self._open_at(self._places())

    def _chunks(self, given: list[Document]) -> list[Document]:
        splitter = LayoutTextSplitter(target_size=12, add_metadata=True, stable_ids=self._ids)
        return splitter.split_documents(given)

    def _filled(self) -> VectorStore:
        store = self._open()
        store.add_documents(self._given)
        return store

    @staticmethod
    def contents(store: Any, **settings: Any) -> list[Document]:
        # SKLearn refuses to return more than it has.
        return store.similarity_search(
            QUESTION, k=len(getattr(store, "_texts", range(EVERY))), **settings
        )

    @staticmethod
    def _place(chunk: Document) -> tuple[Any, ...]:
        return chunk.metadata["source"], chunk.metadata["start_index"]

    def row(self) -> dict[str, str]:
        return {
            "A document's own `None`, list, dict": own_values(self.own),
            "Documents with another key, later": attempt(self.other_keys),
            "Chunks added in two batches": attempt(self.batches),
            "The same chunks again": attempt(self.again),
            "A change, by `index()`": attempt(self.change),
            "`Document.id` comes back": attempt(self.id_back),
            "Score": attempt(self.score),
            '`filter={"year": 2024}`': attempt(self.filtered),
            "Opened again": attempt(self.reopened),
        }

    def check_chunks(self) -> None:
        """Chunks come back with all their metadata, and their passages are those of the chunks."""
        store = self._filled()
        found, keys = self.contents(store), sorted(self._given[0].metadata)
        assert comparable(found, keys) == comparable(self._given, keys)
        joiner = PassageJoiner(texts=documents(), budget=30)
        known = {self._place(one): one for one in self._given}
        same = [known[self._place(one)] for one in found]
        for question in (QUESTION, ""):
            passages, wanted = (joiner.compress_documents(hits, question) for hits in (found, same))
            assert wanted
            assert [one.page_content for one in passages] == [one.page_content for one in wanted]

    async def check_asynchronous(self) -> None:
        """The same comes back by asynchronous methods."""
        store = self._open()
        await store.aadd_documents(self._given)
        found = await store.asimilarity_search(QUESTION, k=len(self._given))
        keys = sorted(self._given[0].metadata)
        assert comparable(found, keys) == comparable(self._given, keys)

    def own(self, value: Any) -> str:
        store = self._open()
        store.add_documents(self._chunks(documents({"gulls.txt": "Gulls sleep."}, own=value)))
        (found,) = self.contents(store)
        if "own" not in found.metadata:
            return "dropped"
        return "kept" if found.metadata["own"] == value else f"becomes `{found.metadata['own']!r}`"

    def other_keys(self) -> str:
        store = self._open()
        store.add_documents(self._chunks(documents({"gulls.txt": "Gulls sleep."})))
        store.add_documents(self._chunks(documents({"boats.md": "Boats sail."}, author="Ben")))
        found = {one.metadata["source"]: one.metadata for one in self.contents(store)}
        if len(found) < 2:
            return "the first are gone"
        return "kept" if found["boats.md"].get("author") == "Ben" else "dropped"

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
        return describe_count(len(self.contents(store)), len(self._given))

    def change(self) -> str:
        def updated(encoder: Any) -> str:
            store, records = self._open(), InMemoryRecordManager("chunks")
            records.create_schema()
            for texts in (TEXTS, CHANGED):
                index(
                    self._chunks(documents(texts)),
                    records,
                    store,
                    cleanup="full",
                    source_id_key="source",
                    key_encoder=encoder,
                )
            wanted = self._chunks(documents(CHANGED))
            keys = sorted(wanted[0].metadata)
            right = comparable(self.contents(store), keys) == comparable(wanted, keys)
            return "works" if right else "chunks are lost"

        by_id = attempt(lambda: updated(lambda chunk: chunk.id))
        by_hash = attempt(lambda: updated("sha256"))
        if by_id == by_hash:
            return by_id.replace("`ValueError`", "refused: it cannot delete")
        return f"{by_id} with the chunks' IDs; with hashes {by_hash}"

    def id_back(self) -> str:
        known = {one.page_content: one.id for one in self._given}
        found = self.contents(self._filled())
        if not self._ids:
            return "no"
        if all(one.id == known[one.page_content] for one in found):
            return "yes"
        for key in found[0].metadata:
            if all(one.metadata.get(key) == known[one.page_content] for one in found):
                return f"no, as `{key}` in the metadata"
        return "no"

    def score(self) -> str:
        store = self._filled()
        found = store.similarity_search_with_score(QUESTION, k=len(self._given))
        return describe_scores((one.page_content, float(score)) for one, score in found)

    def filtered(self) -> str:
        found = self.contents(self._filled(), filter={"year": 2024})
        wanted = sum(one.metadata["year"] == 2024 for one in self._given)
        return {wanted: "works", len(self._given): "ignored"}[len(found)]

    def reopened(self) -> str:
        place = self._places()
        store = self._open_at(place)
        store.add_documents(self._given)
        close(store, place)
        try:
            found = self.contents(self._open_at(place))
        except (IndexError, KeyError, AttributeError):
            found = []
        return "the same" if len(found) == len(self._given) else "not by LangChain's class"
