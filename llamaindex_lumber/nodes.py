"""Reads nodes for the parsers, and makes nodes from chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from llama_index.core.node_parser.interface import IdFuncCallable
from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode

from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.delivery import Chunk, added_metadata
from lumber_core.chunking.metadata_room import Room
from lumber_core.spans import Span
from lumber_core.support.identity import chunk_id, safe_repr
from lumber_core.text import pages as core
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.origin import TITLE_KEY
from lumber_core.text.outline import Context
from lumber_core.text.source import Forms, Source
from lumber_core.text.unicode import is_encodable

N = TypeVar("N")
Parsed = TypeVar("Parsed", bound=BaseNode)


def refuse_single(documents: N) -> N:
    """Return the documents; raise a TypeError for a single document that is not in a list."""
    if isinstance(documents, BaseNode):
        raise TypeError("documents must be an iterable of documents, not one: pass [document]")
    return documents


def check_nodes(documents: Iterable[Any]) -> list[Any]:
    """Return the documents as a list.

    An item that is neither a document nor a node raises a TypeError, and a text with a lone
    surrogate, which LlamaIndex cannot hash, a ValueError.
    """
    nodes = list(refuse_single(documents))
    for node in nodes:
        if not isinstance(node, BaseNode):
            hint = ": pass Document(text=...)" if isinstance(node, str) else ""
            if hasattr(node, "page_content"):
                hint = ": pass Document.from_langchain_format(...)"
            kind = f"{type(node).__module__}.{type(node).__qualname__}".removeprefix("builtins.")
            raise TypeError(f"documents must be documents or nodes of LlamaIndex, not {kind}{hint}")
        if not is_encodable(text_of(node)):
            raise ValueError(
                f"the text of {safe_repr(node.node_id)} has a lone surrogate, which LlamaIndex "
                "cannot hash. Replace it in the document: "
                'text.encode("utf-8", "replace").decode()'
            )
    return nodes


def whole_documents(documents: Iterable[Any]) -> list[Document]:
    """Return whole documents as a list, as `check_nodes` does; nodes are parts of documents."""
    checked = check_nodes(documents)
    for document in checked:
        if not isinstance(document, Document):
            raise TypeError(
                f"documents must be whole documents, not {type(document).__name__}: pass them as a "
                "reader returns them, before they are parsed into nodes"
            )
    return checked


class NodeWriter:
    """Writes chunks of a document or node as LlamaIndex embeds them, and as a model gets them.

    `context` is whether chunks have a context.
    """

    def __init__(self, parent: BaseNode, *, context: bool) -> None:
        parent = document_for_nodes(parent, context=context)
        (self._node,) = build_nodes_from_splits([""], parent)
        self._metadata_of_parent = parent.metadata
        # The framework adds the metadata of a node's source document.
        self._inherited = {} if parent.source_node is None else parent.source_node.metadata
        self._context = context
        self._shown: dict[str, list[str]] = {}

    def __call__(self, text: str, context: Context) -> list[str]:
        """Return a node's content for embedding and for a model; see `Source.forms`."""
        shown = self._metadata(str(context) if self._context else "")
        template = self._node.text_template
        return [
            template.format(content=text, metadata_str=metadata).strip() if metadata else text
            for metadata in shown
        ]

    @property
    def adds_nothing(self) -> bool:
        """Whether every chunk is written as its text alone."""
        return not self._context and self._metadata("") == [""]

    def _metadata(self, context: str) -> list[str]:
        """Return the metadata of a node with this context, as embedded and as sent to a model."""
        if context not in self._shown:
            metadata = {**self._metadata_of_parent, **({CONTEXT_KEY: context} if context else {})}
            self._node.metadata = {**metadata, **self._inherited, **metadata}
            modes = (MetadataMode.EMBED, MetadataMode.LLM)
            shown = (self._node.get_metadata_str(mode=mode).strip() for mode in modes)
            self._shown[context] = [*dict.fromkeys(shown)]
        return self._shown[context]


def source_of_node(node: BaseNode, forms: Forms | None = None, *, titled: bool = False) -> Source:
    """Return a node as a source of the core; a MIME type other than text/plain sets the format.

    `titled` is whether the title in its metadata is a part of the context of its chunks.
    """
    resource = getattr(node, "text_resource", None)
    kind = getattr(node if resource is None else resource, "mimetype", None)
    metadata = (
        node.metadata if kind in (None, "text/plain") else {"mimetype": kind, **node.metadata}
    )
    if not titled:  # the title is embedded with the other metadata, or not wanted
        metadata = {**metadata, TITLE_KEY: None} if metadata.get(TITLE_KEY) else metadata
    return core.place_source(text_of(node), metadata, forms=forms)


def document_for_nodes(node: Parsed, *, context: bool) -> Parsed:
    """Return a document or node with the metadata that its nodes have in common.

    `context` is whether they get contexts of their own.
    """
    common = core.common_metadata(node.metadata, context=context)
    return node if common == node.metadata else node.model_copy(update={"metadata": common})


def add_metadata(node: TextNode, added: Mapping[str, str | float | None]) -> None:
    """Add to a node's metadata; all but a context is excluded from embedding and from models."""
    node.metadata = {**node.metadata, **added}
    excluded = [key for key, value in added.items() if key != CONTEXT_KEY or not value]
    for name in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        setattr(node, name, [*dict.fromkeys([*getattr(node, name), *excluded])])


def slice_of(node: BaseNode, start: int | None, end: int | None) -> str:
    """Return the text of a node in its document; nodes of captions show only what is spoken."""
    slice_text = str(node.metadata.get("text", ""))
    return slice_text if start is not None and start + len(slice_text) == end else text_of(node)


def text_of(node: BaseNode) -> str:
    """Return the text of a node without its metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)


def offset_of(parent: BaseNode, text: str) -> int | None:
    """Return where `text` starts in the document that its nodes refer to; None if unknown."""
    if parent.source_node is None:
        return 0
    if not isinstance(parent, TextNode) or parent.start_char_idx is None:
        return None
    end = parent.end_char_idx
    is_exact = end is None or end - parent.start_char_idx == len(text)
    return parent.start_char_idx if is_exact else None


def metadata_share(
    parents: Sequence[BaseNode], writers: Sequence[NodeWriter], chunker: Chunker, overlap: int
) -> float:
    """Return the largest share of `chunk_size` that the metadata of nodes of `parents` takes.

    If it leaves no room for text besides the overlap, a ValueError is raised.
    """
    limit = chunker.chunk_size
    if limit is None or not parents:
        return 0.0
    (empty,) = chunker.counter.count([""])
    tokens = [
        empty if writer.adds_nothing else Room(writer, chunker.counter, limit).tokens_around
        for writer in writers
    ]
    most_tokens = max(tokens)
    if limit - overlap - most_tokens < 1:
        parent = parents[tokens.index(most_tokens)]
        raise ValueError(
            f"the metadata of {parent.node_id!r} has {most_tokens} tokens, which leaves no room "
            f"for text in nodes of chunk_size={limit} and chunk_overlap={overlap}: raise "
            "chunk_size, list long metadata in excluded_embed_metadata_keys and "
            "excluded_llm_metadata_keys, or pass include_metadata=False"
        )
    return most_tokens / limit


def nodes_of(
    parent: BaseNode,
    chunks: Sequence[Chunk],
    *,
    splitter: str,
    id_func: IdFuncCallable,
    inherits: bool,
    everything: bool,
    context: bool,
) -> list[TextNode]:
    """Return the nodes of one document or node, for its chunks.

    `id_func` makes the IDs of nodes; in place of LlamaIndex's default function, which makes random
    ones, `stable_id` is used. `splitter` is the identity of the splitter. `inherits` is the setting
    `include_metadata`, `everything` the setting `add_metadata`, and `context` whether contexts are
    added to the metadata.
    """
    metadata, parent = parent.metadata, document_for_nodes(parent, context=context)
    text = text_of(parent)
    texts, spans = [chunk.text for chunk in chunks], [chunk.span for chunk in chunks]
    if not text:  # LlamaIndex's own parsers make one empty node of an empty text
        texts, spans = [""], [Span(0, 0)]

    def stable_id(i: int, doc: BaseNode) -> str:
        return chunk_id(doc.node_id, spans[i], texts[i], splitter)

    name_node = stable_id if id_func is default_id_func else id_func
    nodes = build_nodes_from_splits(texts, parent, id_func=name_node)
    offset = offset_of(parent, text)
    for node, span in zip(nodes, spans, strict=True):
        if offset is not None:
            node.start_char_idx, node.end_char_idx = span.shift(offset)
    if not (inherits or everything):
        return nodes
    # Without the lines of its parent, the lines of a node are known only if its parent is the
    # start of a document.
    unknown_keys = () if offset == 0 or core.has_lines(metadata) else core.LINE_KEYS
    of_chunks = added_metadata(chunks, metadata, everything=everything, context=context)
    for node, facts in zip(nodes, of_chunks, strict=False):  # an empty text has a node, no chunk
        known_facts = {key: value for key, value in facts.items() if key not in unknown_keys}
        facts = facts | dict.fromkeys(unknown_keys, 0) if everything else known_facts
        add_metadata(node, facts)
    return nodes
