"""The layout splitter for LangChain."""

from __future__ import annotations

from langchain_lumber.base import SpanTextSplitter
from langchain_lumber.settings import LengthSettings
from lumber_core.chunking.layout import LayoutChunker, LayoutSettings
from lumber_core.chunking.settings import FreeTargetSize
from lumber_core.settings import from_settings, takes


class LayoutTextSplitterSettings(LayoutSettings, LengthSettings):
    """Settings of `LayoutTextSplitter`; sizes are keyword-only."""

    target_size: FreeTargetSize = None


class LayoutTextSplitter(SpanTextSplitter):
    r"""Cuts at headings, paragraphs and lines into chunks of about `target_size` tokens.

    No model is run: a megabyte takes a fraction of a second. In retrieval chunks are level with
    those of `BertTextSplitter` (docs/results.md). Only that one sees topics.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> splitter = LayoutTextSplitter(target_size=5, tokenizer="words")
        >>> splitter.split_text("Ann ran. She fell.\n\nBob sat. He slept.")
        ['Ann ran. She fell.', 'Bob sat. He slept.']
    """

    @takes(LayoutTextSplitterSettings)
    def __init__(self, settings: LayoutTextSplitterSettings) -> None:
        self._set_up(from_settings(LayoutChunker, settings), settings)
