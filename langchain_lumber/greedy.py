"""The greedy splitter for LangChain."""

from __future__ import annotations

from langchain_lumber.base import SpanTextSplitter
from langchain_lumber.settings import LengthSettings
from lumber_core.chunking.greedy import GreedyChunker, GreedySettings
from lumber_core.chunking.settings import TargetSize
from lumber_core.settings import from_settings, takes


class GreedyTextSplitterSettings(GreedySettings, LengthSettings):
    """Settings of `GreedyTextSplitter`; sizes are keyword-only."""

    target_size: TargetSize = None


class GreedyTextSplitter(SpanTextSplitter):
    """Cuts at the sentence end nearest to a target length in tokens.

    `chunk_size` is a hard limit, in tokens; with `chunk_size` alone, chunks have about
    four fifths of it.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> splitter = GreedyTextSplitter(target_size=7, tokenizer="words")
        >>> splitter.split_text("One two three. Four five six. Seven eight nine.")
        ['One two three. Four five six.', 'Seven eight nine.']
    """

    @takes(GreedyTextSplitterSettings)
    def __init__(self, settings: GreedyTextSplitterSettings) -> None:
        self._set_up(from_settings(GreedyChunker, settings), settings)
