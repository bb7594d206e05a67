"""Vectors of nodes that know headings and surroundings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

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
from lumber_core.identity import settings_digest
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.tokens import DEFAULT_TOKENIZER, token_counter
from lumber_retrieval.embedding import (
    ALL_CONTEXT,
    ContextPart,
    check_context_and_scales,
)

if TYPE_CHECKING:
    from lumber_retrieval.surroundings import PlacedDocument, PlacedText, VectorPlan, Vectors

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


class NodeDocument(NamedTuple):
    """The nodes of a document, with what is embedded for them.

    Attributes:
        nodes: The nodes.
        placed: Their texts in the document.
    """

    nodes: Sequence[BaseNode]
    placed: PlacedDocument


def documents_of(
    nodes: Iterable[BaseNode], context: Sequence[ContextPart], scales: Sequence[int] = ()
) -> list[NodeDocument]:
    """Return the documents that nodes of any parser are from.

    Args:
        nodes: The nodes; those of a document are in order. One without a source is a document of
            its own.
        context: What vectors know beside the text.
        scales: Sizes of larger ranges that are embedded, too.
    """
    from lumber_retrieval.surroundings import rejoin  # deferred: imports numpy

    sources: dict[str, list[BaseNode]] = {}
    for node in nodes:
        source = node.source_node
        sources.setdefault(node.node_id if source is None else source.node_id, []).append(node)
    counter = token_counter(DEFAULT_TOKENIZER)
    documents = []
    for own in sources.values():
        placed = [_placed(node, span, context) for node, span in zip(own, _spans(own), strict=True)]
        documents.append(NodeDocument(own, rejoin(placed, scales, counter)))
    return documents


def parsed_document(
    nodes: Sequence[BaseNode],
    spans: Sequence[Span],
    text: str,
    larger: Sequence[Sequence[Span]],
    context: Sequence[ContextPart],
) -> NodeDocument:
    """Return a document whose larger ranges are known.

    Args:
        nodes: Its nodes.
        spans: Their places in its text.
        text: Its text.
        larger: Its larger ranges; see `Segmentation.larger`.
        context: What vectors know beside the text.
    """
    from lumber_retrieval.surroundings import PlacedDocument  # deferred: imports numpy

    placed = [_placed(node, span, context) for node, span in zip(nodes, spans, strict=True)]
    return NodeDocument(nodes, PlacedDocument(placed, text, larger))


def embed_nodes(
    documents: Sequence[NodeDocument],
    model: BaseEmbedding,
    context: Sequence[ContextPart],
    *,
    show_progress: bool = False,
) -> None:
    """Set the embeddings of nodes.

    Args:
        documents: Their documents.
        model: The embedding model.
        context: What vectors know beside the text.
        show_progress: Show a progress bar.
    """
    plan = _plan(documents, context)
    _assign(documents, plan.embed(model.get_text_embedding_batch, show_progress=show_progress))


async def aembed_nodes(
    documents: Sequence[NodeDocument],
    model: BaseEmbedding,
    context: Sequence[ContextPart],
    *,
    show_progress: bool = False,
) -> None:
    """Async version of `embed_nodes`."""
    plan = _plan(documents, context)
    embed = model.aget_text_embedding_batch
    _assign(documents, await plan.aembed(embed, show_progress=show_progress))


def _plan(documents: Sequence[NodeDocument], context: Sequence[ContextPart]) -> VectorPlan:
    from lumber_retrieval.surroundings import VectorPlan  # deferred: imports numpy

    placed = [document.placed for document in documents]
    return VectorPlan(placed, surroundings="surroundings" in context)


def _spans(nodes: Sequence[BaseNode]) -> list[Span]:
    """Return the places of a document's nodes: as they say, or else one behind the other."""
    lengths = [len(text_of(node)) for node in nodes]
    said = [node.start_char_idx if isinstance(node, TextNode) else None for node in nodes]
    starts = [start for start in said if start is not None]
    # Parsers that search for the text of a node may find it elsewhere, or not at all.
    if len(starts) < len(nodes) or any(low >= high for low, high in pairwise(starts)):
        starts = [0, *accumulate(lengths[:-1])]
    return [Span(start, start + length) for start, length in zip(starts, lengths, strict=True)]


def _placed(node: BaseNode, span: Span, context: Sequence[ContextPart]) -> PlacedText:
    from lumber_retrieval.surroundings import PlacedText  # deferred: imports numpy

    hidden = () if "headings" in context else _ABOVE
    text = text_of(node)
    if not isinstance(node, TextNode | Document):
        return PlacedText(span, text)
    shown = node
    if any(key in node.metadata for key in hidden):
        shown = node.model_copy()
        shown.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *hidden]
    metadata = shown.get_metadata_str(mode=MetadataMode.EMBED).strip()
    if not metadata:
        return PlacedText(span, text)
    return PlacedText(span, text, partial(_below, node.text_template, metadata))


def _below(template: str, metadata: str, text: str) -> str:
    """Return a text below the metadata of a node, as LlamaIndex embeds it."""
    return template.format(content=text, metadata_str=metadata).strip()


def _assign(documents: Iterable[NodeDocument], vectors: Iterable[Vectors]) -> None:
    for document, own in zip(documents, vectors, strict=True):
        for node, vector in zip(document.nodes, own.tolist(), strict=True):
            node.embedding = vector


class ContextEmbedding(TransformComponent):
    """Embeds the nodes of any parser so that their vectors know headings and surroundings.

    A step of an `IngestionPipeline` after the parser, instead of an embedding model. Nodes need no
    offsets, but those of a document have to be in order. Queries are embedded by the model.

    Args:
        embed_model: The embedding model; None for the bundled one (`LumberEmbedding`).
        context: What vectors know beside the text of a node. "headings": what its metadata says of
            them ("context" of this library's parsers, "header_path" of LlamaIndex's) is embedded
            with it. "surroundings": vectors of its neighbours in the document are added, which
            helps to find nodes of about 50 tokens, and not those of 150. Empty: nothing.
        scales: Sizes in tokens, ascending, such as (80, 160, 320). The document, rejoined from its
            nodes, is cut to each by its layout, and what it is cut to is embedded, too: the
            surroundings are then those that a node lies in, instead of its neighbours' own vectors.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `context` or `scales` is wrong.

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
    context: tuple[ContextPart, ...] = Field(description="What vectors know beside the text.")
    scales: tuple[int, ...] = Field(description="Sizes of larger chunks that are embedded, too.")

    def __init__(
        self,
        embed_model: BaseEmbedding | None = None,
        *,
        context: Sequence[ContextPart] = ALL_CONTEXT,
        scales: Sequence[int] = (),
        **unused: Any,
    ) -> None:
        unused.pop("class_name", None)  # in the result of to_dict
        if unused:
            raise TypeError(
                f"ContextEmbedding has no setting {next(iter(unused))!r}: its settings are "
                "embed_model, context, scales"
            )
        check_context_and_scales(context, scales)
        model = LumberEmbedding() if embed_model is None else embed_model
        check_embed_model("embed_model", model)
        fields = {"embed_model": model, "context": tuple(context), "scales": tuple(scales)}
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
        documents = documents_of(checked, self.context, self.scales)
        shown = bool(kwargs.get("show_progress", False))
        embed_nodes(documents, self.embed_model, self.context, show_progress=shown)
        return checked

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Async version of `__call__`."""
        checked = checked_nodes(nodes)
        documents = documents_of(checked, self.context, self.scales)
        shown = bool(kwargs.get("show_progress", False))
        await aembed_nodes(documents, self.embed_model, self.context, show_progress=shown)
        return checked
