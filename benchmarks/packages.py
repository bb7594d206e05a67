"""Splitters of other packages, and the chunks that they return.

A package is imported when its splitter is made, so that the memory of one splitter can be measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

OURS = "lumber-splitters"
LC, LI = "langchain-text-splitters", "llama-index-core"


class Piece(NamedTuple):
    """A chunk as its framework returns it; an offset is None if the framework gives none."""

    text: str
    start: int | None
    end: int | None


def pieces_of(splitter: Any, text: str) -> list[Piece]:
    """Split a text as a pipeline of the splitter's framework does, with the framework's offsets."""
    if hasattr(splitter, "get_nodes_from_documents"):
        nodes = splitter.get_nodes_from_documents([_document("llama_index.core", text=text)])
        return [Piece(node.get_content(), node.start_char_idx, node.end_char_idx) for node in nodes]
    if hasattr(splitter, "transform_documents"):
        splitter._add_start_index = True
        document = _document("langchain_core.documents", page_content=text)
        pieces = []
        for chunk in splitter.transform_documents([document]):
            start = chunk.metadata.get("start_index")
            end = None if start is None else start + len(chunk.page_content)
            pieces.append(Piece(chunk.page_content, start, end))
        return pieces
    if hasattr(splitter, "chunk_indices"):  # semantic-text-splitter
        return [Piece(chunk, at, at + len(chunk)) for at, chunk in splitter.chunk_indices(text)]
    if hasattr(splitter, "chunk"):  # chonkie and blazechunk
        chunks = splitter.chunk(text)
        if not type(splitter).__module__.startswith("blazechunk"):
            return [Piece(chunk.text, chunk.start_index, chunk.end_index) for chunk in chunks]
        # blazechunk documents its offsets as offsets of UTF-8 bytes.
        starts = accumulate((len(character.encode()) for character in text), initial=0)
        places = {byte: place for place, byte in enumerate(starts)}
        spans = [(places.get(chunk.start_index), places.get(chunk.end_index)) for chunk in chunks]
        return [Piece(chunk.text, *span) for chunk, span in zip(chunks, spans, strict=True)]
    chunks, offsets = splitter(text, offsets=True)  # semchunk
    return [Piece(chunk, *span) for chunk, span in zip(chunks, offsets, strict=True)]


def installed_version(package: str) -> str | None:
    """Return the version of a distribution; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _document(module: str, **fields: str) -> Any:
    return import_module(module).Document(**fields)


@cache
def encoding() -> Any:
    """Return cl100k_base, from the files of llama-index-core if tiktoken has no cache."""
    use_shipped_vocabulary()
    return import_module("tiktoken").get_encoding("cl100k_base")


def use_shipped_vocabulary() -> None:
    """Let tiktoken work without a network, whoever calls it."""
    package = find_spec("llama_index.core")
    if package is not None and package.origin and "TIKTOKEN_CACHE_DIR" not in os.environ:
        folder = Path(package.origin).parent / "_static" / "tiktoken_cache"
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


def make_with(module: str, name: str, **settings: Any) -> Callable[[float], Any]:
    """Return a function that makes an instance with a `chunk_size`."""
    return lambda size: getattr(import_module(module), name)(chunk_size=round(size), **settings)


RECURSIVE = make_with("langchain_text_splitters", "RecursiveCharacterTextSplitter", chunk_overlap=0)
SENTENCES = make_with("llama_index.core.node_parser", "SentenceSplitter", chunk_overlap=0)
