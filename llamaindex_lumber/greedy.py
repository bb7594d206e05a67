"""The greedy splitter for LlamaIndex."""

from __future__ import annotations

from llama_index.core.bridge.pydantic import Field

from llamaindex_lumber.base import Named, SpanNodeParser
from lumber_core.chunker import Chunker
from lumber_core.greedy import GreedyChunker


class GreedyNodeParser(SpanNodeParser):
    """Cuts at the sentence end whose distance in tokens is nearest to a wanted length.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: A setting has the wrong type.
    """

    target_size: int = Field(default=400, description="Wanted length of a node in tokens.")
    tokenizer: Named = Field(
        default="cl100k_base",
        description="Counts tokens; see lumber_core.tokens.token_counter.",
    )
    units: Named = Field(
        default="sentences",
        description='Where a cut may fall: "sentences", "paragraphs", or a callable that finds '
        "(start, end) offsets.",
    )
    end_markers: tuple[str, ...] = Field(
        default=(), description="Explicit ends of sentences written in the text."
    )

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the parser."""
        return "GreedyNodeParser"

    def _make_chunker(self) -> Chunker:
        return GreedyChunker(
            self.target_size,
            tokenizer=self.tokenizer,
            units=self.units,
            end_markers=self.end_markers,
            language=self.language,
            chunk_size=self.chunk_size,
            min_chunk_size=self.min_chunk_size,
        )
