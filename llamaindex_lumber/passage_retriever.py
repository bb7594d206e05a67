"""One object from documents to passages: splits, embeds, indexes, finds and joins."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import (
    Document,
    NodeRelationship,
    NodeWithScore,
    ObjectType,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores.types import MetadataFilters
from typing_extensions import Self

from llamaindex_lumber.base import SpanNodeParser
from llamaindex_lumber.embedding import LumberEmbedding
from llamaindex_lumber.filters import accepted_by, check_filters
from llamaindex_lumber.layout import LayoutNodeParser
from llamaindex_lumber.nodes import add_metadata, source_of_node, whole_documents
from llamaindex_lumber.settings import check_embed_model
from lumber_core.checks import check_positive, refuse_unknown
from lumber_core.support.identity import safe_repr
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.pages import page_numbers, parts_of
from lumber_core.text.source import NAME_KEYS
from lumber_retrieval.documents import IndexedDocument
from lumber_retrieval.index import BUDGET, TARGET_SIZE, TOKENIZER, Changes, PassageIndex
from lumber_retrieval.passages import MAX_GAP, OWN_KEYS, SHOWN_KEYS, Passage

# How a document is written out, which its passages take over; its metadata in the file has it.
_FORM = "_llama_index"
_EXCLUDED = ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
# LlamaIndex names a document so that was given no ID.
_RANDOM_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_SETTINGS = (
    *("node_parser", "embed_model", "path", "keywords", "budget", "max_gap", "k", "context"),
    *("min_similarity", "filters", "callback_manager"),
)
# Arguments and methods of LlamaIndex's indexes and retrievers.
_ELSEWHERE = {
    "similarity_top_k": "use k, the most passages of a query, or budget, their words",
    "documents": "pass them to from_documents, add_documents or sync",
    "transformations": "use node_parser",
    "embedding": "use embed_model",
    "vector_store": "texts, words and vectors are in its own file, path; for a vector store use "
    "PassageJoiner",
    "storage_context": "use path, the name of its file",
    **dict.fromkeys(
        ("chunk_size", "chunk_overlap", "target_size"),
        "it is the parser's: node_parser=LayoutNodeParser(target_size=50)",
    ),
}
_METHODS = {
    "refresh_ref_docs": "use add_documents, which leaves what has not changed, or sync",
    "update_ref_doc": "use add_documents, which replaces a document of the same ID",
    "insert_nodes": "pass whole documents to add_documents: they are split here",
    "as_retriever": "it is one",
    "as_query_engine": "use RetrieverQueryEngine.from_args(retriever)",
}
_TEMPLATES = ("metadata_template", "metadata_separator", "text_template")


class PassageRetriever(BaseRetriever):
    """Finds whole passages: splits documents to small chunks, finds these, and joins them.

    Chunks are found by vectors that know their headings and surroundings and by their words, both
    scores added. Hits that lie close together become one passage, an exact slice of the document.
    Texts, words and vectors are in one file. For a vector store of your own, `ContextEmbedding`
    makes the same vectors, and `PassageJoiner` joins what its retriever finds.

    Args:
        node_parser: A node parser of this package; only how it splits counts. None:
            `LayoutNodeParser(target_size=50, tokenizer="even")`, whose chunks say as much in any
            alphabet.
        embed_model: The embedding model; None for the bundled one (`LumberEmbedding`).
        path: The file, which is reopened with the same answers. None: a temporary one.
        keywords: Whether chunks are found by their words, too.
        budget: Maximum number of words in all passages of a query.
        max_gap: Sentences with at most this many words between them are joined.
        k: Maximum number of passages of a query, the best ones. None: as the budget allows.
        context: Whether a model is shown what stands above a passage: title, headings, the header
            row of a table. They are in the metadata under "context", and count against the budget.
        min_similarity: The least cosine similarity of what is found, from -1 to 1. None: all.
        filters: Which chunks may be found, by the metadata of their documents and their own
            (headings, pages, lines). They hold for vectors and words, and may be nested.
        callback_manager: LlamaIndex's.

    Raises:
        ValueError: A limit is out of range, a filter has a value that does not fit its operator, or
            the parser has a setting that has no meaning here.
        TypeError: An argument has the wrong type.

    Example:
        >>> retriever = PassageRetriever()
        >>> text = "Otters live along rivers. They hunt fish at dawn."
        >>> changes = retriever.add_documents([Document(text=text, id_="otters")])
        >>> changes.added, changes.chunks
        (1, 1)
        >>> [passage] = retriever.retrieve("When do otters hunt?")
        >>> passage.text, passage.node.ref_doc_id, passage.node.start_char_idx
        ('Otters live along rivers. They hunt fish at dawn.', 'otters', 0)
    """

    def __init__(
        self,
        node_parser: SpanNodeParser | None = None,
        *,
        embed_model: BaseEmbedding | None = None,
        path: str | Path | None = None,
        keywords: bool = True,
        budget: int = BUDGET,
        max_gap: int = MAX_GAP,
        k: int | None = None,
        context: bool = True,
        min_similarity: float | None = None,
        filters: MetadataFilters | None = None,
        callback_manager: CallbackManager | None = None,
        **unknown: Any,
    ) -> None:
        refuse_unknown(type(self).__name__, unknown, _SETTINGS, _ELSEWHERE)
        if k is not None:
            check_positive("k", k)
        parser = _checked_parser(node_parser)
        model = LumberEmbedding() if embed_model is None else embed_model
        check_embed_model("embed_model", model)
        check_filters(filters)
        super().__init__(callback_manager)
        self._model = model
        self._filters = filters
        self._k = k
        self._context = context
        self._index = PassageIndex(
            parser.chunker,
            _Embedding(model),
            path,
            keywords=keywords,
            budget=budget,
            max_gap=max_gap,
            context=context,
            min_similarity=min_similarity,
        )

    @classmethod
    def from_documents(
        cls, documents: Iterable[Document], *, show_progress: bool = False, **settings: Any
    ) -> Self:
        """Return a retriever that has some documents; see `add_documents` and the settings."""
        made = cls(**settings)
        made.add_documents(documents, show_progress=show_progress)
        return made

    @property
    def sources(self) -> list[str]:
        """The sources of all documents, in the order in which they were first added."""
        return self._index.sources

    def insert(self, document: Document) -> Changes:
        """Add one document; see `add_documents`."""
        return self.add_documents([document])

    def delete_ref_doc(self, ref_doc_id: str) -> int:
        """Remove the document with an ID, or the source of this name; see `delete`."""
        return self.delete([ref_doc_id])

    def __getattr__(self, name: str) -> Any:
        """Say what to use instead of some names of LlamaIndex's indexes."""
        if name in _METHODS:
            raise AttributeError(f"{type(self).__name__} has no {name}: {_METHODS[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def sync(self, documents: Iterable[Document], *, show_progress: bool = False) -> Changes:
        """Make the index equal to some documents: add these, and remove all others.

        Args:
            documents: All documents, as for `add_documents`.
            show_progress: Show progress bars of splitting and embedding.

        Raises:
            TypeError: As for `add_documents`.
            ValueError: As for `add_documents`.
            StoreError: As for `add_documents`.
        """
        return self._index.sync(_all_indexed(documents), show_progress=show_progress)

    async def async_sync(
        self, documents: Iterable[Document], *, show_progress: bool = False
    ) -> Changes:
        """Async version of `sync`."""
        return await self._index.async_sync(_all_indexed(documents), show_progress=show_progress)

    def add_documents(
        self, documents: Iterable[Document], *, show_progress: bool = False
    ) -> Changes:
        """Add documents.

        Documents that have not changed cost nothing, though LlamaIndex gives them new random IDs.
        The source of a document is the "file_path", "file_name" or "source" in its metadata, the
        first there is, or else its ID. Pages of a file may be added one by one. A document without
        a page number replaces what the index has of its source, and so do all pages of a file that
        say "total_pages". After an error or a kill, the same call repeated goes on where it
        stopped.

        Args:
            documents: The documents, before they are parsed; pages after `join_pages`.
            show_progress: Show progress bars of splitting and embedding.

        Returns:
            How many documents were added, unchanged and removed, and how many chunks are new.

        Raises:
            TypeError: An item is not a document.
            ValueError: Two documents with the same ID differ, metadata has what JSON does not have,
                or the embedding model is another one than before. Nothing is stored.
            StoreError: The file cannot be used, or another process writes to it.
        """
        return self._index.add(_all_indexed(documents), show_progress=show_progress)

    async def aadd_documents(
        self, documents: Iterable[Document], *, show_progress: bool = False
    ) -> Changes:
        """Async version of `add_documents`."""
        return await self._index.aadd(_all_indexed(documents), show_progress=show_progress)

    def delete(self, sources: Iterable[str]) -> int:
        """Remove sources with their texts, chunks, words and vectors.

        Args:
            sources: What `add_documents` calls so: names of files, or else IDs of documents.

        Returns:
            The number of documents removed; 0 for what the index does not have.

        Raises:
            TypeError: `sources` is one string.
        """
        return self._index.delete(sources)

    async def adelete(self, sources: Iterable[str]) -> int:
        """Async version of `delete`."""
        return await self._index.adelete(sources)

    def with_filters(self, filters: MetadataFilters | None) -> Self:
        """Return a retriever over the same index with other filters; None for none.

        Raises:
            ValueError: A filter has a value that does not fit its operator.
            TypeError: They are not filters of LlamaIndex.
        """
        check_filters(filters)
        other = copy.copy(self)
        other._filters = filters
        return other

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query, vector = query_bundle.query_str, query_bundle.embedding
        if vector is None:
            vector = self._model.get_agg_embedding_from_queries(_texts_of(query_bundle))
        where = accepted_by(self._filters)
        found = self._index.search(query, where=where, vector=vector, k=self._k)
        return [_node_of(passage, context=self._context) for passage in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query, vector = query_bundle.query_str, query_bundle.embedding
        if vector is None:
            vector = await self._model.aget_agg_embedding_from_queries(_texts_of(query_bundle))
        where = accepted_by(self._filters)
        found = await self._index.asearch(query, where=where, vector=vector, k=self._k)
        return [_node_of(passage, context=self._context) for passage in found]


class _Embedding:
    """An embedding model of LlamaIndex as one of the core."""

    def __init__(self, model: BaseEmbedding) -> None:
        self._model = model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._model.get_text_embedding_batch(texts)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return await self._model.aget_text_embedding_batch(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._model.get_query_embedding(text)

    async def aembed_query(self, text: str) -> list[float]:
        return await self._model.aget_query_embedding(text)


def _checked_parser(parser: object) -> SpanNodeParser:
    """Return a node parser, the default one for None.

    Raises:
        TypeError: It is not of this package.
        ValueError: It has a setting that has no meaning here.
    """
    if parser is None:
        return LayoutNodeParser(target_size=TARGET_SIZE, tokenizer=TOKENIZER)
    if not isinstance(parser, SpanNodeParser):
        raise TypeError(
            "node_parser must be one of this package, such as LayoutNodeParser(target_size=50), "
            f"not {safe_repr(parser)}; documents are passed to add_documents"
        )
    if parser.delivery.overlap:
        raise ValueError(
            "node_parser must have chunk_overlap=0: hits that touch are joined to passages"
        )
    if getattr(parser, "embed", False) is not False:
        raise ValueError("node_parser must have embed=False: pass the model as embed_model")
    return parser


def _all_indexed(documents: Iterable[Document]) -> list[IndexedDocument]:
    """Return documents as the index wants them.

    Raises:
        TypeError: An item is not a document.
    """
    whole = whole_documents(documents)
    numbers = page_numbers([document.metadata for document in whole])
    return [*map(_indexed, whole, numbers)]


def _indexed(document: Document, page: int | None) -> IndexedDocument:
    """Return a document for the index, with the form of its passages in its metadata."""
    content = source_of_node(document, titled=True)
    hidden = content.metadata.keys() - document.metadata.keys()  # the MIME type
    form = {name: getattr(document, name) for name in _TEMPLATES}
    form |= {name: [*getattr(document, name), *hidden] for name in _EXCLUDED}
    known = (str(document.metadata[key]) for key in NAME_KEYS if document.metadata.get(key))
    content = dataclasses.replace(content, metadata={**content.metadata, _FORM: form})
    if page is not None:
        content = dataclasses.replace(content, pages=(0,) * page)
    return IndexedDocument(
        document.node_id,
        next(known, document.node_id),
        content,
        parts=parts_of(document.metadata),
        nameless=_RANDOM_ID.fullmatch(document.node_id) is not None,
    )


def _node_of(passage: Passage, *, context: bool) -> NodeWithScore:
    """Return a passage as a node parser would make a node of it."""
    metadata = passage.metadata
    common = {key: value for key, value in metadata.items() if key not in (*OWN_KEYS, _FORM)}
    kind = ObjectType.DOCUMENT
    source = RelatedNodeInfo(node_id=passage.document, node_type=kind, metadata=common)
    node = TextNode(
        id_=passage.key,
        text=passage.text,
        metadata=common,
        start_char_idx=passage.span.start,
        end_char_idx=passage.span.end,
        relationships={NodeRelationship.SOURCE: source},
        **metadata.get(_FORM, {}),  # LangChain's retriever writes none
    )
    own = {key: metadata[key] for key in OWN_KEYS if key in metadata}
    own |= {key: "" for key in SHOWN_KEYS if key not in own}
    add_metadata(
        node, {**own, "similarity": passage.similarity, "words_found": passage.words_found}
    )
    if not (context and metadata.get(CONTEXT_KEY)):
        node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, CONTEXT_KEY]
        node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, CONTEXT_KEY]
    return NodeWithScore(node=node, score=passage.score)


def _texts_of(query: QueryBundle) -> list[str]:
    """Return the texts whose mean vector is searched.

    Raises:
        ValueError: There is none.
    """
    if not query.embedding_strs:
        raise ValueError("the query is empty: pass a text, or a QueryBundle with an embedding")
    return query.embedding_strs
