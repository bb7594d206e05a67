"""What a parser reads from nodes, and the nodes it makes of spans."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from llama_index.core.node_parser.interface import IdFuncCallable
from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode

from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Chunk
from lumber_core.identity import chunk_id, safe_repr
from lumber_core.spans import Span
from lumber_core.text import pages as core
from lumber_core.text.source import Source
from lumber_core.text.unicode import is_encodable

logger = logging.getLogger(__name__)

# As in LlamaIndex's SentenceSplitter: warn if the metadata leaves less room than this.
_LITTLE_ROOM = 50

N = TypeVar("N")
Parsed = TypeVar("Parsed", bound=BaseNode)


def several(documents: N) -> N:
    """Return the documents.

    Raises:
        TypeError: It is one document.
    """
    if isinstance(documents, BaseNode):
        raise TypeError("documents must be an iterable of documents, not one: pass [document]")
    return documents


def checked_nodes(documents: Iterable[Any]) -> list[Any]:
    """Return the documents as a list.

    Raises:
        TypeError: An item is neither a document nor a node.
        ValueError: A text has a lone surrogate, which LlamaIndex cannot hash.
    """
    nodes = list(several(documents))
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


def wrapping(node: BaseNode, mode: MetadataMode) -> str:
    """Return the text around a child node's own when it is embedded or sent to a model."""
    metadata = node.get_metadata_str(mode=mode)
    if not metadata or not isinstance(node, TextNode | Document):
        return metadata
    return node.text_template.format(content="", metadata_str=metadata)


def source_of_node(node: BaseNode, reserved: int = 0) -> Source:
    """Return a node as a source of the core; its MIME type tells the format unless it is plain."""
    resource = getattr(node, "text_resource", None)
    kind = getattr(node if resource is None else resource, "mimetype", None)
    metadata = (
        node.metadata if kind in (None, "text/plain") else {"mimetype": kind, **node.metadata}
    )
    return core.place_source(text_of(node), metadata, reserved=reserved)


def referred_document(node: Parsed) -> Parsed:
    """Return a document as its nodes refer to it: without the offsets of `join_pages`."""
    if core.PAGE_STARTS not in node.metadata:
        return node
    return node.model_copy(update={"metadata": core.without_page_starts(node.metadata)})


def add_metadata(node: TextNode, added: Mapping[str, str | int]) -> None:
    """Add to a node's metadata, excluded from embedding and from models."""
    node.metadata = {**node.metadata, **added}
    for name in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        setattr(node, name, [*dict.fromkeys([*getattr(node, name), *added])])


def text_of(node: BaseNode) -> str:
    """Return the text of a node without its metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)


def offset_of(parent: BaseNode, text: str) -> int | None:
    """Return where `text` starts in the document its nodes will refer to; None if unknown."""
    if parent.source_node is None:
        return 0
    if not isinstance(parent, TextNode) or parent.start_char_idx is None:
        return None
    end = parent.end_char_idx
    known = end is None or end - parent.start_char_idx == len(text)
    return parent.start_char_idx if known else None


def metadata_tokens(parents: Sequence[BaseNode], chunker: Chunker, overlap: int) -> list[int]:
    """Return the tokens that each parent's metadata adds to each of its nodes.

    Args:
        parents: The documents or nodes to split.
        chunker: The splitter.
        overlap: Maximum number of tokens repeated from the node before.

    Raises:
        ValueError: The metadata leaves no room for text.
    """
    limit = chunker.chunk_size
    if limit is None:
        return [0] * len(parents)
    modes = (MetadataMode.EMBED, MetadataMode.LLM)
    wrappings = [wrapping(parent, mode) for parent in parents for mode in modes]
    counts = chunker.counter.count(wrappings)
    tokens = list(map(max, counts[::2], counts[1::2]))
    most = max(tokens, default=0)
    room = limit - overlap - most
    if room < 1:
        parent = parents[tokens.index(most)]
        raise ValueError(
            f"the metadata of {parent.node_id!r} counts {most} tokens, which leaves no room "
            f"for text in nodes of chunk_size={limit} and chunk_overlap={overlap}: raise "
            "chunk_size, list long metadata in excluded_embed_metadata_keys and "
            "excluded_llm_metadata_keys, or pass include_metadata=False"
        )
    if most and room < _LITTLE_ROOM:
        logger.warning(
            "metadata counts up to %d tokens, which leaves %d for the text of a node: raise "
            "chunk_size, or exclude metadata from embedding",
            most,
            room,
        )
    return tokens


def nodes_of(
    parent: BaseNode,
    chunks: Sequence[Chunk],
    *,
    splitter: str,
    id_func: IdFuncCallable,
    headings: bool,
    verdicts: bool,
    pages: bool,
    lines: bool,
) -> list[TextNode]:
    """Return the nodes of one document or node.

    Args:
        parent: The document or node.
        chunks: Its chunks.
        splitter: The identity of the splitter that made them.
        id_func: Names the nodes; LlamaIndex's default stands for stable ids.
        headings: Whether the titles above a node are added to its metadata.
        verdicts: Whether to add how the start of a node was decided.
        pages: Whether to add the pages of a node, if they are known.
        lines: Whether to add the lines of a node, if they are known.
    """
    parent = referred_document(parent)
    text = text_of(parent)
    texts, spans = [chunk.text for chunk in chunks], [chunk.span for chunk in chunks]
    if not text:  # LlamaIndex's own parsers make one empty node of an empty text
        texts, spans = [""], [Span(0, 0)]
    name_node = id_func
    if name_node is default_id_func:
        ids = [
            chunk_id(parent.node_id, span, chunk, splitter)
            for span, chunk in zip(spans, texts, strict=True)
        ]
        name_node = partial(_nth, ids)
    nodes = build_nodes_from_splits(texts, parent, id_func=name_node)
    offset = offset_of(parent, text)
    for node, span in zip(nodes, spans, strict=True):
        if offset is not None:
            node.start_char_idx, node.end_char_idx = span.shifted(offset)
    # Without lines of its own, a node that begins further down does not know where.
    lines = lines and (offset == 0 or core.has_lines(parent.metadata))
    for node, chunk in zip(nodes, chunks, strict=False):  # an empty text has a node, no chunk
        said = chunk.metadata(headings=headings, verdict=verdicts, pages=pages, lines=lines)
        add_metadata(node, said)
    return nodes


def _nth(ids: Sequence[str], i: int, doc: BaseNode) -> str:
    del doc
    return ids[i]
