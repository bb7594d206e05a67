"""The splitters that are measured: each with its maker's defaults and the same limit.

The limit is 256 tokens of cl100k_base, or 1024 characters for those that count no tokens. Nothing
overlaps. Semantic splitters share one embedding model, the bundled all-MiniLM-L6-v2.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from benchmarks.suite.pieces import Piece, pieces_with

TOKENS, CHARACTERS = 256, 1024

Split = Callable[[str], object]
Pieces = Callable[[str], Sequence[Piece]]
Unit = Literal["tokens", "characters", "no limit"]


@dataclass(frozen=True)
class Contestant:
    """A splitter that is ready to run.

    Attributes:
        split: The call that gives chunks, which is timed.
        pieces: A call that gives chunks with offsets, where there are any.
    """

    split: Split
    pieces: Pieces


@dataclass(frozen=True)
class Entry:
    """A splitter as the benchmark lists it.

    Attributes:
        name: Its name in tables.
        package: The distribution it comes from.
        make: Makes it, importing what it needs.
        unit: What its limit counts.
        model: Whether it runs a neural model, which takes far longer.
    """

    name: str
    package: str
    make: Callable[[], Contestant]
    unit: Unit = "tokens"
    model: bool = False


def limit_of(entry: Entry) -> tuple[Callable[[str], int], int] | None:
    """Return how to count a chunk and the most it may count; None if it has no limit."""
    if entry.unit == "characters":
        return len, CHARACTERS
    if entry.unit == "no limit":
        return None
    encode = encoding().encode_ordinary
    return lambda text: len(encode(text)), TOKENS


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


def _langchain(module: str, name: str, *arguments: Any, **settings: Any) -> Contestant:
    splitter = getattr(import_module(module), name)(*arguments, **settings)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _recursive_by_tokens() -> Contestant:
    kind = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter
    splitter = kind.from_tiktoken_encoder("cl100k_base", chunk_size=TOKENS, chunk_overlap=0)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _langchain_semantic() -> Contestant:
    kind = import_module("langchain_experimental.text_splitter").SemanticChunker
    embeddings = import_module("langchain_lumber").LumberEmbeddings()
    splitter = kind(embeddings)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _llama_sentences() -> Contestant:
    kind = import_module("llama_index.core.node_parser").SentenceSplitter
    splitter = kind(chunk_size=TOKENS, chunk_overlap=0)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _llama_semantic() -> Contestant:
    kind = import_module("llama_index.core.node_parser").SemanticSplitterNodeParser
    embedding = import_module("llamaindex_lumber").LumberEmbedding()
    split = pieces_with(kind.from_defaults(embed_model=embedding))
    return Contestant(split, split)


def _chonkie(name: str, **settings: Any) -> Contestant:
    splitter = getattr(import_module("chonkie"), name)(
        tokenizer=encoding(), chunk_size=TOKENS, **settings
    )
    return Contestant(splitter.chunk, pieces_with(splitter))


def _semchunk() -> Contestant:
    chunker = import_module("semchunk").chunkerify(encoding(), TOKENS)

    def pieces(text: str) -> list[Piece]:
        chunks, offsets = chunker(text, offsets=True)
        return [Piece(one, *at) for one, at in zip(chunks, offsets, strict=True)]

    return Contestant(chunker, pieces)


def _semantic_text_splitter() -> Contestant:
    kind = import_module("semantic_text_splitter").TextSplitter
    splitter = kind.from_tiktoken_model("gpt-4", TOKENS)

    def pieces(text: str) -> list[Piece]:
        return [Piece(one, at, at + len(one)) for at, one in splitter.chunk_indices(text)]

    return Contestant(splitter.chunks, pieces)


def _blazechunk(name: str) -> Contestant:
    splitter = getattr(import_module("blazechunk"), name)(chunk_size=CHARACTERS)

    def pieces(text: str) -> list[Piece]:
        """Turn the offsets, which are documented as those of UTF-8 bytes, into characters."""
        starts = [0, *accumulate(len(character.encode()) for character in text)]
        number = {byte: index for index, byte in enumerate(starts)}
        return [
            Piece(one.text, number.get(one.start_index), number.get(one.end_index))
            for one in splitter.chunk(text)
        ]

    return Contestant(splitter.chunk, pieces)


def _own(name: str, **settings: Any) -> Contestant:
    return _langchain("langchain_lumber", name, chunk_size=TOKENS, **settings)


LC, LI = "langchain-text-splitters", "llama-index-core"
OURS = "lumber-splitters"
BASE = "langchain Recursive, tokens"

ENTRIES: tuple[Entry, ...] = (
    Entry("greedy", OURS, lambda: _own("GreedyTextSplitter", tokenizer="cl100k_base")),
    Entry("greedy, default counter", OURS, lambda: _own("GreedyTextSplitter")),
    Entry("layout", OURS, lambda: _own("LayoutTextSplitter", tokenizer="cl100k_base")),
    Entry("layout, default counter", OURS, lambda: _own("LayoutTextSplitter")),
    Entry(BASE, LC, _recursive_by_tokens),
    Entry(
        "langchain Recursive, characters",
        LC,
        lambda: _langchain(
            "langchain_text_splitters",
            "RecursiveCharacterTextSplitter",
            chunk_size=CHARACTERS,
            chunk_overlap=0,
        ),
        unit="characters",
    ),
    Entry(
        "langchain Token",
        LC,
        lambda: _langchain(
            "langchain_text_splitters",
            "TokenTextSplitter",
            "cl100k_base",
            chunk_size=TOKENS,
            chunk_overlap=0,
        ),
    ),
    Entry("llama-index Sentence", LI, _llama_sentences),
    Entry("chonkie Token", "chonkie", lambda: _chonkie("TokenChunker")),
    Entry("chonkie Sentence", "chonkie", lambda: _chonkie("SentenceChunker")),
    Entry("chonkie Recursive", "chonkie", lambda: _chonkie("RecursiveChunker")),
    Entry("semchunk", "semchunk", _semchunk),
    Entry("semantic-text-splitter", "semantic-text-splitter", _semantic_text_splitter),
    Entry(
        "blazechunk Recursive",
        "blazechunk",
        lambda: _blazechunk("RecursiveChunker"),
        unit="characters",
    ),
    Entry(
        "blazechunk Sentence",
        "blazechunk",
        lambda: _blazechunk("SentenceChunker"),
        unit="characters",
    ),
    Entry("bert", OURS, lambda: _own("BertTextSplitter", tokenizer="cl100k_base"), model=True),
    Entry(
        "bert, large",
        OURS,
        lambda: _own("BertTextSplitter", model="large", tokenizer="cl100k_base"),
        model=True,
    ),
    Entry(
        "lumber, offline",
        OURS,
        lambda: _own("LumberTextSplitter", tokenizer="cl100k_base"),
        model=True,
    ),
    Entry(
        "langchain Semantic",
        "langchain-experimental",
        _langchain_semantic,
        unit="no limit",
        model=True,
    ),
    Entry("llama-index Semantic", LI, _llama_semantic, unit="no limit", model=True),
)


def entry(name: str) -> Entry:
    """Return a splitter by its name."""
    return next(one for one in ENTRIES if one.name == name)
