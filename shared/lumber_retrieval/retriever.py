"""The base of both frameworks' retrievers: documents are added, synced and deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Generic, TypeVar

from typing_extensions import Never, Self

from lumber_core.calls.deadlines import run_for_loop
from lumber_core.calls.threads import in_thread
from lumber_core.checks import refuse_unknown
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import Changes, PassageIndex, setting_hints
from lumber_retrieval.passages.ranking import SearchSettings

D = TypeVar("D")


class IndexingRetriever(Generic[D]):
    """A retriever with an index of its own, to which documents of a framework are added.

    The settings of a search are attributes, which may be assigned. A subclass has `_open` and
    `_convert_documents`, which are not abstract methods: LlamaIndex would trace each call of these
    as a retrieval, with all texts.
    """

    _opened: tuple[tuple[Any, ...], PassageIndex] | None
    _settings_of_index: ClassVar[tuple[str, ...]] = ()  # splitter, embedding model, path

    def _open(self) -> PassageIndex:
        """Return a new index with these settings."""
        raise NotImplementedError

    @property
    def _index(self) -> PassageIndex:
        """The index; a new one if a setting that it depends on was assigned."""
        settings = tuple(getattr(self, name) for name in self._settings_of_index)
        if self._opened is None or self._opened[0] != settings:
            self._opened = settings, self._open()
        return self._opened[1]

    @property
    def _settings(self) -> dict[str, Any]:
        """The current settings of a search."""
        return {field.name: getattr(self, field.name) for field in fields(SearchSettings)}

    def _convert_documents(self, documents: Iterable[D]) -> list[IndexedDocument]:
        """Return documents of the framework as documents of the index.

        Raises:
            TypeError: An item is not a document.
            ValueError: A document has no name, or is a chunk.
        """
        raise NotImplementedError

    @classmethod
    def from_documents(
        cls, documents: Iterable[D], *, show_progress: bool = False, **settings: Any
    ) -> Self:
        """Return a retriever with these documents; see `add_documents` and the settings."""
        retriever = cls(**settings)
        retriever.add_documents(documents, show_progress=show_progress)
        return retriever

    @property
    def sources(self) -> list[str]:
        """The sources of all documents, in the order in which they were first added."""
        return self._index.sources

    def add_documents(
        self, documents: Iterable[D], *, show_progress: bool = False, **unknown: Never
    ) -> Changes:
        """Add documents.

        An unchanged document costs nothing. A new version of a document replaces

        - only its older version, if it is a page, a part with "row" or "seq_num" in its metadata,
          or has an ID of its own (a page also its file, if that is stored as one document);
        - otherwise all stored documents of its source. So do all pages of a file that are passed
          together, with "total_pages" in their metadata.

        So pages and such parts may be added one by one. Pass other parts of a source together, such
        as sections by headings: if their metadata differ, they are numbered ("seq_num"), and
        replace all stored documents of their source.

        If the name of a replaced document is that of a file without its folder, and the two texts
        have little in common, a warning is logged. After an error or a kill, the same call
        continues where it stopped.

        Args:
            documents: The documents, before they are split. A document is named by its ID, unless
                the ID is random; otherwise by the "source", "file_path" or "file_name" in its
                metadata.
            show_progress: Show how many documents have been embedded.
            **unknown: Not accepted. For a name from another library, such as `ids`, the TypeError
                names what to use instead.

        Returns:
            How many documents were added, unchanged and removed, how many chunks are new, and which
            documents were refused (and logged) because their metadata cannot be stored as JSON.

        Raises:
            TypeError: An item is not a document.
            ValueError: A document has no name or the name of another document, or is a chunk; no
                document has metadata that can be stored as JSON; or the index was built with
                another embedding model. Nothing is stored.
            StoreError: The index cannot be used, or another process has written to it for a minute.
        """
        return self._add(documents, unknown, show_progress=show_progress)

    async def aadd_documents(
        self, documents: Iterable[D], *, show_progress: bool = False, **unknown: Never
    ) -> Changes:
        """Async version of `add_documents`."""
        add = self.add_documents
        return await run_for_loop(add, documents, show_progress=show_progress, **unknown)

    def sync(
        self, documents: Iterable[D], *, show_progress: bool = False, **unknown: Never
    ) -> Changes:
        """Add documents, and remove all others.

        An index of an older format is replaced. Arguments, result and errors are those of
        `add_documents`. An empty list is a ValueError: `delete(retriever.sources)` removes all.
        """
        return self._add(documents, unknown, show_progress=show_progress, remove_others=True)

    async def async_sync(
        self, documents: Iterable[D], *, show_progress: bool = False, **unknown: Never
    ) -> Changes:
        """Async version of `sync`."""
        return await run_for_loop(self.sync, documents, show_progress=show_progress, **unknown)

    def _add(self, documents: Iterable[D], unknown: Mapping[str, object], **how: Any) -> Changes:
        if unknown:
            refuse_unknown("add_documents", unknown, ["show_progress"], setting_hints("", ""))
        return self._index.add(self._convert_documents(documents), **how)

    def delete(self, sources: Iterable[str]) -> int:
        """Remove sources with their texts, chunks, words and vectors.

        Args:
            sources: The sources; `sources` lists them.

        Returns:
            The number of documents removed; unknown sources are ignored.

        Raises:
            TypeError: `sources` is one string.
        """
        return self._index.delete(sources)

    async def adelete(self, sources: Iterable[str]) -> int:
        """Async version of `delete`."""
        return await in_thread(self._index.delete, sources)
