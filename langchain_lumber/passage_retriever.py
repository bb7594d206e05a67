"""One object from documents to passages: splits, embeds, indexes, finds and joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation

from langchain_lumber.base import SpanTextSplitter, checked_documents, checked_embeddings
from langchain_lumber.layout import LayoutTextSplitter
from lumber_core.checks import check_positive
from lumber_core.identity import chunk_id, safe_repr
from lumber_core.text.pages import document_key
from lumber_core.text.source import NAME_KEYS
from lumber_retrieval.documents import IndexedDocument
from lumber_retrieval.embedding import ALL_CONTEXT, ContextPart
from lumber_retrieval.index import BUDGET, TARGET_SIZE, Changes, PassageIndex
from lumber_retrieval.joining import MAX_GAP, check_limits
from lumber_retrieval.passages import Passage, Where
from lumber_retrieval.vector_store import IndexedChunk

_KEY = "chunk_id"  # where the metadata in a vector store has what a chunk is called here


class StoreEmbeddings(Embeddings):
    """Embeddings for the vector store of a `PassageRetriever`.

    The retriever hands the store its own vectors, which know headings and surroundings, through
    these embeddings. All else is embedded by the model.

    Args:
        embeddings: The model; None for the bundled one (`LumberEmbeddings`).

    Raises:
        TypeError: It is not a model of LangChain.

    Example:
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> retriever = PassageRetriever(vectorstore=InMemoryVectorStore(StoreEmbeddings()))
        >>> document = Document("Otters eat fish.", metadata={"source": "otters.txt"})
        >>> retriever.add_documents([document]).chunks
        1
    """

    def __init__(self, embeddings: Embeddings | None = None) -> None:
        self.model = checked_embeddings(embeddings)
        self._lent: list[tuple[list[str], list[list[float]]]] = []
        self._queries: list[tuple[str, list[float]]] = []

    @contextmanager
    def lending(self, chunks: Sequence[IndexedChunk]) -> Iterator[None]:
        """Know the vectors of some chunks for a while."""
        lent = [one.chunk.text for one in chunks], [list(one.vector) for one in chunks]
        self._lent.append(lent)
        try:
            yield
        finally:
            self._lent.remove(lent)

    @contextmanager
    def lending_query(self, query: str, vector: Sequence[float]) -> Iterator[None]:
        """Know the vector of a query for a while."""
        lent = query, list(vector)
        self._queries.append(lent)
        try:
            yield
        finally:
            self._queries.remove(lent)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vector of each text: one that is lent, or the model's."""
        return self._known(texts) or self.model.embed_documents(texts)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Async version of `embed_documents`."""
        return self._known(texts) or await self.model.aembed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query: one that is lent, or the model's."""
        return dict(self._queries).get(text) or self.model.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        """Async version of `embed_query`."""
        return dict(self._queries).get(text) or await self.model.aembed_query(text)

    def _known(self, texts: list[str]) -> list[list[float]] | None:
        for lent, vectors in [*self._lent]:
            if texts == lent:
                return vectors
            known = dict(zip(lent, vectors, strict=True))  # of a store that sends parts
            if all(text in known for text in texts):
                return [known[text] for text in texts]
        return None

    def __repr__(self) -> str:
        return f"StoreEmbeddings({type(self.model).__name__})"


class PassageRetriever(BaseRetriever):
    """Finds whole passages: splits documents to small chunks, finds these, and joins them.

    Chunks are found by vectors that know their headings and surroundings and by their words, both
    scores added. Hits that lie close together become one passage, an exact slice of the document.
    Texts, words and, without a vector store, vectors are in one file.

    Args:
        splitter: A splitter of this package. None: `LayoutTextSplitter(target_size=50)`.
        embeddings: The embedding model; None for the bundled one (`LumberEmbeddings`). Not with
            `vectorstore`, which has its own.
        path: The file, which is reopened with the same answers. None: a temporary one.
        vectorstore: Any vector store of LangChain, for the vectors alone. It must be empty and made
            with `StoreEmbeddings(your_model)` as its embeddings. Needs `path` to be reopened.
        keywords: Whether chunks are found by their words, too.
        context: What vectors know beside the text of a chunk; as for `split_and_embed`.
        scales: As for `split_and_embed`; helps a little, and costs as much embedding again as the
            chunks for each size.
        budget: Maximum number of words in all passages of a query.
        max_gap: Hits of one document with at most this many words between them are joined.
        name: LangChain's, as are the next two: of runs and traces.
        tags: Put on every run.
        metadata: Put on every run.

    Raises:
        ValueError: A limit is out of range, or there are `embeddings` beside a `vectorstore`.
        TypeError: An argument has the wrong type; `vectorstore` has other embeddings.

    Example:
        >>> retriever = PassageRetriever()
        >>> text = "Otters live along rivers. They hunt fish at dawn."
        >>> changes = retriever.add_documents([Document(text, metadata={"source": "otters.txt"})])
        >>> changes.added, changes.chunks
        (1, 1)
        >>> [passage] = retriever.invoke("When do otters hunt?")
        >>> passage.page_content, passage.metadata["source"], passage.metadata["start_index"]
        ('Otters live along rivers. They hunt fish at dawn.', 'otters.txt', 0)
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    splitter: SkipValidation[SpanTextSplitter | None] = None
    embeddings: SkipValidation[Embeddings | None] = None
    path: str | Path | None = None
    vectorstore: SkipValidation[VectorStore | None] = None
    keywords: bool = True
    context: SkipValidation[Sequence[ContextPart]] = ALL_CONTEXT
    scales: SkipValidation[Sequence[int]] = ()
    budget: int = Field(default=BUDGET)
    max_gap: int = MAX_GAP

    _index: PassageIndex = PrivateAttr()
    _split: SpanTextSplitter = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        check_positive("budget", self.budget)
        check_limits(self.max_gap, self.budget)
        self._split = _checked_splitter(self.splitter)
        store, model = None, checked_embeddings(self.embeddings)
        if self.vectorstore is not None:
            lender = _lender_of(self.vectorstore, self.embeddings)
            store, model = _Vectors(self.vectorstore, lender), lender.model
        self._index = PassageIndex(
            self._split.chunker,
            model,
            self.path,
            context=self.context,
            scales=self.scales,
            keywords=self.keywords,
            vectors=store,
        )

    def add_documents(
        self, documents: Iterable[Document], *, ids: Sequence[str] | None = None
    ) -> Changes:
        """Add documents, each source as a whole.

        Documents that have not changed cost nothing. What the index has of the same sources, and is
        not among `documents`, is removed: pass all pages of a file together. After an error or a
        kill, the same call repeated goes on where it stopped.

        Args:
            documents: The documents, before they are split. Their "source", "file_path" or
                "file_name" names them, together with the number of the page if they are pages.
            ids: Names of the documents, instead of those in the metadata.

        Returns:
            How many documents were added, unchanged and removed, and how many chunks are new.

        Raises:
            TypeError: An item is not a document.
            ValueError: A document has no name or the name of another one, or metadata that JSON
                does not have, or the embedding model is another one than before. Nothing is stored.
            StoreError: The file cannot be used, or another process writes to it.
        """
        return self._index.add(self._named(documents, ids), show_progress=self._progress)

    async def aadd_documents(
        self, documents: Iterable[Document], *, ids: Sequence[str] | None = None
    ) -> Changes:
        """Async version of `add_documents`."""
        return await self._index.aadd(self._named(documents, ids), show_progress=self._progress)

    def delete(self, sources: Iterable[str]) -> int:
        """Remove sources with their texts, chunks, words and vectors.

        Args:
            sources: The "source" of documents, or the `ids` they were added with.

        Returns:
            The number of documents removed; 0 for what the index does not have.

        Raises:
            TypeError: `sources` is one string.
        """
        return self._index.delete(sources)

    async def adelete(self, sources: Iterable[str]) -> int:
        """Async version of `delete`."""
        return await self._index.adelete(sources)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        budget: int | None = None,
        max_gap: int | None = None,
        filter: Where = None,  # noqa: A002 - what vector stores of LangChain call it
    ) -> list[Document]:
        del run_manager
        found = self._index.search(query, **self._limits(budget, max_gap), where=filter)
        return [*map(_document_of, found)]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        budget: int | None = None,
        max_gap: int | None = None,
        filter: Where = None,  # noqa: A002 - as above
    ) -> list[Document]:
        del run_manager
        found = await self._index.asearch(query, **self._limits(budget, max_gap), where=filter)
        return [*map(_document_of, found)]

    def _limits(self, budget: int | None, max_gap: int | None) -> dict[str, Any]:
        return {
            "budget": self.budget if budget is None else budget,
            "max_gap": self.max_gap if max_gap is None else max_gap,
        }

    @property
    def _progress(self) -> bool:
        return self._split._progress

    def _named(
        self, documents: Iterable[Document], ids: Sequence[str] | None
    ) -> list[IndexedDocument]:
        """Return documents with their names.

        Raises:
            TypeError: An item is not a document.
            ValueError: One has no name, or there is not an ID for each.
        """
        checked = checked_documents(documents)
        if ids is not None and len(ids) != len(checked):
            raise ValueError(
                f"there are {len(checked)} documents but {len(ids)} ids: pass one for each"
            )
        return [
            self._indexed(document, None if ids is None else ids[number])
            for number, document in enumerate(checked)
        ]

    def _indexed(self, document: Document, given: str | None) -> IndexedDocument:
        known = (document.metadata.get(key) for key in reversed(NAME_KEYS))
        source = given or next((str(name) for name in known if name), document.id or "")
        if not source:
            raise ValueError(
                f"the document that begins with {document.page_content[:40]!r} has no name: put "
                'one into its metadata as "source", or pass ids'
            )
        name = given or document_key(document.metadata) or source
        return IndexedDocument(name, source, self._split._source_of(document))


class _Vectors:
    """A vector store of LangChain as one of the core."""

    def __init__(self, store: VectorStore, lender: StoreEmbeddings) -> None:
        self._store = store
        self._lender = lender

    def add(self, chunks: Sequence[IndexedChunk]) -> None:
        with self._lender.lending(chunks):
            self._store.add_documents([*map(_stored, chunks)], ids=[one.key for one in chunks])

    async def aadd(self, chunks: Sequence[IndexedChunk]) -> None:
        with self._lender.lending(chunks):
            ids = [one.key for one in chunks]
            await self._store.aadd_documents([*map(_stored, chunks)], ids=ids)

    def delete(self, keys: Sequence[str]) -> None:
        try:
            found = _keys_of(self._store.get_by_ids(keys))
        except NotImplementedError:
            found = [*keys]
        if found:
            self._store.delete(found)

    async def adelete(self, keys: Sequence[str]) -> None:
        try:
            found = _keys_of(await self._store.aget_by_ids(keys))
        except NotImplementedError:
            found = [*keys]
        if found:
            await self._store.adelete(found)

    def search(self, query: str, vector: Sequence[float], count: int) -> list[tuple[str, float]]:
        with self._lender.lending_query(query, vector):
            return _hits(self._store.similarity_search_with_score(query, k=count))

    async def asearch(
        self, query: str, vector: Sequence[float], count: int
    ) -> list[tuple[str, float]]:
        with self._lender.lending_query(query, vector):
            return _hits(await self._store.asimilarity_search_with_score(query, k=count))


def _checked_splitter(splitter: object) -> SpanTextSplitter:
    """Return a splitter, the default one for None.

    Raises:
        TypeError: It is not of this package.
    """
    if splitter is None:
        return LayoutTextSplitter(target_size=TARGET_SIZE)
    if not isinstance(splitter, SpanTextSplitter):
        raise TypeError(
            "splitter must be one of this package, such as LayoutTextSplitter(target_size=50), "
            f"not {safe_repr(splitter)}"
        )
    return splitter


def _lender_of(store: object, embeddings: object) -> StoreEmbeddings:
    """Return the embeddings of a vector store.

    Raises:
        TypeError: It is no vector store, lacks scores or deleting, or has other embeddings.
        ValueError: There are embeddings beside it.
    """
    if not isinstance(store, VectorStore):
        raise TypeError(
            f"vectorstore must be a vector store of LangChain or None, not {safe_repr(store)}"
        )
    if embeddings is not None:
        raise ValueError(
            "a vector store has its own embeddings: make it with StoreEmbeddings(embeddings), and "
            "leave embeddings out"
        )
    kind = type(store)
    for method in ("similarity_search_with_score", "delete"):
        if getattr(kind, method) is getattr(VectorStore, method):
            raise TypeError(
                f"{kind.__name__} has no {method}, which passages need: pass another vector store, "
                "or None to keep vectors in the file"
            )
    lender = store.embeddings
    if not isinstance(lender, StoreEmbeddings):
        raise TypeError(
            f"{type(store).__name__} must be made with StoreEmbeddings(...) around its embeddings, "
            "so that it stores vectors that know headings and surroundings"
        )
    return lender


def _stored(chunk: IndexedChunk) -> Document:
    """Return a chunk for a vector store; all of them take single values as metadata."""
    metadata = {
        key: value
        for key, value in chunk.metadata.items()
        if isinstance(value, str | int | float | bool)
    }
    start, end = chunk.chunk.span
    metadata |= {"start_index": start, "end_index": end, _KEY: chunk.key}
    return Document(page_content=chunk.chunk.text, metadata=metadata, id=chunk.key)


def _keys_of(found: Iterable[Document]) -> list[str]:
    return [document.metadata[_KEY] for document in found]


def _hits(found: Iterable[tuple[Document, float]]) -> list[tuple[str, float]]:
    return [
        (document.metadata[_KEY], float(score))
        for document, score in found
        if _KEY in document.metadata
    ]


def _document_of(passage: Passage) -> Document:
    start, end = passage.span
    metadata = {**passage.metadata, "start_index": start, "end_index": end}
    metadata["relevance_score"] = passage.score
    return Document(
        page_content=passage.text,
        metadata=metadata,
        id=chunk_id(passage.document, passage.span, passage.text, "passage"),
    )
