"""Any splitter of the core for LlamaIndex."""

from __future__ import annotations

from llama_index.core.bridge.pydantic import field_serializer

from llamaindex_lumber.fields import Named
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core.chunking.chunker import Chunker, check_chunker


class ChunkerNodeParser(SpanNodeParser):
    """Cuts with any splitter of `lumber_core`, such as one of your own.

    LlamaIndex serialises only the splitter's identity, and uses it as a cache key. So `from_dict`
    needs the splitter again: `ChunkerNodeParser.from_dict(data, splitter=...)`.

    Raises:
        ValueError: `chunk_overlap` is not below the splitter's `chunk_size`.
        TypeError: `splitter` is not a `Chunker`, or a setting is unknown.

    Example:
        >>> from lumber_core import GreedyChunker
        >>> ChunkerNodeParser(splitter=GreedyChunker(200)).split_text("Ann ran. She fell.")
        ['Ann ran. She fell.']
    """

    splitter: Named
    """The splitter of `lumber_core` that finds the spans."""

    @field_serializer("splitter")
    def _serialise(self, splitter: Chunker) -> str:
        return splitter.identity

    def _make_chunker(self) -> Chunker:
        return check_chunker("splitter", self.splitter)
