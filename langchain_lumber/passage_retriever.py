"""One object from documents to passages: splits, embeds, indexes, finds and joins."""

from __future__ import annotations

import dataclasses
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
from typing_extensions import Self

from langchain_lumber.base import SpanTextSplitter, checked_documents, checked_embeddings
from langchain_lumber.layout import LayoutTextSplitter
from langchain_lumber.passages import place_metadata
from lumber_core.checks import check_positive, check_texts, refuse_unknown
from lumber_core.support.identity import safe_repr
from lumber_core.text.pages import document_key, document_name, page_numbers, parts_of
from lumber_core.text.source import NAME_KEYS
from lumber_retrieval.documents import IndexedDocument
from lumber_retrieval.filters import Where
from lumber_retrieval.index import BUDGET, TARGET_SIZE, TOKENIZER, Changes, PassageIndex
from lumber_retrieval.passages import MAX_GAP, SHOWN_KEYS, Passage

# Arguments of LangChain's retrievers and vector stores.
_ELSEWHERE = {
    "embedding": "use embeddings",
    "search_kwargs": "pass k, budget, filter or min_similarity to invoke, or to the retriever",
    "search_type": "passages are found by vectors and words; choose with keywords",
    "vectorstore": "texts, words and vectors are in its own file, path; for a vector store use "
    "PassageJoiner",
    "filter": "pass it to invoke",
    "persist_directory": "use path, the name of a file",
    **dict.fromkeys(
        ("chunk_size", "chunk_overlap", "target_size", "text_splitter", "child_splitter"),
        "it is the splitter's: splitter=LayoutTextSplitter(target_size=50)",
    ),
}


class PassageRetriever(BaseRetriever):
    """Finds whole passages: splits documents to small chunks, finds these, and joins them.

    Chunks are found by vectors that know their headings and surroundings and by their words, both
    scores added. Hits that lie close together become one passage, an exact slice of the document.
    Texts, words and vectors are in one file. For a vector store of your own, `split_and_embed` and
    `KnownVectors` make the same vectors, and `PassageJoiner` joins what its retriever finds.

    Args:
        splitter: A splitter of this package. None:
            `LayoutTextSplitter(target_size=50, tokenizer="even")`, which makes chunks that say as
            much in any alphabet.
        embeddings: The embedding model; None for the bundled one (`LumberEmbeddings`).
        path: The file, which is reopened with the same answers. None: a temporary one.
        keywords: Whether chunks are found by their words, too.
        budget: Maximum number of words in all passages of a query.
        max_gap: Sentences with at most this many words between them are joined.
        k: Maximum number of passages of a query, the best ones. None: as the budget allows.
        context: Whether the text of a passage begins with what stands above it: title, headings,
            the header row of a table. They count against the budget.
        min_similarity: The least cosine similarity of what is found, from -1 to 1. None: all.
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
    k: int | None = None
    context: bool = True
    min_similarity: float | None = None

    _index: PassageIndex = PrivateAttr()
    _split: SpanTextSplitter = PrivateAttr()

    def __init__(self, **settings: Any) -> None:
        refuse_unknown(type(self).__name__, settings, [*type(self).model_fields], _ELSEWHERE)
        super().__init__(**settings)

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        self._split = _checked_splitter(self.splitter)
        if self.k is not None:
            check_positive("k", self.k)
        self._index = PassageIndex(
            self._split.chunker,
            checked_embeddings(self.embeddings),
            self.path,
            keywords=self.keywords,
            budget=self.budget,
            max_gap=self.max_gap,
            context=self.context,
            min_similarity=self.min_similarity,
        )

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        embeddings: Embeddings | None = None,
        **settings: Any,
    ) -> Self:
        """Return a retriever that has some documents; see `add_documents` and the settings."""
        made = cls(embeddings=embeddings, **settings)
        made.add_documents(documents)
        return made

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        embeddings: Embeddings | None = None,
        metadatas: Sequence[dict[Any, Any]] | None = None,
        *,
        ids: Sequence[str] | None = None,
        **settings: Any,
    ) -> Self:
        """Return a retriever that has some texts; see `add_texts` and the settings."""
        made = cls(embeddings=embeddings, **settings)
        made.add_texts(texts, metadatas, ids=ids)
        return made

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: Sequence[dict[Any, Any]] | None = None,
        *,
        ids: Sequence[str] | None = None,
    ) -> Changes:
        """Add texts with metadata; see `add_documents`."""
        listed = check_texts(texts)
        given = [{}] * len(listed) if metadatas is None else metadatas
        if len(given) != len(listed):
            raise ValueError(
                f"there are {len(listed)} texts but {len(given)} metadatas: pass one for each"
            )
        documents = [Document(text, metadata=one) for text, one in zip(listed, given, strict=True)]
        return self.add_documents(documents, ids=ids)

    @property
    def sources(self) -> list[str]:
        """The sources of all documents, in the order in which they were first added."""
        return self._index.sources

    def sync(
        self,
        documents: Iterable[Document],
        *,
        ids: Sequence[str] | None = None,
        show_progress: bool | None = None,
    ) -> Changes:
        """Make the index equal to some documents: add these, and remove all others.

        Args:
            documents: All documents, as for `add_documents`.
            ids: As for `add_documents`.
            show_progress: As for `add_documents`.

        Raises:
            TypeError: As for `add_documents`.
            ValueError: As for `add_documents`.
            StoreError: As for `add_documents`.
        """
        return self._index.sync(
            self._named(documents, ids), show_progress=self._progress(show_progress)
        )

    async def async_sync(
        self,
        documents: Iterable[Document],
        *,
        ids: Sequence[str] | None = None,
        show_progress: bool | None = None,
    ) -> Changes:
        """Async version of `sync`."""
        return await self._index.async_sync(
            self._named(documents, ids), show_progress=self._progress(show_progress)
        )

    def add_documents(
        self,
        documents: Iterable[Document],
        *,
        ids: Sequence[str] | None = None,
        show_progress: bool | None = None,
    ) -> Changes:
        """Add documents.

        Documents that have not changed cost nothing. Another document of the same name is replaced;
        pages of a file may be added one by one. If all of its pages are passed (they say so with
        "total_pages"), or a document without a page number, what else the index has of the same
        source is removed. After an error or a kill, the same call repeated goes on where it
        stopped.

        Args:
            documents: The documents, before they are split. Their "source", "file_path" or
                "file_name" names them, together with the number of the page if they are pages.
            ids: Names of the documents, instead of those in the metadata.
            show_progress: Whether to show progress bars. None: as the splitter does.

        Returns:
            How many documents were added, unchanged and removed, and how many chunks are new.

        Raises:
            TypeError: An item is not a document.
            ValueError: A document has no name or the name of another one, is a chunk, or has
                metadata that JSON does not have, or the embedding model is another one than before.
                Nothing is stored.
            StoreError: The file cannot be used, or another process writes to it.
        """
        return self._index.add(
            self._named(documents, ids), show_progress=self._progress(show_progress)
        )

    async def aadd_documents(
        self,
        documents: Iterable[Document],
        *,
        ids: Sequence[str] | None = None,
        show_progress: bool | None = None,
    ) -> Changes:
        """Async version of `add_documents`."""
        return await self._index.aadd(
            self._named(documents, ids), show_progress=self._progress(show_progress)
        )

    def delete(self, ids: Iterable[str]) -> int:
        """Remove sources with their texts, chunks, words and vectors.

        Args:
            ids: The "source" of documents, or the `ids` they were added with.

        Returns:
            The number of documents removed; 0 for what the index does not have.

        Raises:
            TypeError: `ids` is one string.
        """
        return self._index.delete(ids)

    async def adelete(self, ids: Iterable[str]) -> int:
        """Async version of `delete`."""
        return await self._index.adelete(ids)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        budget: int | None = None,
        max_gap: int | None = None,
        filter: Where = None,  # noqa: A002 - what vector stores of LangChain call it
        min_similarity: float | None = None,
        k: int | None = None,
    ) -> list[Document]:
        del run_manager
        found = self._index.search(
            query,
            budget=budget,
            max_gap=max_gap,
            where=filter,
            min_similarity=min_similarity,
            k=self.k if k is None else k,
        )
        return [*map(_document_of, found)]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        budget: int | None = None,
        max_gap: int | None = None,
        filter: Where = None,  # noqa: A002 - as above
        min_similarity: float | None = None,
        k: int | None = None,
    ) -> list[Document]:
        del run_manager
        found = await self._index.asearch(
            query,
            budget=budget,
            max_gap=max_gap,
            where=filter,
            min_similarity=min_similarity,
            k=self.k if k is None else k,
        )
        return [*map(_document_of, found)]

    def _progress(self, shown: bool | None) -> bool:
        return self._split._show_progress if shown is None else shown

    def _named(
        self, documents: Iterable[Document], ids: Sequence[str] | None
    ) -> list[IndexedDocument]:
        """Return documents with their names.

        Raises:
            TypeError: An item is not a document, or an ID not a text.
            ValueError: One has no name or is a chunk, or there is not an ID for each.
        """
        checked = checked_documents(documents)
        if ids is not None:
            if len(ids) != len(checked):
                raise ValueError(
                    f"there are {len(checked)} documents but {len(ids)} ids: pass one for each"
                )
            for one in ids:
                if not isinstance(one, str):
                    raise TypeError(f"ids must be texts, not {safe_repr(one)}")
        pages = page_numbers([document.metadata for document in checked])
        given: Sequence[str | None] = [None] * len(checked) if ids is None else ids
        return [*map(self._indexed, checked, given, pages)]

    def _indexed(self, document: Document, given: str | None, page: int | None) -> IndexedDocument:
        metadata = document.metadata
        if "start_index" in metadata:
            raise ValueError(
                f"the document that begins with {document.page_content[:40]!r} is a chunk: it has "
                '"start_index" in its metadata. Pass whole documents: they are split here'
            )
        source = given or document_name(metadata) or document.id or ""
        name = given or document_key(metadata) or source
        content = self._split._source_of(document)
        if page is not None:
            content = dataclasses.replace(content, pages=(0,) * page)
        return IndexedDocument(name, source, content, parts=parts_of(metadata))


def _checked_splitter(splitter: object) -> SpanTextSplitter:
    """Return a splitter, the default one for None.

    Raises:
        TypeError: It is not of this package.
    """
    if splitter is None:
        return LayoutTextSplitter(target_size=TARGET_SIZE, tokenizer=TOKENIZER)
    if not isinstance(splitter, SpanTextSplitter):
        raise TypeError(
            "splitter must be one of this package, such as LayoutTextSplitter(target_size=50), "
            f"not {safe_repr(splitter)}"
        )
    return splitter


def _document_of(passage: Passage) -> Document:
    metadata = {
        **dict.fromkeys(SHOWN_KEYS, ""),
        **place_metadata(passage),
        "text": passage.text,
        "relevance_score": passage.score,
        "similarity": passage.similarity,
        "words_found": passage.words_found,
    }
    if not any(metadata.get(key) for key in NAME_KEYS):
        metadata["source"] = passage.document
    return Document(page_content=passage.in_context, metadata=metadata, id=passage.key)
