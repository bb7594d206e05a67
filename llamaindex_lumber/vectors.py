"""Vectors of nodes that know context and surroundings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import ConfigDict, Field, field_serializer
from llama_index.core.schema import (
    BaseNode,
    Document,
    MetadataMode,
    TextNode,
    TransformComponent,
)

from llamaindex_lumber.embedding import LumberEmbedding
from llamaindex_lumber.nodes import checked_nodes, text_of
from llamaindex_lumber.settings import check_embed_model
from lumber_core.spans import Span
from lumber_core.support.identity import settings_digest
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_retrieval.embedding import check_flags
from lumber_retrieval.surroundings import PlacedText, VectorPlan, Vectors

_ABOVE = (CONTEXT_KEY, "header_path")
"""Where nodes say what stands above them: our parsers', and LlamaIndex's `MarkdownNodeParser`'s."""
# Settings that change how a model is called, but not what it returns.
_NO_INFLUENCE = frozenset(
    (
        *("async_http_client", "callback_manager", "embed_batch_size", "embeddings_cache"),
        *("http_client", "max_retries", "num_workers", "rate_limiter", "reuse_client", "timeout"),
    )
)


def serialised_model(model: BaseEmbedding) -> dict[str, str]:
    """Return what determines a model's vectors, for cache keys; it has no credentials."""
    fields = type(model).model_fields.items()
    settings = {name: getattr(model, name) for name, field in fields if not field.exclude}
    digest = settings_digest(settings, without=_NO_INFLUENCE)
    return {"class_name": model.class_name(), "model": model.model_name, "settings": digest}


def embed_nodes(
    nodes: Sequence[BaseNode],
    model: BaseEmbedding,
    *,
    context: bool = True,
    surroundings: bool = True,
    show_progress: bool = False,
) -> None:
    """Set the embeddings of nodes.

    Args:
        nodes: The nodes of any parser; those of a document are in order. One without a source is a
            document of its own.
        model: The embedding model.
        context: As for `ContextEmbedding`.
        surroundings: As for `ContextEmbedding`.
        show_progress: Show a progress bar.
    """
    documents = _documents_of(nodes)
    plan = _plan(documents, context, surroundings)
    _assign(documents, plan.embed(model.get_text_embedding_batch, show_progress=show_progress))


async def aembed_nodes(
    nodes: Sequence[BaseNode],
    model: BaseEmbedding,
    *,
    context: bool = True,
    surroundings: bool = True,
    show_progress: bool = False,
) -> None:
    """Async version of `embed_nodes`."""
    documents = _documents_of(nodes)
    plan = _plan(documents, context, surroundings)
    embed = model.aget_text_embedding_batch
    _assign(documents, await plan.aembed(embed, show_progress=show_progress))


def _documents_of(nodes: Iterable[BaseNode]) -> list[list[BaseNode]]:
    """Return the nodes of each document."""
    documents: dict[str, list[BaseNode]] = {}
    for node in nodes:
        source = node.source_node
        documents.setdefault(node.node_id if source is None else source.node_id, []).append(node)
    return [*documents.values()]


def _plan(documents: Iterable[Sequence[BaseNode]], context: bool, surroundings: bool) -> VectorPlan:
    placed = [
        [_placed(node, span, context) for node, span in zip(nodes, _spans(nodes), strict=True)]
        for nodes in documents
    ]
    return VectorPlan(placed, surroundings=surroundings)


def _spans(nodes: Sequence[BaseNode]) -> list[Span]:
    """Return the places of a document's nodes: as they say, or else one behind the other."""
    lengths = [len(text_of(node)) for node in nodes]
    said = [node.start_char_idx if isinstance(node, TextNode) else None for node in nodes]
    starts = [start for start in said if start is not None]
    # Parsers that search for the text of a node may find it elsewhere, or not at all.
    if len(starts) < len(nodes) or any(low >= high for low, high in pairwise(starts)):
        starts = [0, *accumulate(lengths[:-1])]
    return [Span(start, start + length) for start, length in zip(starts, lengths, strict=True)]


def _placed(node: BaseNode, span: Span, context: bool) -> PlacedText:
    """Return a node as LlamaIndex embeds it, with its metadata."""
    text = text_of(node)
    if not isinstance(node, TextNode | Document):
        return PlacedText(span, text, text)
    shown = node
    if not context and any(key in node.metadata for key in _ABOVE):
        shown = node.model_copy()
        shown.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *_ABOVE]
    metadata = shown.get_metadata_str(mode=MetadataMode.EMBED).strip()
    if not metadata:
        return PlacedText(span, text, text)
    template = node.text_template
    return PlacedText(span, text, template.format(content=text, metadata_str=metadata).strip())


def _assign(documents: Iterable[Sequence[BaseNode]], vectors: Iterable[Vectors]) -> None:
    for nodes, own in zip(documents, vectors, strict=True):
        for node, vector in zip(nodes, own.tolist(), strict=True):
            node.embedding = vector


class ContextEmbedding(TransformComponent):
    """Embeds the nodes of any parser so that their vectors know context and surroundings.

    A step of an `IngestionPipeline` after the parser, instead of an embedding model. Nodes need no
    offsets, but those of a document have to be in order. Queries are embedded by the model.

    Args:
        embed_model: The embedding model; None for the bundled one (`LumberEmbedding`).
        context: Embed a node with what its metadata says of the headings above it: "context" of
            this library's parsers, "header_path" of LlamaIndex's.
        surroundings: Add the vectors of its neighbours in the document, which helps to find nodes
            of about 50 tokens, and not those of 150.

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

    model_config = ConfigDict(hide_input_in_errors=True)

    embed_model: BaseEmbedding = Field(description="The embedding model.")
    context: bool = Field(description="Whether vectors know what stands above a node.")
    surroundings: bool = Field(description="Whether vectors know the nodes around a node.")

    def __init__(
        self,
        embed_model: BaseEmbedding | None = None,
        *,
        context: bool = True,
        surroundings: bool = True,
        **unused: Any,
    ) -> None:
        unused.pop("class_name", None)  # in the result of to_dict
        if unused:
            raise TypeError(
                f"ContextEmbedding has no setting {next(iter(unused))!r}: its settings are "
                "embed_model, context, surroundings"
            )
        check_flags(context=context, surroundings=surroundings)
        model = LumberEmbedding() if embed_model is None else embed_model
        check_embed_model("embed_model", model)
        fields = {"embed_model": model, "context": context, "surroundings": surroundings}
        super().__init__(**fields)

    @field_serializer("embed_model")
    def _serialised(self, model: BaseEmbedding) -> dict[str, str]:
        return serialised_model(model)

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises it."""
        return "ContextEmbedding"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Set the embedding of each node, and return the nodes."""
        checked = checked_nodes(nodes)
        embed_nodes(checked, self.embed_model, **self._options(kwargs))
        return checked

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Async version of `__call__`."""
        checked = checked_nodes(nodes)
        await aembed_nodes(checked, self.embed_model, **self._options(kwargs))
        return checked

    def _options(self, given: Mapping[str, Any]) -> dict[str, bool]:
        return {
            "context": self.context,
            "surroundings": self.surroundings,
            "show_progress": bool(given.get("show_progress", False)),
        }
