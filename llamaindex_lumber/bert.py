"""BertChunker for LlamaIndex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llamaindex_lumber.base import SpanNodeParser, with_settings
from llamaindex_lumber.settings import ParserSettings
from lumber_core.bert.chunker import BertChunker
from lumber_core.bert.settings import BertSettings, ModelName
from lumber_core.chunking.base import Chunker
from lumber_core.settings import from_settings


class BertNodeParserSettings(BertSettings, ParserSettings):
    """Settings of `BertNodeParser`."""

    model: ModelName = "bundled"


if TYPE_CHECKING:

    class _Base(SpanNodeParser, BertNodeParserSettings): ...

else:
    _Base = with_settings(BertNodeParserSettings)


class BertNodeParser(_Base):
    """Cuts where the bundled model predicts that a chunk starts.

    The model finds topics, far better than splitters by embedding distance; `threshold=0` cuts at
    topics alone. In retrieval, chunks are level with those of `LayoutNodeParser`, which takes a
    fraction of the CPU time. docs/results.md has the figures.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> from llama_index.core import Document
        >>> parser = BertNodeParser(target_size=200)
        >>> (node,) = parser.get_nodes_from_documents([Document(text="Ann ran. She fell.")])
        >>> node.start_char_idx, node.end_char_idx
        (0, 18)
    """

    def _make_chunker(self, settings: BertSettings) -> Chunker:
        return from_settings(BertChunker, settings)
