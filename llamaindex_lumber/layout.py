"""The layout splitter for LlamaIndex."""

from __future__ import annotations

from llamaindex_lumber.fields import Named
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.layout import LayoutChunker
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.tokens import DEFAULT_TOKENIZER


class LayoutNodeParser(SpanNodeParser):
    r"""Cuts at headings, paragraphs and lines into chunks of about `target_size` tokens.

    No model is run: a megabyte takes a fraction of a second. In retrieval, its chunks are as good
    as those of `BertNodeParser` (docs/results.md), which also finds topics.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> parser = LayoutNodeParser(target_size=5, tokenizer="words")
        >>> parser.split_text("Ann ran. She fell.\n\nBob sat. He slept.")
        ['Ann ran. She fell.\n\n', 'Bob sat. He slept.']
    """

    target_size: int | None = None
    """Preferred length of chunks in tokens; a heading outweighs a difference in size. None: 60 % of
    `chunk_size`."""

    chunk_size: ChunkSize = "auto"
    """Maximum tokens in a chunk, for any text: a hard limit. "auto": 256, or in proportion to
    `target_size`. None: no limit."""

    min_chunk_size: int | None = None
    """Minimum tokens in a chunk: smaller ones are merged with a neighbour that has room. None: no
    limit."""

    units: Named = "sentences_and_lines"
    """Where chunks may start: at "sentences_and_lines" (also at list items, rows, headings and
    lines of code), "sentences", "paragraphs", "markdown" (paragraphs, list items, tables, code,
    a heading with the block below it, and sentences inside prose), or at the `(start, end)`
    offsets that a callable returns for a text. Chunks start elsewhere only inside units that
    exceed `chunk_size` and sentences that exceed `target_size`."""

    merge_sections: bool = True
    """Whether a chunk of Markdown may hold the text of several sections."""

    tokenizer: Named = DEFAULT_TOKENIZER
    """Counts tokens; see `Chunker`."""

    language: str = "en"
    """ISO 639 code of the language, such as "en", to find sentences."""

    def _make_chunker(self) -> Chunker:
        return self._build(LayoutChunker)
