"""The greedy splitter for LlamaIndex."""

from __future__ import annotations

from llamaindex_lumber.fields import Named
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.greedy import GreedyChunker
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.tokens import DEFAULT_TOKENIZER


class GreedyNodeParser(SpanNodeParser):
    """Cuts at the sentence end nearest to a target length in tokens.

    `chunk_size` is a hard limit, in tokens; if only `chunk_size` is set, nodes have about four
    fifths of it.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> parser = GreedyNodeParser(target_size=7, tokenizer="words")
        >>> parser.split_text("One two three. Four five six. Seven eight nine.")
        ['One two three. Four five six. ', 'Seven eight nine.']
    """

    target_size: int | None = None
    """Preferred length of chunks in tokens; at most `chunk_size`. None: in proportion to
    `chunk_size`, 400 for 512."""

    chunk_size: ChunkSize = "auto"
    """Maximum tokens in a chunk, for any text: a hard limit. "auto": 512, or more for a
    `target_size` above 400. None: no limit."""

    min_chunk_size: int | None = None
    """Minimum tokens in a chunk: smaller ones are merged with a neighbour that has room. None: no
    limit."""

    units: Named = "sentences"
    """Units that are cut only if they exceed `chunk_size`: "sentences", "paragraphs",
    "sentences_and_lines", "markdown", or a callable from a text to `(start, end)` offsets."""

    merge_sections: bool = True
    """Whether a chunk of Markdown may hold the text of several sections."""

    tokenizer: Named = DEFAULT_TOKENIZER
    """Counts tokens; see `Chunker`."""

    language: str = "en"
    """ISO 639 code of the language, such as "en", to find sentences."""

    def _make_chunker(self) -> Chunker:
        return self._build(GreedyChunker)
