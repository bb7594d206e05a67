"""What the retrievers of both frameworks do with documents: add, sync and delete them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from lumber_core.calls.deadlines import run_for_loop
from lumber_core.calls.threads import in_thread
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import Changes, PassageIndex
from lumber_retrieval.passages.ranking import SearchSettings

D = TypeVar("D")


class IndexingRetriever(ABC, Generic[D]):
    """A retriever that has an index of its own, to which documents of a framework are added.

    It has all settings of a search as attributes, which may be assigned.
    """

    _opened: tuple[tuple[Any, ...], PassageIndex] | None

    @abstractmethod
    def _made_of(self) -> tuple[Any, ...]:
        """Return what its index is made of, as it is set now: splitter, embedding model, path."""

    @abstractmethod
    def _open(self) -> PassageIndex:
        """Return the index that is made of this."""

    @property
    def _index(self) -> PassageIndex:
        """The index; another one, if what it is made of was set anew."""
        parts = self._made_of()
        if self._opened is None or self._opened[0] != parts:
            self._opened = parts, self._open()
        return self._opened[1]

    @property
    def _settings(self) -> dict[str, Any]:
        """The settings of a search, as they are now."""
        return {one.name: getattr(self, one.name) for one in fields(SearchSettings)}

    @abstractmethod
    def _indexed(self, documents: Iterable[D]) -> list[IndexedDocument]:
        """Return documents as the index wants them.

        Raises:
            TypeError: An item is not a document.
            ValueError: One has no name, or is a chunk.
        """

    @classmethod
    def from_documents(
        cls, documents: Iterable[D], *, show_progress: bool = False, **settings: Any
    ) -> Self:
        """Return a retriever that has some documents; see `add_documents` and the settings."""
        made = cls(**settings)
        made.add_documents(documents, show_progress=show_progress)
        return made

    @property
    def sources(self) -> list[str]:
        """The sources of all documents, in the order in which they were first added."""
        return self._index.sources

    def add_documents(self, documents: Iterable[D], *, show_progress: bool = False) -> Changes:
        """Add documents.

        Documents that have not changed cost nothing. Another document of the same name is replaced;
        pages of a file may be added one by one, as may parts of it with "row" or "seq_num" in their
        metadata. Other parts, as splitters by headings make them, are passed together: documents of
        one source whose metadata differ are numbered ("seq_num"). If all of a file's pages are
        passed (they say so with "total_pages"), or what has no number, what else the index has of
        the same source is removed. After an error or a kill, the same call repeated goes on where
        it stopped.

        Args:
            documents: The documents, before they are split. The source of one is the "source",
                "file_path" or "file_name" in its metadata, or else its ID.
            show_progress: Show progress bars of splitting and embedding.

        Returns:
            How many documents were added, unchanged and removed, and how many chunks are new.

        Raises:
            TypeError: An item is not a document.
            ValueError: A document has no name or the name of another one, is a chunk, or has
                metadata that JSON does not have, or the embedding model is another one than before.
                Nothing is stored.
            StoreError: The file cannot be used, or another process writes to it.
        """
        return self._index.add(self._indexed(documents), show_progress=show_progress)

    async def aadd_documents(
        self, documents: Iterable[D], *, show_progress: bool = False
    ) -> Changes:
        """Async version of `add_documents`."""
        named = self._indexed(documents)
        return await run_for_loop(self._index.add, named, show_progress=show_progress)

    def sync(self, documents: Iterable[D], *, show_progress: bool = False) -> Changes:
        """Make the index equal to some documents: add these, and remove all others.

        A file of an older format is made anew. Arguments, result and errors are those of
        `add_documents`; no document at all is a ValueError, too: `delete(retriever.sources)` leaves
        nothing.
        """
        named = self._indexed(documents)
        return self._index.add(named, everything=True, show_progress=show_progress)

    async def async_sync(self, documents: Iterable[D], *, show_progress: bool = False) -> Changes:
        """Async version of `sync`."""
        named = self._indexed(documents)
        return await run_for_loop(
            self._index.add, named, everything=True, show_progress=show_progress
        )

    def delete(self, sources: Iterable[str]) -> int:
        """Remove sources with their texts, chunks, words and vectors.

        Args:
            sources: What `add_documents` calls so.

        Returns:
            The number of documents removed; 0 for what the index does not have.

        Raises:
            TypeError: `sources` is one string.
        """
        return self._index.delete(sources)

    async def adelete(self, sources: Iterable[str]) -> int:
        """Async version of `delete`."""
        return await in_thread(self._index.delete, sources)
