"""What every splitter of this library is: a function from a text to a segmentation.

Subclasses find the spans of one text; this class checks input and keeps the size limits.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from tqdm import tqdm

from lumber_core.checks import check_text, check_texts
from lumber_core.segmentation import Segmentation
from lumber_core.size_limits import SizeLimits
from lumber_core.spans import Span
from lumber_core.tokens import TokenCounter, TokenCounterSpec, token_counter
from lumber_core.units import UnitFinder, UnitSpec, unit_finder

S = TypeVar("S", bound=Segmentation)


class Chunker(ABC):
    """Base of the splitters.

    Args:
        tokenizer: Counts tokens; see `lumber_core.tokens.token_counter`.
        units: What may not be cut: "paragraphs", "sentences", "sentences_and_lines" (a mark at
            a line's end ends a sentence, too), or a callable from a text to `(start, end)`
            offsets.
        language: ISO 639 code for finding sentences.
        chunk_size: No chunk counts more tokens. None sets no limit.
        min_chunk_size: Smaller chunks join a neighbour that has room. None sets no limit.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: An argument has the wrong type.
    """

    def __init__(
        self,
        *,
        tokenizer: TokenCounterSpec,
        units: UnitSpec,
        language: str = "en",
        chunk_size: int | None = None,
        min_chunk_size: int | None = None,
    ) -> None:
        self._counter = token_counter(tokenizer)
        self._find_units: UnitFinder = unit_finder(units, language=language)
        self._bounds = SizeLimits(chunk_size, min_chunk_size, self._counter, language)
        self._units = units

    @property
    def counter(self) -> TokenCounter:
        """What counts this splitter's tokens."""
        return self._counter

    def segment(self, text: str) -> Segmentation:
        """Split one text.

        Args:
            text: Any string; `""` gives no span.

        Returns:
            Spans that tile the text, with the verdicts behind them.

        Raises:
            TypeError: `text` is not a string.
            ChunkSizeError: A single character counts more than `chunk_size`.
        """
        check_text(text)
        return self._segment(text)

    async def asegment(self, text: str) -> Segmentation:
        """Do as `segment`, without blocking the event loop."""
        check_text(text)
        return await asyncio.to_thread(self._segment, text)

    def segment_all(
        self, texts: Iterable[str], *, show_progress: bool = False
    ) -> list[Segmentation]:
        """Split many texts.

        Args:
            texts: The texts; all are checked before the first is split.
            show_progress: Show a progress bar.

        Returns:
            One segmentation for each text, in order: each as `segment` gives it.

        Raises:
            TypeError: An item is not a string.
        """
        checked = check_texts(texts)
        return [self._segment(text) for text in tqdm(checked, disable=not show_progress)]

    async def asegment_all(
        self, texts: Iterable[str], *, show_progress: bool = False
    ) -> list[Segmentation]:
        """Do as `segment_all`, without blocking the event loop."""
        return await asyncio.to_thread(self.segment_all, texts, show_progress=show_progress)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def _shown(self) -> list[str]:
        """Return the settings that change the result, for `repr`; subclasses put theirs first."""
        shown = [f"tokenizer={self._counter!r}", f"units={self._units!r}"]
        for name in ("language", "chunk_size", "min_chunk_size"):
            value = getattr(self._bounds, name)
            if value is not None:
                shown.append(f"{name}={value!r}")
        return shown

    @abstractmethod
    def _segment(self, text: str) -> Segmentation:
        """Split a checked text."""

    def _bounded(self, text: str, segmentation: S, units: Sequence[Span]) -> S:
        """Return the segmentation with its spans cut and joined to keep the size limits."""
        spans = self._bounds.apply(text, segmentation.spans, units)
        return replace(segmentation, spans=spans)
