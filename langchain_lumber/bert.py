"""BertChunker for LangChain."""

from __future__ import annotations

from langchain_lumber.base import SpanTextSplitter
from langchain_lumber.settings import LengthSettings
from lumber_core.bert.chunker import BertChunker
from lumber_core.bert.settings import BertSettings
from lumber_core.settings import from_settings, takes


class BertTextSplitterSettings(BertSettings, LengthSettings):
    """Settings of `BertTextSplitter`."""


class BertTextSplitter(SpanTextSplitter):
    """Cuts where the bundled model predicts that a chunk starts.

    The model finds topics, far better than splitters by embedding distance; `threshold=0` cuts at
    topics alone. In retrieval, chunks are level with those of `LayoutTextSplitter`, which takes a
    fraction of the CPU time. docs/results.md has the figures.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> from langchain_core.documents import Document
        >>> splitter = BertTextSplitter(target_size=200, add_start_index=True)
        >>> splitter.split_documents([Document("Ann ran. She fell.")])
        [Document(metadata={'start_index': 0}, page_content='Ann ran. She fell.')]
    """

    @takes(BertTextSplitterSettings)
    def __init__(self, settings: BertTextSplitterSettings) -> None:
        self._set_up(from_settings(BertChunker, settings), settings)
