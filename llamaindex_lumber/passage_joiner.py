"""Joins the nodes of any retriever into passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import ConfigDict, Field, PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeRelationship, NodeWithScore, QueryBundle, TextNode
from llama_index.core.storage.docstore import BaseDocumentStore
from pydantic import SkipValidation

from llamaindex_lumber.fields import IntactComponent
from llamaindex_lumber.nodes import add_metadata, check_nodes, slice_of, text_of
from lumber_core.checks import check_text
from lumber_core.spans import Span
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import MAX_GAP, Passage
from lumber_retrieval.passages.ranking import BUDGET
from lumber_retrieval.passages.reranking import JoinsHits

StoredTexts = BaseDocumentStore | Mapping[str, str] | Iterable[BaseNode]
"""Documents as they were before they were parsed, or their texts by document ID."""


class PassageJoiner(JoinsHits, IntactComponent, BaseNodePostprocessor):
    """Joins nodes into passages, exact slices of their documents, ranked by the question.

    A postprocessor for the nodes of any retriever, best first: only their order counts, because
    scores are distances in some stores. Nodes have `start_char_idx`, `end_char_idx` and
    `ref_doc_id`, as node parsers set them.

    Nodes are ranked as in `PassageRetriever`: chunks by how much of the question they and the text
    beside them cover, then sentences, best first, until the budget is full. Retrieve 50 to 100
    nodes. The index of `PassageRetriever` stores how rare a word is; here it is estimated from the
    nodes: a word that most of them contain counts little. A passage that is neither in the nodes
    nor in the text beside them is not found.

    Passages do not overlap, and come best first. `node.text` is
    `text[start_char_idx:end_char_idx]`. The score is from 0 to 1, and "words_found" in the metadata
    is as in `PassageRetriever`. If nodes are not ranked, the score is that of the best node of the
    passage. Headings, context, first page and line are those of the passage's start, the last page
    and line those of its end, and everything else is copied from its best node. A passage that is a
    node keeps its ID. The only relationship is that to the document.

    Args:
        texts: A docstore with the documents that were parsed, the documents themselves, or a
            mapping from their IDs to their texts. A docstore and a mapping are read at each query.
            They are not serialised: pass from_dict(data, texts=...).
        max_gap: Sentences or nodes of a document with at most this many words between them are
            joined, with these words; of sentences, at most a seventh of the budget.
        budget: Maximum number of words in all passages. A sentence or node is left out if it does
            not fit together with the text that joins it to others; the best one is always returned,
            alone if it exceeds the budget. Each Chinese character and kana counts as a word. None:
            no limit, so that whole nodes are joined.
        reading_order: Whether passages are in the order of the text, beginning with the document of
            the best passage. By default they are ordered best first.
        rerank: Whether nodes are ranked by the question. False, or without a question: whole nodes
            are joined, in their order.
        language: ISO 639 code of the language, such as "en", to find sentences.
        callback_manager: LlamaIndex's manager of callbacks.

    Raises:
        ValueError: `max_gap` is negative or `budget` is below 1. `postprocess_nodes` raises it if a
            node has no offsets or no document, or if its document is missing from `texts` or has
            another text at the node's offsets.

    Example:
        >>> from llama_index.core import Document, VectorStoreIndex
        >>> from llamaindex_lumber import GreedyNodeParser, LumberEmbedding
        >>> document = Document(text="Otters swim. They eat fish.", id_="otters")
        >>> nodes = GreedyNodeParser(target_size=4)([document])
        >>> index = VectorStoreIndex(nodes, embed_model=LumberEmbedding())
        >>> hits = index.as_retriever().retrieve("What do otters eat?")
        >>> len(hits)
        2
        >>> (passage,) = PassageJoiner(texts=[document]).postprocess_nodes(hits)
        >>> passage.text, passage.node.start_char_idx, passage.node.end_char_idx
        ('Otters swim. They eat fish.', 0, 27)
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", strict=True)

    texts: SkipValidation[StoredTexts] = Field(exclude=True, repr=False)
    max_gap: SkipValidation[int] = MAX_GAP
    budget: SkipValidation[int | None] = BUDGET
    reading_order: SkipValidation[bool] = False
    rerank: SkipValidation[bool] = True
    language: SkipValidation[str] = "en"

    _texts: BaseDocumentStore | Mapping[str, str] = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        self._check()
        texts = self.texts
        self._texts = (
            texts
            if isinstance(texts, BaseDocumentStore | Mapping)
            else {document.node_id: text_of(document) for document in check_nodes(texts)}
        )

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the postprocessor."""
        return "PassageJoiner"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        hits = [_hit_of(number, node) for number, node in enumerate(nodes)]
        texts = {name: _text_of(name, self._texts) for name in {hit.document for hit in hits}}
        passages = self._join(query_bundle.query_str if query_bundle else "", hits, texts)
        return [_node_of(passage, hits[passage.hits[0].number], nodes) for passage in passages]


def _node_of(passage: Passage, best: Hit, nodes: Sequence[NodeWithScore]) -> NodeWithScore:
    """Return a passage as a copy of its best node, with the passage's text and place.

    `best` is the hit of this node.
    """
    joined = [nodes[hit.number] for hit in passage.hits]
    node = joined[0].node.model_copy(deep=True)
    assert isinstance(node, TextNode)  # `_hit_of` refuses others
    node.metadata = passage.metadata
    if node.metadata.get("text") == best.text:  # the node is a passage of `PassageRetriever`
        node.metadata["text"] = passage.text
    for keys in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        excluded = [key for scored in joined for key in getattr(scored.node, keys)]
        setattr(node, keys, [*dict.fromkeys(excluded)])
    source = node.relationships[NodeRelationship.SOURCE]
    node.relationships = {NodeRelationship.SOURCE: source}
    if best.span != passage.span:
        node.id_ = passage.key
        node.set_content(passage.text)
        node.embedding = None
        node.start_char_idx, node.end_char_idx = passage.span
    if passage.words_found is None:
        return NodeWithScore(node=node, score=joined[0].score)
    add_metadata(node, {"words_found": passage.words_found})
    return NodeWithScore(node=node, score=passage.score)


def _hit_of(number: int, scored: Any) -> Hit:
    """Return a node as a hit. Its score is its rank: scores of stores may be distances."""
    if not isinstance(scored, NodeWithScore):
        raise TypeError(
            f"hits must be nodes with scores, as retrievers return them, not "
            f"{type(scored).__name__}: pass NodeWithScore(node=...)"
        )
    node = scored.node
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    if not isinstance(node, TextNode) or start is None or end is None or node.ref_doc_id is None:
        raise ValueError(
            f"the node {node.node_id!r} lacks its document or its offsets: passages are made of "
            "nodes with start_char_idx, end_char_idx and ref_doc_id, as node parsers set them"
        )
    text = slice_of(node, start, end)
    if end - start != len(text):
        raise ValueError(
            f"the node {node.node_id!r} has the offsets {start:,} to {end:,}, which do not fit its "
            f"text of {len(text):,} characters: join passages before a postprocessor replaces the "
            "text of nodes"
        )
    return Hit(number, node.ref_doc_id, Span(start, end), text, -number, node.metadata)


def _text_of(name: str, texts: BaseDocumentStore | Mapping[str, str]) -> str:
    """Return the text of a document; raise a ValueError or TypeError if there is none."""
    if isinstance(texts, BaseDocumentStore):
        document = texts.get_document(name, raise_error=False)
        text = None if document is None else text_of(document)
    else:
        text = texts.get(name)
    if text is None:
        raise ValueError(
            f"texts has no document {name!r}: pass the documents that were parsed, or a docstore "
            "after docstore.add_documents(documents)"
        )
    check_text(text)
    return text
