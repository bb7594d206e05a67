"""Baselines: paragraphs, fixed lengths, recursive characters, and semantic chunking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lumber_core.chunking.greedy import GreedyChunker
from lumber_core.support.extras import load
from lumber_core.text.unicode import breaks
from lumber_core.text.units import paragraphs, sentences
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec
from lumber_retrieval.embedders import Embedder
from lumber_retrieval.embedders import embedder as make_embedder
from lumber_retrieval.index.vectors import unit_length

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

# Longer runs without a space may be divided: they are noise, or of a script without spaces.
_MAX_WORD_CHARACTERS = 16
_WORDS = re.compile(rf"\s*\S{{1,{_MAX_WORD_CHARACTERS}}}|\s+")


def paragraph_by_paragraph(text: str) -> list[tuple[int, int]]:
    """Return the paragraphs of a text as chunks, however long they are."""
    return [(span.start, span.end) for span in paragraphs(text)]


@dataclass(frozen=True, slots=True)
class Words:
    """Finds words as units, each with the white space before it; very long words are divided."""

    @property
    def identity(self) -> str:
        """What determines the words, for the identity of splitters that use them."""
        return f"words of at most {_MAX_WORD_CHARACTERS} characters"

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the offsets of the words of a text; they tile it."""
        start = 0
        for end in breaks(text, (match.end() for match in _WORDS.finditer(text))):
            yield start, end
            start = end


def fixed_length(
    chunk_size: int = 200, *, tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER
) -> GreedyChunker:
    """Return a splitter that cuts at the word nearest to each `chunk_size` tokens.

    Args:
        chunk_size: Length of a chunk in tokens, which are counted word by word.
        tokenizer: Counts them; see `lumber_core.tokens.token_counter`.
    """
    return GreedyChunker(chunk_size, chunk_size=None, tokenizer=tokenizer, units=Words())


def recursive_characters(chunk_size: int = 1000) -> RecursiveCharacterTextSplitter:
    """Return LangChain's splitter by characters: at blank lines, else lines, else words.

    Raises:
        MissingExtraError: langchain-text-splitters is not installed.
    """
    module = load(
        "langchain_text_splitters", package="langchain-text-splitters", extra="evaluation"
    )
    splitter: RecursiveCharacterTextSplitter = module.RecursiveCharacterTextSplitter(
        chunk_size=chunk_size, chunk_overlap=0
    )
    return splitter


class SemanticChunks:
    """Cuts between the sentences that differ most in meaning (Kamradt's method).

    Each sentence is embedded together with one neighbour on each side. A chunk starts where the
    cosine distance between neighbouring sentences exceeds a percentile of all such distances in the
    text.

    Args:
        embedder: The embedding model; see `embedders.embedder`.
        percentile: Cuts are made at distances above this percentile, from 0 to 100.

    Raises:
        ValueError: `percentile` is out of range.
    """

    def __init__(self, embedder: object = "bundled", *, percentile: float = 95.0) -> None:
        if not 0 <= percentile <= 100:
            raise ValueError(f"percentile must be between 0 and 100, not {percentile}")
        self._embedder: Embedder = make_embedder(embedder)
        self._percentile = percentile

    def __call__(self, text: str) -> list[tuple[int, int]]:
        """Return the offsets of the chunks of a text; they tile it."""
        units = list(sentences(text))
        cuts: list[int] = []
        if len(units) > 1:
            groups = zip([units[0], *units], units, [*units[1:], units[-1]], strict=False)
            around = [text[before.start : after.end] for before, _, after in groups]
            vectors = unit_length(self._embedder.embed_documents(around))
            distances = 1 - np.einsum("nd,nd->n", vectors[:-1], vectors[1:])
            limit = np.percentile(distances, self._percentile)
            cuts = [units[int(n) + 1].start for n in np.flatnonzero(distances > limit)]
        return list(pairwise([0, *cuts, len(text)])) if text else []
