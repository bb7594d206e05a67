"""One object from documents to passages: splits, embeds, indexes, finds and joins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PrivateAttr, SkipValidation

from langchain_lumber.base import SpanTextSplitter, checked_documents, checked_embeddings
from langchain_lumber.layout import LayoutTextSplitter
from langchain_lumber.passages import place_metadata
from lumber_core.identity import safe_repr
from lumber_core.text.pages import document_key
from lumber_core.text.source import NAME_KEYS
from lumber_retrieval.documents import IndexedDocument
from lumber_retrieval.index import BUDGET, TARGET_SIZE, Changes, PassageIndex, Where
from lumber_retrieval.passages import MAX_GAP, Passage


class PassageRetriever(BaseRetriever):
    """Finds whole passages: splits documents to small chunks, finds these, and joins them.

    Chunks are found by vectors that know their headings and surroundings and by their words, both
    scores added. Hits that lie close together become one passage, an exact slice of the document.
    Texts, words and vectors are in one file. For a vector store of your own, `split_and_embed` and
    `KnownVectors` make the same vectors, and `PassageJoiner` joins what its retriever finds.

    Args:
        splitter: A splitter of this package. None: `LayoutTextSplitter(target_size=50)`.
        embeddings: The embedding model; None for the bundled one (`LumberEmbeddings`).
        path: The file, which is reopened with the same answers. None: a temporary one.
        keywords: Whether chunks are found by their words, too.
        budget: Maximum number of words in all passages of a query.
        max_gap: Hits of one document with at most this many words between them are joined.
        name: LangChain's, as are the next two: of runs and traces.
        tags: Put on every run.
        metadata: Put on every run.

    Raises:
        ValueError: A limit is out of range.
        TypeError: An argument has the wrong type.

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
    keywords: bool = True
    budget: int = BUDGET
    max_gap: int = MAX_GAP

    _index: PassageIndex = PrivateAttr()
    _split: SpanTextSplitter = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        self._split = _checked_splitter(self.splitter)
        self._index = PassageIndex(
            self._split.chunker,
            checked_embeddings(self.embeddings),
            self.path,
            keywords=self.keywords,
            budget=self.budget,
            max_gap=self.max_gap,
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
        found = self._index.search(query, budget=budget, max_gap=max_gap, where=filter)
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
        found = await self._index.asearch(query, budget=budget, max_gap=max_gap, where=filter)
        return [*map(_document_of, found)]

    @property
    def _progress(self) -> bool:
        return self._split._settings.show_progress

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
        name = given or document_key(document.metadata) or source
        return IndexedDocument(name, source, self._split._source_of(document))


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


def _document_of(passage: Passage) -> Document:
    metadata = {**place_metadata(passage), "relevance_score": passage.score}
    return Document(page_content=passage.text, metadata=metadata, id=passage.key)
