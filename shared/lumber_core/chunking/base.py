"""The base class of all splitters: a function from a text to a segmentation.

Subclasses find the spans of one text; this class checks arguments and enforces the size limits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from tqdm import tqdm

from lumber_core.checks import check_text, check_texts
from lumber_core.chunk_view import ChunkView
from lumber_core.chunking.overlap import overlapping
from lumber_core.chunking.settings import ChunkerSettings
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.concurrency import start_in_thread
from lumber_core.identity import class_identity, identity_of, safe_repr
from lumber_core.segmentation import Segmentation
from lumber_core.settings import Setting, result_settings, shown, signature_of
from lumber_core.spans import Span
from lumber_core.text.markdown import is_markdown
from lumber_core.text.units import UnitFinder, UnitSpec, unit_finder
from lumber_core.text.units import markdown as find_markdown
from lumber_core.tokens import TokenCounter, TokenCounterSpec, token_counter

S = TypeVar("S", bound=Segmentation)


class Chunker(ABC):
    """Base of the splitters.

    Args:
        settings: The settings; they cannot be changed afterwards.
        units: What is kept whole if possible; see `lumber_core.text.units.unit_finder`.
        tokenizer: Counts tokens, instead of the settings' tokenizer.

    Raises:
        ValueError: A name is unknown.
        TypeError: A setting has the wrong type.
    """

    def __init__(
        self,
        settings: ChunkerSettings,
        *,
        units: UnitSpec,
        tokenizer: TokenCounterSpec | None = None,
    ) -> None:
        self._settings = settings
        self._counter = token_counter(settings.tokenizer if tokenizer is None else tokenizer)
        self._find_units: UnitFinder = unit_finder(units, language=settings.language)
        own = signature_of(type(settings)).parameters.get("units")
        self._default_units = own is None or units == own.default
        chunk_size, target_size = settings.sizes
        self._limits = SizeLimits(
            chunk_size,
            settings.min_chunk_size,
            self._counter,
            settings.language,
            target_size,
            markdown=units == "markdown",
        )

    @property
    def settings(self) -> ChunkerSettings:
        """The settings of this splitter, read-only."""
        return self._settings

    @property
    def counter(self) -> TokenCounter:
        """The token counter of this splitter."""
        return self._counter

    @property
    def chunk_size(self) -> int | None:
        """Maximum tokens in a chunk, also if that is a default. None: no limit."""
        return self._limits.chunk_size

    @property
    def texts_at_once(self) -> int:
        """Number of texts that a call with several works on at the same time."""
        return 1

    @property
    def identity(self) -> str:
        """What determines the chunks, as a key for caches; the same in every process.

        Covers every setting that can change the result, the model's weights and the judge's
        identity. It contains no credentials. Custom functions are identified by name only (see
        `lumber_core.identity.NOT_COVERED`). The version of this library is not part of it.
        """
        settings = ", ".join(f"{n}={identity_of(v)}" for n, v in self._determines().items())
        return f"{class_identity(type(self))}({settings})"

    def split_text(self, text: str, *, markdown: bool = False) -> list[str]:
        """Split one text into the texts of its chunks; joined, they are the text.

        Args:
            text: Any string; `""` gives no chunk.
            markdown: Whether the text is Markdown, whatever the units of this splitter.

        Raises:
            TypeError: `text` is not a string.
            ChunkSizeError: A single character counts more than `chunk_size`.
        """
        return self.segment(text, markdown=markdown).chunks(text)

    def segment(self, text: str, *, reserved: int = 0, markdown: bool = False) -> Segmentation:
        """Split one text.

        Args:
            text: Any string; `""` gives no span.
            reserved: Tokens to leave free in every chunk, for text that is added later.
            markdown: Whether the text is Markdown, whatever the units of this splitter.

        Returns:
            Spans that tile the text, with the verdicts behind them.

        Raises:
            TypeError: `text` is not a string.
            ChunkSizeError: A single character counts more than `chunk_size`.
        """
        check_text(text)
        return replace(self._segment(text, self._limits_for(reserved, markdown)), text=text)

    async def asegment(
        self, text: str, *, reserved: int = 0, markdown: bool = False
    ) -> Segmentation:
        """Async version of `segment`."""
        check_text(text)
        limits = [self._limits_for(reserved, markdown)]
        (segmentation,) = await self._asegment_all([text], limits, show_progress=False)
        return replace(segmentation, text=text)

    def show(self, text: str, *, reserved: int = 0, markdown: bool = False) -> ChunkView:
        """Split one text for display: notebooks show the chunks in colours, with their tokens.

        Args:
            text: Any string.
            reserved: As for `segment`.
            markdown: As for `segment`.
        """
        segmentation = self.segment(text, reserved=reserved, markdown=markdown)
        return ChunkView(text, segmentation.spans, self._counter.count(segmentation.chunks(text)))

    def segment_all(
        self,
        texts: Iterable[str],
        *,
        reserved: Sequence[int] | None = None,
        markdown: Sequence[bool] | None = None,
        show_progress: bool = False,
    ) -> list[Segmentation]:
        """Split many texts.

        Args:
            texts: The texts; all are checked before the first is split.
            reserved: For each text, tokens to leave free in every chunk.
            markdown: For each text, whether it is Markdown, whatever the units of this splitter.
            show_progress: Show a progress bar.

        Returns:
            One segmentation per text, in order, equal to that of `segment`.

        Raises:
            TypeError: An item is not a string.
            ValueError: There are not as many items in `reserved` or `markdown` as texts.
        """
        checked = check_texts(texts)
        limits = self._limits_of(checked, reserved, markdown)
        return self._segment_all(checked, limits, show_progress=show_progress)

    async def asegment_all(
        self,
        texts: Iterable[str],
        *,
        reserved: Sequence[int] | None = None,
        markdown: Sequence[bool] | None = None,
        show_progress: bool = False,
    ) -> list[Segmentation]:
        """Async version of `segment_all`."""
        checked = check_texts(texts)
        limits = self._limits_of(checked, reserved, markdown)
        return await self._asegment_all(checked, limits, show_progress=show_progress)

    def reads_as_markdown(self, metadata: Mapping[Any, Any]) -> bool:
        """Return whether a document is split as Markdown.

        True with `units="markdown"`, or with default units if the metadata says that the document
        is Markdown (`lumber_core.text.markdown.is_markdown`).
        """
        return self._limits.markdown or (self._default_units and is_markdown(metadata))

    def overlap(
        self,
        text: str,
        spans: Sequence[Span],
        tokens: int,
        *,
        reserved: int = 0,
        markdown: bool = False,
    ) -> list[Span]:
        """Return the spans, each extended by up to `tokens` tokens.

        Args:
            text: The text.
            spans: Its spans, in order, made with at least `tokens + reserved` tokens reserved.
            tokens: Maximum tokens to repeat: whole units, or sentences of a longer unit.
            reserved: Tokens to leave free in every chunk.
            markdown: Whether the text is Markdown, whatever the units of this splitter.
        """
        if not tokens or len(spans) < 2:
            return list(spans)
        limits = self._limits_for(reserved, markdown)
        return overlapping(text, spans, self._units(text, limits), limits, tokens)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def _shown(self) -> list[str]:
        """Return the settings that can change the result, for `repr`."""
        limits = self._limits
        return shown(
            self._settings,
            tokenizer=self._counter,
            chunk_size=limits.chunk_size,
            target_size=limits.target_size,
        )

    def _determines(self) -> dict[str, object]:
        """Return everything that can change the result, by name; subclasses may override it."""
        return {**result_settings(self._settings), "tokenizer": self._counter}

    @abstractmethod
    def _segment(self, text: str, limits: SizeLimits) -> Segmentation:
        """Split a checked text within limits."""

    def _segment_all(
        self, texts: Sequence[str], limits: Sequence[SizeLimits], *, show_progress: bool
    ) -> list[Segmentation]:
        """Split checked texts, each within its limits."""
        work = zip(texts, limits, strict=True)
        return [
            self._segment(text, own)
            for text, own in tqdm(work, total=len(texts), disable=not show_progress)
        ]

    async def _asegment_all(
        self, texts: Sequence[str], limits: Sequence[SizeLimits], *, show_progress: bool
    ) -> list[Segmentation]:
        """Async version of `_segment_all`."""
        return await start_in_thread(self._segment_all, texts, limits, show_progress=show_progress)

    def _limits_of(
        self,
        texts: Sequence[str],
        reserved: Sequence[int] | None,
        markdown: Sequence[bool] | None,
    ) -> list[SizeLimits]:
        """Return the limits for each text."""
        for name, given in (("reserved", reserved), ("markdown", markdown)):
            if given is not None and len(given) != len(texts):
                raise ValueError(
                    f"{name} must have one value for each text: expected {len(texts)}, "
                    f"got {len(given)}"
                )
        return [
            self._limits_for(tokens, marked)
            for tokens, marked in zip(
                [0] * len(texts) if reserved is None else reserved,
                [False] * len(texts) if markdown is None else markdown,
                strict=True,
            )
        ]

    def _limits_for(self, reserved: int, markdown: bool) -> SizeLimits:
        limits = self._limits.reserving(reserved)
        return replace(limits, markdown=True) if markdown else limits

    def _units(self, text: str, limits: SizeLimits) -> Sequence[Span]:
        """Find the units of a text: this splitter's, or those of Markdown."""
        return find_markdown(text) if limits.markdown else self._find_units(text)


def _check_chunker(name: str, value: object) -> None:
    if not isinstance(value, Chunker):
        raise TypeError(
            f"{name} must be a splitter of lumber_core, such as BertChunker(), not "
            f"{safe_repr(value)}"
        )


CoreSplitter = Annotated[
    Chunker, Setting("The splitter of `lumber_core` that finds the spans.", _check_chunker)
]
"""The setting of an adapter that takes any splitter."""


def within(limits: SizeLimits, text: str, segmentation: S, units: Sequence[Span]) -> S:
    """Return the segmentation with its spans cut and joined to keep the size limits."""
    return replace(segmentation, spans=limits.apply(text, segmentation.spans, units))
