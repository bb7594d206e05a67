"""What a parser reads from nodes, and what it adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode


def wrapping(node: BaseNode, mode: MetadataMode) -> str:
    """Return the text around a child node's own when it is embedded or sent to a model."""
    metadata = node.get_metadata_str(mode=mode)
    if not metadata or not isinstance(node, TextNode | Document):
        return metadata
    return node.text_template.format(content="", metadata_str=metadata)


def metadata_of(node: BaseNode) -> dict[str, Any]:
    """Return a node's metadata, with its MIME type unless that is plain text."""
    resource = getattr(node, "text_resource", None)
    kind = getattr(node if resource is None else resource, "mimetype", None)
    return node.metadata if kind in (None, "text/plain") else {"mimetype": kind, **node.metadata}


def add_metadata(node: TextNode, added: Mapping[str, str]) -> None:
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
