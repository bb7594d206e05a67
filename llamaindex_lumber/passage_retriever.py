"""A retriever from documents to passages: it splits, embeds, indexes and searches."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable
from inspect import signature
from pathlib import Path

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
from typing_extensions import Never, Self

from llamaindex_lumber.embedding import check_embed_model
from llamaindex_lumber.layout import LayoutNodeParser
from llamaindex_lumber.metadata_filters import make_filter
from llamaindex_lumber.nodes import add_metadata, source_of_node, whole_documents
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core.calls.deadlines import ask_within, run_for_loop
from lumber_core.checks import refuse_unknown
from lumber_core.chunking.delivery import EMPTY_VALUES
from lumber_core.storage.urls import in_collection
from lumber_core.support.identity import safe_repr
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.origin import Metadata
from lumber_core.text.pages import number_pages
from lumber_retrieval.hits import TARGET_SIZE, TOKENIZER
from lumber_retrieval.index.indexed_documents import IndexedDocument, stored_metadata
from lumber_retrieval.passage_index import PassageIndex, setting_hints
from lumber_retrieval.passages.joining import MAX_GAP, OWN_KEYS, Passage
from lumber_retrieval.passages.ranking import BUDGET, SearchSettings
from lumber_retrieval.retriever import IndexingRetriever

# The metadata key under which an index stores the excluded keys and templates of a document, which
# its passages get, too.
_FORM = "_llama_index"
_EXCLUDED = ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
_TEMPLATES = ("metadata_template", "metadata_separator", "text_template")


class PassageRetriever(IndexingRetriever[Document], BaseRetriever):
    """Finds whole passages: splits documents into small chunks, searches these, and joins hits.

    Chunks are found by words and by vectors, which include headings and surroundings; both scores
    are added. Hits that lie close together become one passage, an exact slice of the document.
    Texts, words and vectors are in one file. For a vector store of your own, `ContextEmbedding`
    makes the same vectors, and `PassageJoiner` joins the hits of its retriever. Settings may be
    assigned.

    Args:
        node_parser: A node parser of this package, which splits the documents. None:
            `LayoutNodeParser(target_size=50, tokenizer="even")`, whose chunks have about as
            many words in every alphabet.
        embed_model: The embedding model; None for the bundled one (`LumberEmbedding`).
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
        context: Whether a model is shown the context of a passage: title, headings and the header
            row of a table. It is in the metadata under "context", and counts against the budget.
        min_similarity: Minimum cosine similarity of passages, from -1 to 1. None: no minimum.
        reading_order: Whether passages are in the order of the text, beginning with the document of
            the best passage. By default they are ordered best first.
        filters: Which chunks may be found, by the metadata of their documents and their own
            (headings, pages, lines). They apply to vectors and words, and may be nested. None: all.
        callback_manager: LlamaIndex's manager of callbacks.

    Raises:
        ValueError: A limit is out of range, a filter has a value that does not fit its operator, or
            the parser has an overlap.
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

    _settings_of_index = ("node_parser", "embed_model", "path", "collection")

    def __init__(
        self,
        node_parser: SpanNodeParser | None = None,
        *,
        embed_model: BaseEmbedding | None = None,
        path: str | Path | None = None,
        collection: str | None = None,
        keywords: bool = True,
        budget: int = BUDGET,
        max_gap: int = MAX_GAP,
        k: int | None = None,
        context: bool = True,
        min_similarity: float | None = None,
        reading_order: bool = False,
        filters: MetadataFilters | None = None,
        callback_manager: CallbackManager | None = None,
        **unknown: Never,
    ) -> None:
        names = [*signature(type(self)).parameters]
        hints = setting_hints("node_parser", "embed_model")
        refuse_unknown(type(self).__name__, unknown, names, hints)
        super().__init__(callback_manager)
        self.node_parser = node_parser
        self.embed_model = check_embed_model(embed_model)  # the bundled model is made only once
        self.path = path
        self.collection = collection
        self.keywords = keywords
        self.budget = budget
        self.max_gap = max_gap
        self.k = k
        self.context = context
        self.min_similarity = min_similarity
        self.reading_order = reading_order
        self.filters = filters
        make_filter(filters)  # raises now if a filter is wrong
        SearchSettings(**self._settings)
        self._opened = None
        self.path = self._index.store.path  # keeps the index if another setting is assigned

    def _open(self) -> PassageIndex:
        parser = self.node_parser
        if parser is None:
            parser = LayoutNodeParser(target_size=TARGET_SIZE, tokenizer=TOKENIZER)
        elif not isinstance(parser, SpanNodeParser):
            raise TypeError(
                "node_parser must be one of this package, such as "
                f"LayoutNodeParser(target_size=50), not {safe_repr(parser)}; documents are passed "
                "to add_documents"
            )
        if parser.delivery.overlap:
            raise ValueError(
                "node_parser must have chunk_overlap=0: hits that touch are joined into passages"
            )
        model = check_embed_model(self.embed_model)
        return PassageIndex(parser.chunker, model, in_collection(self.path, self.collection))

    def with_filters(self, filters: MetadataFilters | None) -> Self:
        """Return a retriever over the same index with other filters; None for no filters.

        Raises:
            ValueError: A filter has a value that does not fit its operator.
            TypeError: `filters` are not filters of LlamaIndex.
        """
        make_filter(filters)  # raises now if a filter is wrong
        other = copy.copy(self)
        other.filters = filters
        return other

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query, vector = query_bundle.query_str, query_bundle.embedding
        if vector is None and (texts := query_bundle.custom_embedding_strs):
            model = check_embed_model(self.embed_model)
            embed = model.get_agg_embedding_from_queries
            vector = ask_within(None, embed, model.aget_agg_embedding_from_queries, texts)
        elif vector is None and not query:
            raise ValueError("the query is empty: pass a text, or a QueryBundle with an embedding")
        where = make_filter(self.filters)
        passages = self._index.search(query, where=where, vector=vector, **self._settings)
        return [_node_of(passage, context=self.context) for passage in passages]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await run_for_loop(self._retrieve, query_bundle)

    def _convert_documents(self, documents: Iterable[Document]) -> list[IndexedDocument]:
        whole = whole_documents(documents)
        metadata = number_pages([stored_metadata(document.metadata) for document in whole])
        return [*map(_convert, whole, metadata)]


def _convert(document: Document, metadata: Metadata) -> IndexedDocument:
    """Return a document for the index; its metadata has the excluded keys and templates."""
    hidden = source_of_node(document, titled=True).metadata.keys() - document.metadata.keys()
    content = source_of_node(document.model_copy(update={"metadata": metadata}), titled=True)
    form = {name: getattr(document, name) for name in _TEMPLATES}
    form |= {name: [*getattr(document, name), *hidden] for name in _EXCLUDED}
    content = dataclasses.replace(content, metadata={**content.metadata, _FORM: form})
    return IndexedDocument.with_identity(content, document.node_id)


def _node_of(passage: Passage, *, context: bool) -> NodeWithScore:
    """Return a passage as the node that a node parser would make of it."""
    metadata = passage.metadata
    common = {key: value for key, value in metadata.items() if key not in (*OWN_KEYS, _FORM)}
    kind = ObjectType.DOCUMENT
    source = RelatedNodeInfo(node_id=passage.document, node_type=kind, metadata=common)
    node = TextNode(
        id_=passage.key,
        text=passage.readable_text,
        metadata=common,
        start_char_idx=passage.span.start,
        end_char_idx=passage.span.end,
        relationships={NodeRelationship.SOURCE: source},
        **metadata.get(_FORM, {}),  # an index that LangChain's retriever wrote has no templates
    )
    values = {**EMPTY_VALUES, **{key: metadata[key] for key in OWN_KEYS if key in metadata}}
    values |= {"text": passage.text} if passage.time else {}
    add_metadata(
        node, {**values, "similarity": passage.similarity, "words_found": passage.words_found}
    )
    if not (context and metadata.get(CONTEXT_KEY)):
        node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, CONTEXT_KEY]
        node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, CONTEXT_KEY]
    return NodeWithScore(node=node, score=passage.score)
