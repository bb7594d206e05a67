"""Vectors of nodes that include headings and surrounding text, for any vector store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import ConfigDict, Field, field_serializer
from llama_index.core.schema import BaseNode, MetadataMode, TextNode, TransformComponent

from llamaindex_lumber.embedding import check_embed_model
from llamaindex_lumber.fields import IntactComponent
from llamaindex_lumber.nodes import check_nodes, text_of
from lumber_core.calls.deadlines import run_for_loop
from lumber_core.checks import RefusesUnknown
from lumber_core.support.identity import settings_digest
from lumber_core.text.captions import spoken_text
from lumber_retrieval.embedders import FrameworkEmbedder
from lumber_retrieval.index.surroundings import PlacedText, embed_chunks, spans_of

# Settings that change how a model is called, but not what it returns.
_NO_INFLUENCE = frozenset(
    (
        *("async_http_client", "callback_manager", "embed_batch_size", "embeddings_cache"),
        *("http_client", "max_retries", "num_workers", "rate_limiter", "reuse_client", "timeout"),
    )
)


class ContextEmbedding(RefusesUnknown, IntactComponent, TransformComponent):
    """Embeds nodes of any parser together with the headings above and the text around them.

    Small nodes are found more often if the headings above them are embedded with them, and if the
    vectors of their neighbours in the document are added to theirs. That helps nodes of about 50
    tokens, but not nodes of 150.

    A step of an `IngestionPipeline` after the parser, instead of an embedding model; or call it
    with nodes, before they are given to a `VectorStoreIndex`. An index with the same model embeds
    queries. Each node is embedded with its metadata, as an index embeds it: this library's parsers
    put headings into "context", LlamaIndex's into "header_path". Nodes need no offsets, but the
    nodes of a document must be in order. A node without a source is a document of its own.

    If one node of a document is new, all nodes of the document are embedded. If the model has an
    `embeddings_cache`, only nodes with new content are embedded.

    Args:
        embed_model: The embedding model; None for the bundled one (`LumberEmbedding`).

    Raises:
        TypeError: An argument has the wrong type.

    Example:
        >>> from llama_index.core import Document
        >>> from llama_index.core.ingestion import IngestionPipeline
        >>> from llama_index.core.node_parser import SentenceSplitter
        >>> steps = [SentenceSplitter(chunk_size=50, chunk_overlap=0), ContextEmbedding()]
        >>> (node,) = IngestionPipeline(transformations=steps).run(
        ...     documents=[Document(text="Ann ran. She fell.")]
        ... )
        >>> len(node.embedding)
        384
    """

    model_config = ConfigDict(hide_input_in_errors=True, extra="forbid")

    _hints: ClassVar[Mapping[str, str]] = {"embeddings": "use embed_model"}
    embed_model: BaseEmbedding = Field(description="The embedding model.")

    def __init__(self, embed_model: BaseEmbedding | None = None, **settings: Any) -> None:
        """Make the step; the class describes each setting."""
        settings["embed_model"] = check_embed_model(embed_model)
        super().__init__(**settings)

    @field_serializer("embed_model")
    def _serialise(self, model: BaseEmbedding) -> dict[str, str]:
        """Return what determines a model's vectors, without credentials, for cache keys."""
        fields = type(model).model_fields.items()
        settings = {name: getattr(model, name) for name, field in fields if not field.exclude}
        digest = settings_digest(settings, without=_NO_INFLUENCE)
        return {"class_name": model.class_name(), "model": model.model_name, "settings": digest}

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the step."""
        return "ContextEmbedding"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Set the embedding of each node, and return the nodes."""
        checked = check_nodes(nodes)
        documents = _documents_of(checked)
        embed = FrameworkEmbedder(self.embed_model).embed_documents
        progress = bool(kwargs.get("show_progress"))
        embedded = embed_chunks(map(_place_nodes, documents), embed, show_progress=progress)
        for group, vectors in zip(documents, embedded, strict=True):
            for node, vector in zip(group, vectors.tolist(), strict=True):
                node.embedding = vector
        return checked

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Async version of `__call__`."""
        return await run_for_loop(self, nodes, **kwargs)


def _documents_of(nodes: Iterable[BaseNode]) -> list[list[BaseNode]]:
    """Return the nodes of each document."""
    documents: dict[str, list[BaseNode]] = {}
    for node in nodes:
        source = node.source_node
        documents.setdefault(node.node_id if source is None else source.node_id, []).append(node)
    return [*documents.values()]


def _place_nodes(nodes: Sequence[BaseNode]) -> list[PlacedText]:
    """Return the nodes of a document as LlamaIndex embeds them, with their metadata."""
    texts = [text_of(node) for node in nodes]
    starts = [node.start_char_idx if isinstance(node, TextNode) else None for node in nodes]
    return [
        PlacedText(span, spoken_text(text), node.get_content(MetadataMode.EMBED))
        for span, text, node in zip(spans_of(texts, starts), texts, nodes, strict=True)
    ]
