"""The greedy splitter for LangChain."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import Never

from langchain_lumber.span_text_splitter import SpanTextSplitter
from lumber_core.chunking.greedy import GreedyChunker
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec


class GreedyTextSplitter(SpanTextSplitter):
    """Cuts at the sentence end nearest to a target length in tokens.

    `chunk_size` is a hard limit, in tokens; if only `chunk_size` is set, chunks have about four
    fifths of it.

    `chunk_overlap`, `add_start_index`, `add_metadata`, `context`, `stable_ids`, `strip_whitespace`
    and `show_progress` are those of `SpanTextSplitter`.

    Args:
        target_size: Preferred length of chunks in tokens; at most `chunk_size`. None: in proportion
            to `chunk_size`, 400 for 512.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": 512, or more for
            a `target_size` above 400. None: no limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        units: Units that are cut only if they exceed `chunk_size`: "sentences", "paragraphs",
            "sentences_and_lines", "markdown", or a callable from a text to `(start, end)` offsets.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.
        length_function: LangChain's name for `tokenizer`: a function that counts tokens.
        **unknown: Any other setting raises a TypeError that names the nearest one here.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> splitter = GreedyTextSplitter(target_size=7, tokenizer="words")
        >>> splitter.split_text("One two three. Four five six. Seven eight nine.")
        ['One two three. Four five six.', 'Seven eight nine.']
    """

    def __init__(
        self,
        *,
        target_size: int | None = None,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        units: UnitSpec = "sentences",
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
        length_function: Callable[[str], int] | None = None,
        chunk_overlap: int = 0,
        add_start_index: bool = False,
        add_metadata: bool = False,
        context: bool = False,
        stable_ids: bool = False,
        strip_whitespace: bool = True,
        show_progress: bool = False,
        **unknown: Never,
    ) -> None:
        """Make the splitter: sizes are in tokens, and the class describes each setting."""
        self._start(GreedyChunker, locals())
