"""Splitters of several packages, each as a function from a size setting to a splitter.

The null controls have the sizes but not the model: `layout` makes Bert's choice without scores,
`random` cuts at random sentences. Other packages are imported when their splitter is made.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lumber_core import BertChunker, GreedyChunker
from lumber_core.bert.scores import TokenScores, place_scores
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.text.parsed import MarkdownText, ParsedText, PlainText
from lumber_core.text.units import sentences
from lumber_core.tokens import token_counter
from lumber_evaluation.documents import Document
from lumber_evaluation.embedders import Embedder, embedder

Starts = Callable[[Document], Sequence[int]]
"""Returns where the chunks of a document start."""

OURS = "lumber-splitters"
TARGET_SHARE = 0.6  # of chunk_size, as BertChunker has it
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Peer:
    """A splitter with a size setting.

    Attributes:
        make: Makes it from the setting.
        low: A setting that gives chunks that are too short.
        high: One that gives chunks that are too long.
        distribution: What has to be installed.
    """

    make: Callable[[float], Starts]
    low: float
    high: float
    distribution: str = OURS


class Bert:
    """The cuts of BertChunker at any size, with the scores of each text computed once."""

    def __init__(self, *, model: str = "bundled", scored: bool = True) -> None:
        self._chunker = BertChunker(model, tokenizer="estimate")
        self._scored = scored
        self._known: dict[str, TokenScores] = {}

    def __call__(self, target: float) -> Starts:
        """Return the splitter with a target size."""

        def starts(document: Document) -> list[int]:
            cutter = cutter_of(document, target)
            found = cutter.places()
            t = place_scores(self._of(document.text), found.places) if self._scored else None
            return [0, *cutter.cut(found, t)]

        return starts

    def _of(self, text: str) -> TokenScores:
        if text not in self._known:
            self._known[text] = self._chunker.scores(text)
        return self._known[text]


def cutter_of(document: Document, target: float) -> Cutter:
    """Return the cutter of BertChunker for a document, with a target size."""
    size = round(target)
    limits = SizeLimits(round(size / TARGET_SHARE), None, token_counter("estimate"), size)
    return Cutter(layout_of(document), limits)


def layout_of(document: Document) -> ParsedText:
    """Return a document, read in its format."""
    source = document.to_split()
    return MarkdownText(source) if source.kind == "markdown" else PlainText(source)


def greedy(size: float) -> Starts:
    """Return the greedy splitter."""
    chunker = GreedyChunker(round(size), chunk_size=None, tokenizer="estimate")
    return lambda document: [span.start for span in chunker.segment(document.to_split()).spans]


def at_random(words: float) -> Starts:
    """Return a splitter that cuts at random sentences, so that chunks have `words` on average."""

    def starts(document: Document) -> list[int]:
        text = document.text
        places = [span.start for span in sentences(text)[1:]]
        count = min(len(places), round(len(text.split()) / words))
        return [0, *sorted(random.Random(len(text)).sample(places, count))]

    return starts


def langchain_recursive(size: float) -> Starts:
    """Return LangChain's RecursiveCharacterTextSplitter."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=round(size), chunk_overlap=0, add_start_index=True
    )
    return lambda document: [
        made.metadata["start_index"] for made in splitter.create_documents([document.text])
    ]


def langchain_markdown(size: float) -> Starts:
    """Return LangChain's MarkdownTextSplitter; plain text is split as by the recursive one."""
    from langchain_text_splitters import MarkdownTextSplitter

    splitter = MarkdownTextSplitter(chunk_size=round(size), chunk_overlap=0)
    plain = langchain_recursive(size)
    return lambda document: (
        located(document.text, splitter.split_text(document.text))
        if document.format == "markdown"
        else plain(document)
    )


def langchain_semantic(share: float) -> Starts:
    """Return LangChain's SemanticChunker, sized by its percentile."""
    from langchain_experimental.text_splitter import SemanticChunker

    splitter = SemanticChunker(Embeddings(), breakpoint_threshold_amount=min(share, 100.0))
    return lambda document: located(document.text, splitter.split_text(document.text))


def llamaindex_sentence(size: float) -> Starts:
    """Return LlamaIndex's SentenceSplitter."""
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(chunk_size=round(size), chunk_overlap=0)
    return lambda document: located(document.text, splitter.split_text(document.text))


def llamaindex_markdown(size: float) -> Starts:
    """Return LlamaIndex's MarkdownNodeParser followed by its SentenceSplitter."""
    from llama_index.core import Document as Given
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

    splitter = SentenceSplitter(chunk_size=round(size), chunk_overlap=0)

    def starts(document: Document) -> list[int]:
        sections = [document.text]
        if document.format == "markdown":
            nodes = MarkdownNodeParser().get_nodes_from_documents([Given(text=document.text)])
            sections = [node.get_content() for node in nodes]
        chunks = [chunk for section in sections for chunk in splitter.split_text(section)]
        return located(document.text, chunks)

    return starts


def llamaindex_semantic(share: float) -> Starts:
    """Return LlamaIndex's SemanticSplitterNodeParser, sized by its percentile."""
    from llama_index.core import Document as Given
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    parser = SemanticSplitterNodeParser(
        embed_model=llamaindex_embedding(),
        breakpoint_percentile_threshold=min(100, round(share)),
        sentence_splitter=lambda text: [span.of(text) for span in sentences(text)],
    )
    return lambda document: located(
        document.text,
        [
            node.get_content()
            for node in parser.get_nodes_from_documents([Given(text=document.text)])
        ],
    )


def semchunk(size: float) -> Starts:
    """Return semchunk, counting words."""
    import semchunk as package

    chunker = package.chunkerify(lambda text: len(text.split()), round(size))
    return lambda document: [start for start, _ in chunker(document.text, offsets=True)[1]]


def semantic_text_splitter(size: float) -> Starts:
    """Return semantic-text-splitter, counting characters; it has a splitter for Markdown."""
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

    plain, markdown = TextSplitter(round(size)), MarkdownSplitter(round(size))
    return lambda document: [
        start
        for start, _ in (markdown if document.format == "markdown" else plain).chunk_indices(
            document.text
        )
    ]


def chonkie_recursive(size: float) -> Starts:
    """Return chonkie's RecursiveChunker, counting characters."""
    from chonkie import RecursiveChunker

    chunker = RecursiveChunker(
        tokenizer="character", chunk_size=round(size), min_characters_per_chunk=12
    )
    return lambda document: [chunk.start_index for chunk in chunker.chunk(document.text)]


def chonkie_semantic(threshold: float) -> Starts:
    """Return chonkie's SemanticChunker, sized by its threshold, without a limit."""
    from chonkie import SemanticChunker

    chunker = SemanticChunker(chonkie_embedding(), threshold=threshold, chunk_size=1_000_000)
    return lambda document: located(
        document.text, [chunk.text for chunk in chunker.chunk(document.text)]
    )


class Embeddings:
    """The bundled embedder as the semantic splitters want one, each text embedded once."""

    known: dict[str, Vector] = {}
    kept: Embedder | None = None  # where vectors are kept between runs, if anywhere

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            made = (self.kept or embedder("bundled")).embed_documents(new)
            self.known.update(zip(new, made, strict=True))
        return [self.known[text] for text in texts]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts for LangChain."""
        return [vector.tolist() for vector in self.vectors(texts)]


def llamaindex_embedding() -> Any:
    """Return the bundled embedder as LlamaIndex wants one."""
    from llama_index.core.embeddings import BaseEmbedding

    class Embedding(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return Embeddings().embed_documents(texts)

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return Embedding(embed_batch_size=2048)


def chonkie_embedding() -> Any:
    """Return the bundled embedder as chonkie wants one."""
    from chonkie.embeddings import BaseEmbeddings

    class Embedding(BaseEmbeddings):  # type: ignore[misc]  # not installed for checks
        dimension = 384

        def embed(self, text: str) -> Vector:
            return Embeddings().vectors([text])[0]

        def embed_batch(self, texts: list[str]) -> list[Vector]:
            return Embeddings().vectors(texts)

        def get_tokenizer(self) -> str:
            return "word"

    return Embedding()


def located(text: str, chunks: Iterable[str]) -> list[int]:
    """Return where re-joined chunks start, by the visible characters before them."""
    visible = [match.start() for match in re.finditer(r"\S", text)]
    starts, passed = [], 0
    for chunk in chunks:
        length = sum(map(len, chunk.split()))
        if length and passed < len(visible):
            starts.append(visible[passed])
        passed += length
    return starts


def peers() -> dict[str, Peer]:
    """Return the splitters by name."""
    return {
        "bert": Peer(Bert(), 30, 1500),
        "layout": Peer(Bert(scored=False), 30, 1500),
        "random": Peer(at_random, 20, 1000),
        "greedy": Peer(greedy, 30, 1500),
        "langchain recursive": Peer(langchain_recursive, 100, 6000, "langchain-text-splitters"),
        "langchain markdown": Peer(langchain_markdown, 100, 6000, "langchain-text-splitters"),
        "llamaindex sentence": Peer(llamaindex_sentence, 30, 1500, "llama-index-core"),
        "llamaindex markdown": Peer(llamaindex_markdown, 30, 1500, "llama-index-core"),
        "semchunk": Peer(semchunk, 30, 1500, "semchunk"),
        "semantic-text-splitter": Peer(semantic_text_splitter, 100, 6000, "semantic-text-splitter"),
        "chonkie recursive": Peer(chonkie_recursive, 100, 6000, "chonkie"),
        "langchain semantic": Peer(langchain_semantic, 20, 100, "langchain-experimental"),
        "llamaindex semantic": Peer(llamaindex_semantic, 20, 100, "llama-index-core"),
        "chonkie semantic": Peer(chonkie_semantic, 0.999, 0.001, "chonkie"),
    }
