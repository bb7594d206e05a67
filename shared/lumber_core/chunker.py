"""What every splitter of this library is: a function from a text to a segmentation.

Subclasses find the spans of one text; this class checks input, keeps the size limits, and runs
many texts at once.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import ClassVar, TypeVar

from tqdm import tqdm

from lumber_core.bounds import ChunkBounds
from lumber_core.checks import check_positive, check_text, check_texts
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.tokens import TokenCounter, TokenCounterSpec, token_counter
from lumber_core.units import UnitFinder, UnitSpec, unit_finder

S = TypeVar("S", bound=Segmentation)


class Chunker(ABC):
    """Base of the splitters.

    Args:
        tokenizer: Counts tokens; see `lumber_core.tokens.token_counter`.
        units: What may not be cut: "paragraphs", "sentences", or a callable from a text to
            `(start, end)` offsets.
        language: ISO 639 code for finding sentences.
        max_chunk_tokens: No chunk counts more tokens. None sets no limit.
        min_chunk_tokens: Smaller chunks join a neighbour that has room. None sets no limit.
        max_concurrency: Texts worked on at once by `segment_all` and `asegment_all`.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: An argument has the wrong type.
    """

    _waits: ClassVar[bool] = False
    """Whether splitting waits for something else, so that threads help."""

    def __init__(
        self,
        *,
        tokenizer: TokenCounterSpec,
        units: UnitSpec,
        language: str = "en",
        max_chunk_tokens: int | None = None,
        min_chunk_tokens: int | None = None,
        max_concurrency: int = 8,
    ) -> None:
        check_positive("max_concurrency", max_concurrency)
        self._counter = token_counter(tokenizer)
        self._find_units: UnitFinder = unit_finder(units, language=language)
        self._bounds = ChunkBounds(max_chunk_tokens, min_chunk_tokens, self._counter, language)
        self._max_concurrency = max_concurrency
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
            BoundError: A single character counts more than `max_chunk_tokens`.
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
        """Split many texts, up to `max_concurrency` at once.

        Args:
            texts: The texts; all are checked before the first is split.
            show_progress: Show a progress bar that counts texts.

        Returns:
            One segmentation for each text, in order: each as `segment` gives it.

        Raises:
            TypeError: An item is not a string.
        """
        checked = check_texts(texts)
        with tqdm(total=len(checked), disable=not show_progress, unit="text") as progress:

            def one(text: str) -> Segmentation:
                result = self._segment(text)
                progress.update()
                return result

            if len(checked) < 2 or self._max_concurrency == 1 or not self._waits:
                return [one(text) for text in checked]
            return _in_threads(one, checked, self._max_concurrency)

    async def asegment_all(
        self, texts: Iterable[str], *, show_progress: bool = False
    ) -> list[Segmentation]:
        """Do as `segment_all`, without blocking the event loop."""
        checked = check_texts(texts)
        free = asyncio.Semaphore(self._max_concurrency)
        with tqdm(total=len(checked), disable=not show_progress, unit="text") as progress:

            async def one(text: str) -> Segmentation:
                async with free:
                    result = await self.asegment(text)
                progress.update()
                return result

            tasks = [asyncio.ensure_future(one(text)) for text in checked]
            try:
                return list(await asyncio.gather(*tasks))
            except BaseException:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                raise

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def _shown(self) -> list[str]:
        """Return the settings that change the result, for `repr`; subclasses put theirs first."""
        shown = [f"tokenizer={self._counter!r}", f"units={self._units!r}"]
        for name in ("language", "max_chunk_tokens", "min_chunk_tokens"):
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


T = TypeVar("T")
R = TypeVar("R")


def _in_threads(function: Callable[[T], R], items: Sequence[T], workers: int) -> list[R]:
    """Map in threads; the first error cancels what has not begun and is raised."""
    with ThreadPoolExecutor(min(workers, len(items))) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise
