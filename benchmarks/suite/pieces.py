"""The chunks of any splitter, with their offsets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as its framework returns it; an offset is None if the framework gives none."""

    text: str
    start: int | None
    end: int | None


def pieces_with(splitter: Any) -> Callable[[str], list[Piece]]:
    """Return a function that splits a text as a pipeline of the splitter's framework does.

    Args:
        splitter: A LangChain text splitter, a LlamaIndex node parser or a chonkie chunker.
    """
    if hasattr(splitter, "get_nodes_from_documents"):
        return lambda text: _from_llama_index(splitter, text)
    if hasattr(splitter, "transform_documents"):
        return lambda text: _from_langchain(splitter, text)
    return lambda text: [
        Piece(chunk.text, chunk.start_index, chunk.end_index) for chunk in splitter.chunk(text)
    ]


def _from_langchain(splitter: Any, text: str) -> list[Piece]:
    kind = import_module("langchain_core.documents").Document
    splitter._add_start_index = True
    pieces = []
    for document in splitter.transform_documents([kind(page_content=text)]):
        start = document.metadata.get("start_index")
        end = None if start is None else start + len(document.page_content)
        pieces.append(Piece(document.page_content, start, end))
    return pieces


def _from_llama_index(parser: Any, text: str) -> list[Piece]:
    kind = import_module("llama_index.core").Document
    nodes = parser.get_nodes_from_documents([kind(text=text)])
    return [Piece(node.get_content(), node.start_char_idx, node.end_char_idx) for node in nodes]
