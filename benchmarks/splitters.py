"""The splitters that benchmarks measure: this project's, and those of other packages.

Each splitter is made from a size in its own unit. Other packages are imported when their splitter
is made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any

from benchmarks.embedding import Bundled, for_llamaindex
from benchmarks.packages import LC, LI, OURS, RECURSIVE, SENTENCES
from lumber_core import BertChunker, GreedyChunker, LayoutChunker
from lumber_core.spans import Span
from lumber_core.text.units import sentences
from lumber_evaluation.dataset import Corpus
from lumber_evaluation.splitters import wrap_splitter

_TARGET_SHARE = 0.6  # of chunk_size, the default of Bert and Layout


@dataclass(frozen=True)
class Peer:
    """A splitter with a size setting, from which it is made."""

    make: Callable[[float], Any]
    low: float  # a setting with which chunks are too short
    high: float  # a setting with which chunks are too long
    package: str = OURS  # the distribution to install
    # Makes a splitter for Markdown, if the package has one.
    markdown: Callable[[float], Any] | None = None


def _lumber(chunker: Callable[..., Any]) -> Callable[[float], Any]:
    def make(size: float) -> Any:
        target = round(size)
        limit = round(target / _TARGET_SHARE)
        return chunker(target_size=target, chunk_size=limit, tokenizer="estimate")

    return make


def at_random(words: float) -> Callable[[str], list[tuple[int, int]]]:
    """Return a splitter that cuts at random sentences, so that chunks have `words` on average."""

    def split(text: str) -> list[tuple[int, int]]:
        places = [span.start for span in sentences(text)[1:]]
        count = min(len(places), round(len(text.split()) / words))
        cuts = sorted(random.Random(len(text)).sample(places, count))
        return [bounds for bounds in pairwise([0, *cuts, len(text)]) if bounds[0] < bounds[1]]

    return split


def sections_of_markdown(size: float) -> Callable[[str], list[str]]:
    """Return LlamaIndex's MarkdownNodeParser followed by its SentenceSplitter."""
    parsers = import_module("llama_index.core.node_parser")
    splitter = parsers.SentenceSplitter(chunk_size=round(size), chunk_overlap=0)

    def split(text: str) -> list[str]:
        document = import_module("llama_index.core").Document(text=text)
        nodes = parsers.MarkdownNodeParser().get_nodes_from_documents([document])
        return [chunk for node in nodes for chunk in splitter.split_text(node.get_content())]

    return split


def langchain_semantic(share: float = 95) -> Any:
    """Return LangChain's SemanticChunker, which cuts above a percentile of the distances."""
    kind = import_module("langchain_experimental.text_splitter").SemanticChunker
    return kind(Bundled(), breakpoint_threshold_amount=min(share, 100.0))


def llamaindex_semantic(share: float = 95) -> Any:
    """Return LlamaIndex's SemanticSplitterNodeParser; its own sentences need a download."""
    return import_module("llama_index.core.node_parser").SemanticSplitterNodeParser(
        embed_model=for_llamaindex(),
        breakpoint_percentile_threshold=min(100, round(share)),
        sentence_splitter=lambda text: [span.of(text) for span in sentences(text)],
    )


def _semchunk(size: float) -> Any:
    chunker = import_module("semchunk").chunkerify(lambda text: len(text.split()), round(size))
    return lambda text: chunker(text)


def _semantic_text_splitter(name: str) -> Callable[[float], Any]:
    return lambda size: getattr(import_module("semantic_text_splitter"), name)(round(size)).chunks


PEERS: dict[str, Peer] = {
    "bert": Peer(_lumber(BertChunker), 30, 1500),
    "layout": Peer(_lumber(LayoutChunker), 30, 1500),
    "random": Peer(at_random, 20, 1000),
    "greedy": Peer(
        lambda size: GreedyChunker(round(size), chunk_size=None, tokenizer="estimate"), 30, 1500
    ),
    "langchain recursive": Peer(RECURSIVE, 100, 6000, LC),
    "llamaindex sentence": Peer(SENTENCES, 30, 1500, LI),
    "llamaindex markdown": Peer(SENTENCES, 30, 1500, LI, sections_of_markdown),
    "semchunk": Peer(_semchunk, 30, 1500, "semchunk"),
    "semantic-text-splitter": Peer(
        _semantic_text_splitter("TextSplitter"),
        100,
        6000,
        "semantic-text-splitter",
        _semantic_text_splitter("MarkdownSplitter"),
    ),
    "langchain semantic": Peer(langchain_semantic, 20, 100, "langchain-experimental"),
    "llamaindex semantic": Peer(llamaindex_semantic, 20, 100, LI),
}
"""Splitters by name, whose sizes can be compared."""


def split(corpus: Corpus, peer: Peer, setting: float) -> list[list[Span]]:
    """Return the chunks of each document, without white space around them."""
    spans_by_document = []
    for document in corpus.documents:
        make = (peer.markdown or peer.make) if document.format == "markdown" else peer.make
        chunks = wrap_splitter(make(setting)).split(document).chunks
        spans = (chunk.span.strip(document.text) for chunk in chunks)
        spans_by_document.append([span for span in spans if span.start < span.end])
    return spans_by_document


def resize(corpus: Corpus, peer: Peer, words: int) -> list[list[Span]]:
    """Split a corpus with the setting that comes nearest to `words` a chunk."""
    total = sum(len(document.text.split()) for document in corpus.documents)
    low, high = peer.low, peer.high
    best: Sequence[list[Span]] = []
    nearest = float("inf")
    for _ in range(11):
        setting = (low + high) / 2
        spans = split(corpus, peer, setting)
        mean = total / sum(map(len, spans))
        if abs(mean - words) < nearest:
            nearest, best = abs(mean - words), spans
        if nearest < 0.01 * words:
            break
        low, high = (setting, high) if mean < words else (low, setting)
    return [*best]
