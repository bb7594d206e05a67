"""The greedy splitter for LlamaIndex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llamaindex_lumber.base import SpanNodeParser, with_settings
from llamaindex_lumber.settings import ParserSettings
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.greedy import GreedyChunker, GreedySettings
from lumber_core.chunking.settings import TargetSize
from lumber_core.settings import from_settings


class GreedyNodeParserSettings(GreedySettings, ParserSettings):
    """Settings of `GreedyNodeParser`."""

    target_size: TargetSize = None


if TYPE_CHECKING:

    class _Base(SpanNodeParser, GreedyNodeParserSettings): ...

else:
    _Base = with_settings(GreedyNodeParserSettings)


class GreedyNodeParser(_Base):
    """Cuts at the sentence end nearest to a target length in tokens.

    `chunk_size` is a hard limit, in tokens; with `chunk_size` alone, nodes have about
    four fifths of it.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> parser = GreedyNodeParser(target_size=7, tokenizer="words")
        >>> parser.split_text("One two three. Four five six. Seven eight nine.")
        ['One two three. Four five six. ', 'Seven eight nine.']
    """

    def _make_chunker(self, settings: GreedySettings) -> Chunker:
        return from_settings(GreedyChunker, settings)
