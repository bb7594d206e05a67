"""The layout splitter for LangChain."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import Never

from langchain_lumber.span_text_splitter import SpanTextSplitter
from lumber_core.chunking.layout import LayoutChunker
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec


class LayoutTextSplitter(SpanTextSplitter):
    r"""Cuts at headings, paragraphs and lines into chunks of about `target_size` tokens.

    No model is run: a megabyte takes a fraction of a second. In retrieval, its chunks are as good
    as those of `BertTextSplitter` (docs/results.md), which also finds topics.

    `chunk_overlap`, `add_start_index`, `add_metadata`, `context`, `stable_ids`, `strip_whitespace`
    and `show_progress` are those of `SpanTextSplitter`.

    Args:
        target_size: Preferred length of chunks in tokens; a heading outweighs a difference in size.
            None: 60 % of `chunk_size`.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": 256, or in
            proportion to `target_size`. None: no limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        units: Where chunks may start: at "sentences_and_lines" (also at list items, rows, headings
            and lines of code), "sentences", "paragraphs", "markdown" (paragraphs, list items,
            tables, code, a heading with the block below it, and sentences inside prose), or at the
            `(start, end)` offsets that a callable returns for a text. Chunks start elsewhere only
            inside units that exceed `chunk_size` and sentences that exceed `target_size`.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.
        length_function: LangChain's name for `tokenizer`: a function that counts tokens.
        **unknown: Any other setting raises a TypeError that names the nearest one here.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> splitter = LayoutTextSplitter(target_size=5, tokenizer="words")
        >>> splitter.split_text("Ann ran. She fell.\n\nBob sat. He slept.")
        ['Ann ran. She fell.', 'Bob sat. He slept.']
    """

    def __init__(
        self,
        *,
        target_size: int | None = None,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        units: UnitSpec = "sentences_and_lines",
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
        self._start(LayoutChunker, locals())
