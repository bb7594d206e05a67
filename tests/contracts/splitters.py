"""Every splitter and every adapter, behind one shape, for the contract tests.

A new splitter joins the whole suite by an entry in `CHUNKERS` and one in each adapter's table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument

from langchain_lumber import GreedyTextSplitter, LumberTextSplitter
from langchain_lumber.base import SpanTextSplitter
from llamaindex_lumber import GreedyNodeParser, LumberNodeParser
from llamaindex_lumber.base import SpanNodeParser
from lumber_core import Chunker, GreedyChunker, Group, LexicalJudge, LumberChunker


def second_unit(group: Group) -> int | None:
    """Judge that the second unit of every group starts new content."""
    return group.start + 1


def never(group: Group) -> int | None:
    """Judge that content never changes."""
    return None


CHUNKERS: dict[str, Callable[..., Chunker]] = {
    "greedy": lambda **options: GreedyChunker(30, **options),
    "greedy by paragraphs": lambda **options: GreedyChunker(30, units="paragraphs", **options),
    "greedy by words": lambda **options: GreedyChunker(30, **{"tokenizer": "words", **options}),
    "lumber by word use": lambda **options: LumberChunker(LexicalJudge(), theta=60, **options),
    "lumber by sentences": lambda **options: LumberChunker(
        second_unit, theta=60, units="sentences", **options
    ),
    "lumber, never a shift": lambda **options: LumberChunker(never, theta=60, **options),
    "lumber as published": lambda **options: LumberChunker.as_published(
        second_unit, theta=60, **{k: v for k, v in options.items() if k != "tokenizer"}
    ),
}

TEXT_SPLITTERS: dict[str, Callable[..., SpanTextSplitter]] = {
    "greedy": lambda **options: GreedyTextSplitter(30, **options),
    "lumber": lambda **options: LumberTextSplitter(theta=60, **options),
}

NODE_PARSERS: dict[str, Callable[..., SpanNodeParser]] = {
    "greedy": lambda **options: GreedyNodeParser(chunk_size=30, **options),
    "lumber": lambda **options: LumberNodeParser(theta=60, **options),
}

SAME_IN_BOTH: dict[str, Callable[..., Chunker]] = {
    "greedy": CHUNKERS["greedy"],
    "lumber": CHUNKERS["lumber by word use"],
}
"""The core splitter that each pair of adapters stands on."""


def documents(splitter: SpanTextSplitter, text: str, **metadata: Any) -> list[LangChainDocument]:
    """Split a text through LangChain."""
    return splitter.split_documents([LangChainDocument(page_content=text, metadata=metadata)])


def nodes(parser: SpanNodeParser, text: str, **metadata: Any) -> list[Any]:
    """Split a text through LlamaIndex."""
    return parser.get_nodes_from_documents([LlamaIndexDocument(text=text, metadata=metadata)])
