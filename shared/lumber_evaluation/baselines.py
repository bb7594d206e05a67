"""Baselines: paragraphs, fixed lengths, recursive characters, and semantic chunking.

These are the baselines of the LumberChunker paper, except propositions, which need a language model
(see `llm.propositions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import numpy as np

from lumber_core.checks import check_not_negative
from lumber_core.chunking.base import Chunker, enforce_limits
from lumber_core.chunking.greedy import GreedyChunker
from lumber_core.chunking.settings import ChunkerSettings, Units
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.extras import load
from lumber_core.segmentation import Segmentation
from lumber_core.settings import Setting, shown, takes
from lumber_core.spans import Span
from lumber_core.text.parsed import ParsedText
from lumber_core.text.unicode import breaks
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec
from lumber_evaluation.embedders import Embedder
from lumber_evaluation.embedders import embedder as make_embedder
from lumber_retrieval.surroundings import unit_length

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

# Longer runs without a space may be cut: scripts without spaces, and noise.
_LONGEST_WORD = 16
_WORDS = re.compile(rf"\s*\S{{1,{_LONGEST_WORD}}}|\s+")


class UnitSettings(ChunkerSettings):
    """Settings of `UnitChunker`."""

    units: Units = field(default="paragraphs", kw_only=False)


class UnitChunker(Chunker):
    """Makes each unit of the text a chunk; units are paragraphs by default.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: A setting has the wrong type or is unknown.
    """

    @takes(UnitSettings)
    def __init__(self, settings: UnitSettings) -> None:
        super().__init__(settings, units=settings.units)

    def _segment(self, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
        units = parsed.units()
        return enforce_limits(Segmentation(tuple(units)), parsed, limits, units)


@dataclass(frozen=True, slots=True)
class Words:
    """Finds words as units, each with the white space before it; very long words are divided."""

    @property
    def identity(self) -> str:
        """What determines the words, for the identity of splitters that use them."""
        return f"words of at most {_LONGEST_WORD} characters"

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


def recursive_characters(
    chunk_size: int = 1000, *, chunk_overlap: int = 0
) -> RecursiveCharacterTextSplitter:
    """Return LangChain's splitter by characters: at blank lines, else lines, else words.

    Args:
        chunk_size: Maximum characters in a chunk.
        chunk_overlap: Maximum characters that two neighbours share.

    Raises:
        MissingExtraError: langchain-text-splitters is not installed.
    """
    module = load(
        "langchain_text_splitters", package="langchain-text-splitters", extra="evaluation"
    )
    splitter: RecursiveCharacterTextSplitter = module.RecursiveCharacterTextSplitter(
        chunk_size=chunk_size, chunk_overlap=chunk_overlap
    )
    return splitter


def _check_percentile(name: str, value: float) -> None:
    if not 0 <= value <= 100:
        raise ValueError(f"{name} must be between 0 and 100, not {value}")


class SemanticSettings(ChunkerSettings):
    """Settings of `SemanticChunker`."""

    embedder: Annotated[
        object,
        Setting('The embedding model: "bundled" or any embedder; see `embedders.embedder`.'),
    ] = field(default="bundled", kw_only=False)
    percentile: Annotated[
        float,
        Setting(
            "Cuts are made at distances above this percentile, from 0 to 100.", _check_percentile
        ),
    ] = 95.0
    buffer_size: Annotated[
        int,
        Setting("Neighbours on each side to embed together with a sentence.", check_not_negative),
    ] = 1
    units: Units = "sentences"


class SemanticChunker(Chunker):
    """Cuts between sentences that differ most in meaning, with their neighbours (Kamradt's method).

    Each sentence is embedded together with its neighbours. If the cosine distance between one
    and the next exceeds a percentile of all such distances in the text, a chunk starts.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: A setting has the wrong type or is unknown.
    """

    @takes(SemanticSettings)
    def __init__(self, settings: SemanticSettings) -> None:
        super().__init__(settings, units=settings.units)
        self.embedder: Embedder = make_embedder(settings.embedder)
        self.percentile = settings.percentile
        self.buffer_size = settings.buffer_size

    def _segment(self, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
        units = parsed.units()
        edges = [0, *self._cuts(parsed.text, units), len(units)] if units else []
        spans = tuple(
            Span(units[first].start, units[last - 1].end) for first, last in pairwise(edges)
        )
        return enforce_limits(Segmentation(spans), parsed, limits, units)

    def _cuts(self, text: str, units: Sequence[Span]) -> list[int]:
        """Return the numbers of the units that start a chunk, without the first."""
        if len(units) < 2:
            return []
        size = self.buffer_size
        last = len(units) - 1
        around = [
            text[units[max(0, n - size)].start : units[min(last, n + size)].end]
            for n in range(len(units))
        ]
        vectors = unit_length(self.embedder.embed_documents(around))
        distances = 1 - np.einsum("nd,nd->n", vectors[:-1], vectors[1:])
        limit = np.percentile(distances, self.percentile)
        return [int(n) + 1 for n in np.flatnonzero(distances > limit)]

    def _determines(self) -> dict[str, object]:
        return {**super()._determines(), "embedder": self.embedder}

    def _shown(self) -> list[str]:
        return shown(
            self._settings,
            self._declared,
            tokenizer=self._counter,
            embedder=self.embedder.identity,
        )
