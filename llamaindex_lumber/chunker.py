"""Any splitter of the core for LlamaIndex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llama_index.core.bridge.pydantic import field_serializer

from llamaindex_lumber.base import SpanNodeParser, with_settings
from llamaindex_lumber.settings import ParserSettings
from lumber_core.chunking.base import Chunker, CoreSplitter


class ChunkerNodeParserSettings(ParserSettings):
    """Settings of `ChunkerNodeParser`."""

    splitter: CoreSplitter


if TYPE_CHECKING:

    class _Base(SpanNodeParser, ChunkerNodeParserSettings): ...

else:
    _Base = with_settings(ChunkerNodeParserSettings)


class ChunkerNodeParser(_Base):
    """Cuts with any splitter of `lumber_core`, such as one of your own.

    What LlamaIndex serialises, and uses as a cache key, is the splitter's identity, so `from_dict`
    needs the splitter again: `ChunkerNodeParser.from_dict(data, splitter=...)`.

    Raises:
        ValueError: `chunk_overlap` is not below the splitter's `chunk_size`.
        TypeError: `splitter` is not a `Chunker`, or a setting is unknown.

    Example:
        >>> from lumber_core import GreedyChunker
        >>> ChunkerNodeParser(splitter=GreedyChunker(200)).split_text("Ann ran. She fell.")
        ['Ann ran. She fell.']
    """

    @field_serializer("splitter", check_fields=False)
    def _serialised(self, splitter: Chunker) -> str:
        """Return what determines the chunks."""
        return splitter.identity

    def _make_chunker(self, settings: ChunkerNodeParserSettings) -> Chunker:
        return settings.splitter
