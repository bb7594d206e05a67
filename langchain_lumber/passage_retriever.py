"""A retriever from documents to passages: it splits, embeds, indexes and searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PrivateAttr, SkipValidation

from langchain_lumber.embeddings import check_embeddings
from langchain_lumber.layout import LayoutTextSplitter
from langchain_lumber.span_text_splitter import SpanTextSplitter, check_documents
from lumber_core.calls.deadlines import run_for_loop
from lumber_core.checks import RefusesUnknown
from lumber_core.chunking.delivery import EMPTY_VALUES
from lumber_core.storage.urls import display_path, in_collection
from lumber_core.support.identity import safe_repr
from lumber_core.text.origin import file_names
from lumber_core.text.pages import number_pages, place_source
from lumber_retrieval.hits import TARGET_SIZE, TOKENIZER
from lumber_retrieval.index.filters import Where
from lumber_retrieval.index.indexed_documents import IndexedDocument, stored_metadata
from lumber_retrieval.passage_index import PassageIndex, setting_hints
from lumber_retrieval.passages.joining import MAX_GAP, Passage
from lumber_retrieval.passages.ranking import BUDGET, SearchSettings
from lumber_retrieval.retriever import IndexingRetriever


class PassageRetriever(RefusesUnknown, IndexingRetriever[Document], BaseRetriever):
    """Finds whole passages: splits documents into small chunks, searches these, and joins hits.

    Chunks are found by words and by vectors, which include headings and surroundings; both scores
    are added. Hits that lie close together become one passage, an exact slice of the document.
    Texts, words and vectors are in one file. For a vector store of your own, `ContextEmbeddings`
    adds headings and surroundings to vectors, and `PassageJoiner` joins the hits of its retriever.

    Settings may be changed by assignment, and those of a search also for one query, as in
    `invoke(query, k=3)`. `invoke` also takes a `filter`: metadata keys with values or operators, as
    in `{"year": {"$gte": 2020}}`, or a function of the metadata.

    Args:
        splitter: A splitter of this package. None:
            `LayoutTextSplitter(target_size=50, tokenizer="even")`, whose chunks have
            about as many words in every alphabet.
        embeddings: The embedding model; None for the bundled one (`LumberEmbeddings`).
        path: The file, which a later process may open again, or the URL of a database in
            PostgreSQL, which many machines share (extra `postgres`):
            "postgresql://user@host/database". None: a temporary file, which copies and pickles
            share in this process; a pickle that another process reads has a copy.
        collection: The name of the index in that database. None: the name at the end of the URL, as
            in "?collection=handbook", or "passages".
        keywords: Whether chunks are also found by their words.
        budget: Maximum number of words in all passages of a query.
        max_gap: Sentences with at most this many words between them are joined; never more than a
            seventh of the budget.
        k: Maximum number of passages of a query. None: as many as the budget allows.
        context: Whether the text of a passage begins with its context: title, headings and the
            header row of a table. They count against the budget.
        min_similarity: Minimum cosine similarity of passages, from -1 to 1. None: no minimum.
        reading_order: Whether passages are in the order of the text, beginning with the document of
            the best passage. By default they are ordered best first.
        name: The name of runs in LangChain's traces.
        tags: LangChain's tags of every run.
        metadata: LangChain's metadata of every run.

    Raises:
        ValueError: A limit is out of range.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> retriever = PassageRetriever()
        >>> text = "Otters live along rivers. They hunt fish at dawn."
        >>> changes = retriever.add_documents([Document(text, metadata={"source": "notes.txt"})])
        >>> changes.added, changes.chunks
        (1, 1)
        >>> [passage] = retriever.invoke("When do otters hunt?")
        >>> passage.page_content, passage.metadata["source"], passage.metadata["start_index"]
        ('Otters live along rivers. They hunt fish at dawn.', 'notes.txt', 0)
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True, strict=True
    )

    splitter: SkipValidation[SpanTextSplitter | None] = None
    embeddings: SkipValidation[Embeddings | None] = None
    path: SkipValidation[str | Path | None] = None
    collection: SkipValidation[str | None] = None
    keywords: SkipValidation[bool] = True
    budget: SkipValidation[int] = BUDGET
    max_gap: SkipValidation[int] = MAX_GAP
    k: SkipValidation[int | None] = None
    context: SkipValidation[bool] = True
    min_similarity: SkipValidation[float | None] = None
    reading_order: SkipValidation[bool] = False

    _hints: ClassVar[Mapping[str, str]] = setting_hints("splitter", "embeddings")
    _settings_of_index: ClassVar[tuple[str, ...]] = ("splitter", "embeddings", "path", "collection")
    _opened: tuple[tuple[Any, ...], PassageIndex] | None = PrivateAttr(None)

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        SearchSettings(**self._settings)
        path = self._index.store.path
        if self.path is None:
            self.path = path  # copies that LangChain makes of the fields search the same index

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the settings, the URL of a database without its password."""
        return [(n, display_path(v) if n == "path" else v) for n, v in super().__repr_args__()]

    def _open(self) -> PassageIndex:
        splitter = self.splitter
        if splitter is None:
            splitter = LayoutTextSplitter(target_size=TARGET_SIZE, tokenizer=TOKENIZER)
        elif not isinstance(splitter, SpanTextSplitter):
            raise TypeError(
                "splitter must be one of this package, such as LayoutTextSplitter(target_size=50), "
                f"not {safe_repr(splitter)}"
            )
        model = "bundled" if self.embeddings is None else check_embeddings(self.embeddings)
        return PassageIndex(splitter.chunker, model, in_collection(self.path, self.collection))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        filter: Where = None,  # noqa: A002 - what vector stores of LangChain call it
        **settings: Any,
    ) -> list[Document]:
        del run_manager
        passages = self._index.search(query, where=filter, **{**self._settings, **settings})
        return [*map(_document_of, passages)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **settings: Any
    ) -> list[Document]:
        find, synchronous = self._get_relevant_documents, run_manager.get_sync()
        return await run_for_loop(find, query, run_manager=synchronous, **settings)

    def _convert_documents(self, documents: Iterable[Document]) -> list[IndexedDocument]:
        checked = check_documents(documents)
        metadatas = number_pages([stored_metadata(document.metadata) for document in checked])
        converted = []
        for document, metadata in zip(checked, metadatas, strict=True):
            text = document.page_content
            if "start_index" in metadata:
                raise ValueError(
                    f"the document that begins with {text[:40]!r} is a chunk: it has "
                    '"start_index" in its metadata. Pass whole documents: they are split here'
                )
            source = place_source(text, metadata)
            converted.append(IndexedDocument.with_identity(source, document.id or ""))
        return converted


def _document_of(passage: Passage) -> Document:
    metadata = {
        **EMPTY_VALUES,
        **passage.metadata,
        "start_index": passage.span.start,
        "end_index": passage.span.end,
        "text": passage.text,
        "relevance_score": passage.score,
        "similarity": passage.similarity,
        "words_found": passage.words_found,
    }
    source = metadata.get("source")  # most documents name their source
    if not (isinstance(source, str) and source.strip()) and not file_names(metadata):
        metadata["source"] = passage.document
    return Document(page_content=passage.in_context, metadata=metadata, id=passage.key)
