"""The greedy splitter for LangChain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langchain_lumber.base import SpanTextSplitter, choose_tokenizer
from lumber_core.greedy import GreedyChunker
from lumber_core.tokens import TokenCounterSpec
from lumber_core.units import UnitSpec


class GreedyTextSplitter(SpanTextSplitter):
    """Cuts at the sentence end whose distance in tokens is nearest to a wanted length.

    Args:
        target_size: Wanted length of a chunk in tokens.
        tokenizer: Counts tokens, "cl100k_base" unless given; see `lumber_core.GreedyChunker`.
        length_function: The same under LangChain's name: a function from a string to a number.
        units: Where a cut may fall: "sentences", "paragraphs", or a callable from a text to
            `(start, end)` offsets.
        end_markers: Explicit ends of sentences written in the text; see the core class.
        language: ISO 639 code for finding sentences.
        chunk_size: No chunk counts more tokens. None sets no limit.
        min_chunk_size: Smaller chunks join a neighbour that has room. None sets no limit.
        add_start_index: Put the chunk's offset in characters into `metadata["start_index"]`.
        strip_whitespace: Trim white space at both ends of a chunk.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: An argument has the wrong type.
    """

    def __init__(
        self,
        target_size: int = 400,
        *,
        tokenizer: TokenCounterSpec | None = None,
        length_function: Callable[[str], int] | None = None,
        units: UnitSpec = "sentences",
        end_markers: Sequence[str] = (),
        language: str = "en",
        chunk_size: int | None = None,
        min_chunk_size: int | None = None,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
    ) -> None:
        chunker = GreedyChunker(
            target_size,
            tokenizer=choose_tokenizer(tokenizer, length_function, "cl100k_base"),
            units=units,
            end_markers=end_markers,
            language=language,
            chunk_size=chunk_size,
            min_chunk_size=min_chunk_size,
        )
        super().__init__(
            chunker, add_start_index=add_start_index, strip_whitespace=strip_whitespace
        )
