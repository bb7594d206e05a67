"""The splitters whose speed is measured: each with its maker's defaults and the same limit.

The limit is 256 tokens of cl100k_base, or 1024 characters for those that count no tokens. Nothing
overlaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Literal

from benchmarks.packages import LC, LI, OURS, RECURSIVE, SENTENCES, encoding, make_with, pieces_of

TOKENS, CHARACTERS = 256, 1024
BASE = "langchain Recursive, tokens"

Split = Callable[[str], object]
"""The call that gives chunks, which is timed."""


@dataclass(frozen=True)
class Entry:
    """A splitter as the benchmark lists it."""

    name: str  # in tables
    package: str  # the distribution it comes from
    make: Callable[[], Any]  # imports what it needs
    unit: Literal["tokens", "characters"] = "tokens"  # of its limit
    model: bool = False  # whether it runs a neural model, which takes far longer


def split_of(splitter: Any) -> Split:
    """Return the call that splits a text with any of these splitters."""
    if hasattr(splitter, "get_nodes_from_documents"):
        return partial(pieces_of, splitter)
    names = ("split_text", "chunks", "chunk")  # of LangChain, semantic-text-splitter, chonkie
    method = next((name for name in names if hasattr(splitter, name)), "__call__")
    split: Split = getattr(splitter, method)
    return split


def limit_of(entry: Entry) -> tuple[Callable[[str], int], int]:
    """Return a function that counts a chunk, and the maximum count."""
    if entry.unit == "characters":
        return len, CHARACTERS
    encode = encoding().encode_ordinary
    return lambda text: len(encode(text)), TOKENS


def _recursive_by_tokens() -> Any:
    kind = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter
    return kind.from_tiktoken_encoder("cl100k_base", chunk_size=TOKENS, chunk_overlap=0)


def _chonkie() -> Any:
    return import_module("chonkie").RecursiveChunker(tokenizer=encoding(), chunk_size=TOKENS)


def _semchunk() -> Any:
    return import_module("semchunk").chunkerify(encoding(), TOKENS)


def _semantic_text_splitter() -> Any:
    kind = import_module("semantic_text_splitter").TextSplitter
    return kind.from_tiktoken_model("gpt-4", TOKENS)


def _blazechunk() -> Any:
    return import_module("blazechunk").RecursiveChunker(chunk_size=CHARACTERS)


def _own(name: str, **settings: Any) -> Callable[[], Any]:
    return partial(make_with("langchain_lumber", name, **settings), TOKENS)


_tokens_of_langchain = make_with(
    "langchain_text_splitters", "TokenTextSplitter", encoding_name="cl100k_base", chunk_overlap=0
)

ENTRIES: tuple[Entry, ...] = (
    Entry("greedy", OURS, _own("GreedyTextSplitter", tokenizer="cl100k_base")),
    Entry("greedy, default counter", OURS, _own("GreedyTextSplitter")),
    Entry("layout", OURS, _own("LayoutTextSplitter", tokenizer="cl100k_base")),
    Entry("layout, default counter", OURS, _own("LayoutTextSplitter")),
    Entry(BASE, LC, _recursive_by_tokens),
    Entry("langchain Recursive, characters", LC, lambda: RECURSIVE(CHARACTERS), unit="characters"),
    Entry("langchain Token", LC, lambda: _tokens_of_langchain(TOKENS)),
    Entry("llama-index Sentence", LI, lambda: SENTENCES(TOKENS)),
    Entry("chonkie Recursive", "chonkie", _chonkie),
    Entry("semchunk", "semchunk", _semchunk),
    Entry("semantic-text-splitter", "semantic-text-splitter", _semantic_text_splitter),
    Entry("blazechunk Recursive", "blazechunk", _blazechunk, "characters"),
    Entry("bert", OURS, _own("BertTextSplitter", tokenizer="cl100k_base"), model=True),
    Entry(
        "bert, large",
        OURS,
        _own("BertTextSplitter", model="large", tokenizer="cl100k_base"),
        model=True,
    ),
)


def entry(name: str) -> Entry:
    """Return a splitter by its name."""
    return next(candidate for candidate in ENTRIES if candidate.name == name)
