"""The layout splitter for LlamaIndex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llamaindex_lumber.base import SpanNodeParser, with_settings
from llamaindex_lumber.settings import ParserSettings
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.layout import LayoutChunker, LayoutSettings
from lumber_core.chunking.settings import FreeTargetSize
from lumber_core.settings import from_settings


class LayoutNodeParserSettings(LayoutSettings, ParserSettings):
    """Settings of `LayoutNodeParser`; sizes are keyword-only."""

    target_size: FreeTargetSize = None


if TYPE_CHECKING:

    class _Base(SpanNodeParser, LayoutNodeParserSettings): ...

else:
    _Base = with_settings(LayoutNodeParserSettings)


class LayoutNodeParser(_Base):
    r"""Cuts at headings, paragraphs and lines into chunks of about `target_size` tokens.

    No model is run: a megabyte takes a fraction of a second. In retrieval chunks are level with
    those of `BertNodeParser` (docs/results.md). Only that one sees topics.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> parser = LayoutNodeParser(target_size=5, tokenizer="words")
        >>> parser.split_text("Ann ran. She fell.\n\nBob sat. He slept.")
        ['Ann ran. She fell.\n\n', 'Bob sat. He slept.']
    """

    def _make_chunker(self, settings: LayoutSettings) -> Chunker:
        return from_settings(LayoutChunker, settings)
