"""The base class of all splitters: a function from a text to a segmentation.

Subclasses find the spans of one text; this class checks arguments and enforces the size limits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar, ParamSpec, TypeVar

from lumber_core.calls.threads import start_in_thread
from lumber_core.checks import check_language
from lumber_core.chunking.cutting import Cutter, Scorer
from lumber_core.chunking.delivery import Chunk, Delivery, deliver, delivered_spans
from lumber_core.chunking.metadata_room import Room
from lumber_core.chunking.size_limits import CountedParts, SizeLimits
from lumber_core.chunking.size_settings import check_sizes
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span, spans_from_starts
from lumber_core.support.identity import class_identity, identity_of, safe_repr
from lumber_core.text.parsed import BY_ROWS, MarkdownText, ParsedText, PlainText
from lumber_core.text.source import Source, as_source, as_sources
from lumber_core.text.units import UnitFinder, UnitName, UnitSpec, unit_finder
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounter, TokenCounterSpec, token_counter

P = ParamSpec("P")
T = TypeVar("T")
_DEFAULT_DELIVERY = Delivery()

Work = Sequence[tuple[ParsedText, SizeLimits]]
"""Texts to split, each with the limits of its chunks."""


class Chunker:
    """Base of the splitters.

    A subclass passes the settings below to this constructor, and stores every other argument in an
    attribute of the same name. `repr`, the identity, IDs and cache keys contain these settings, so
    they cannot be changed afterwards. `counter` counts tokens.

    Args:
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. None: no limit.
        target_size: Preferred length of chunks in tokens, for splitters that have one.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        units: Where chunks may start. Units are cut only if they exceed `chunk_size`, and in some
            classes sentences that exceed `target_size`: "paragraphs", "sentences",
            "sentences_and_lines" (a mark at the end of a line also ends a sentence), "markdown"
            (paragraphs, list items, tables, code; a heading with the block below it), or a callable
            from a text to `(start, end)` offsets.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections. False:
            every heading starts a chunk, even if the chunk before stays small; headings without
            text between them stay together. Overlap does not cross headings either.
        tokenizer: Counts tokens: "estimate" (near what cl100k_base counts, for any text; needs no
            vocabulary), "even" (as "estimate", but every alphabet counts as English), "words" (1.2
            tokens a word, the published LumberChunker's formula), the name of an encoding or a
            model of tiktoken (extra `tiktoken`), a Hugging Face tokenizer, a tiktoken
            `Encoding`, a function from a string to a number, or a `TokenCounter`.
        language: ISO 639 code of the language, such as "en", to find sentences.

    Raises:
        ValueError: A number is out of range, a name is unknown, or sizes contradict each other.
        TypeError: A setting has the wrong type.
    """

    default_units: ClassVar[UnitName] = "sentences_and_lines"
    """The default units of a class; Markdown replaces them if the metadata show that format."""

    not_in_identity: ClassVar[frozenset[str]] = frozenset()
    """Settings that cannot change the chunks."""

    def __init__(
        self,
        *,
        chunk_size: int | None = None,
        target_size: int | None = None,
        min_chunk_size: int | None = None,
        units: UnitSpec = "sentences_and_lines",
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
    ) -> None:
        check_sizes(chunk_size, target_size, min_chunk_size)
        check_language(language)
        self.chunk_size = chunk_size
        self.target_size = target_size
        self.min_chunk_size = min_chunk_size
        self.units = units
        self.merge_sections = merge_sections
        self.tokenizer = tokenizer
        self.language = language
        self.counter: TokenCounter = token_counter(tokenizer)
        self._find_units: UnitFinder = unit_finder(units, language=language)
        self._default_units = units == self.default_units
        self._limits = SizeLimits(chunk_size, min_chunk_size, self.counter, target_size)

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self) and not name.startswith("_"):
            kind = type(self).__name__
            raise AttributeError(f"{name} cannot be changed: make another {kind}")
        super().__setattr__(name, value)

    @property
    def identity(self) -> str:
        """Cache key of everything that determines the chunks; the same in every process.

        Covers every setting that can change the result, the model's weights and the judge's
        identity. It contains no credentials. Custom functions are identified by name only (see
        `lumber_core.support.identity.NOT_COVERED`). The version of this library is not part of it.
        """
        return self._identify()  # not cached: caches of calls compare the pickles of splitters

    def _identify(self, **current: object) -> str:
        """Return the identity, given the current values of settings that may change."""
        settings = {**self._result_settings(), **current}
        values = ", ".join(f"{name}={identity_of(value)}" for name, value in settings.items())
        return f"{class_identity(type(self))}({values})"

    def split_text(
        self, text: str, delivery: Delivery = _DEFAULT_DELIVERY, *, show_progress: bool = False
    ) -> list[str]:
        """Split a text into strings; `split` returns chunks with offsets, headings and pages.

        Args:
            text: Any string; `""` gives no chunk.
            delivery: See `split`. By default, the chunks joined are the text.
            show_progress: Show a progress bar.

        Errors are those of `split`.
        """
        parsed = self.parse(text)
        limits = self._limits_for(parsed, delivery.overlap)
        (cuts,) = self._segment_all([(parsed, limits)], show_progress=show_progress)
        _, spans = delivered_spans(cuts.spans, delivery, parsed, self._limits_for(parsed, 0))
        return [parsed.text[start:end] for start, end in spans]

    def split(self, source: str | Source, delivery: Delivery = _DEFAULT_DELIVERY) -> list[Chunk]:
        """Split one text into chunks, with offsets, headings, pages and lines.

        Args:
            source: A text, or a `Source` with its format and metadata; `""` gives no chunk.
            delivery: Overlap and trimming. By default, the chunks joined are the text.

        Raises:
            TypeError: `source` is neither a string nor a `Source`.
            ValueError: The metadata and context around each chunk leave no room for text.
            ChunkSizeError: A single character has more than `chunk_size` tokens.
        """
        return self.split_all([source], delivery)[0]

    def split_all(
        self,
        sources: Iterable[str | Source],
        delivery: Delivery = _DEFAULT_DELIVERY,
        *,
        show_progress: bool = False,
    ) -> list[list[Chunk]]:
        """Split many texts, which are all checked before the first is split.

        Returns:
            The chunks of each text, in order, equal to those of `split`.
        """
        work = self._read(sources, delivery.overlap)
        results = self._segment_all(work, show_progress=show_progress)
        if delivery.overlap:  # the overlap fills the room left for it
            work = [(parsed, self._limits_for(parsed, 0)) for parsed, _ in work]
        return [deliver(cuts, delivery, *text) for text, cuts in zip(work, results, strict=True)]

    def segment(self, source: str | Source, *, overlap: int = 0) -> Segmentation:
        """Split one text; return spans that tile it, and the verdicts behind them.

        Args:
            source: A text, or a `Source` with its format and metadata; `""` gives no span.
            overlap: Tokens to leave free in every chunk, for an overlap that is added later.

        Errors are those of `split`.
        """
        return self.segment_all([source], overlap=overlap)[0]

    def segment_all(
        self, sources: Iterable[str | Source], *, overlap: int = 0, show_progress: bool = False
    ) -> list[Segmentation]:
        """Split many texts, which are all checked before the first is split.

        Returns:
            One segmentation per text, in order, equal to that of `segment`.
        """
        return self._segment_all(self._read(sources, overlap), show_progress=show_progress)

    async def call_async(self, split: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of this splitter, or a function that uses it, off the event loop.

        So `await chunker.call_async(chunker.split_all, texts)` is the async version of `split_all`.
        """
        return await start_in_thread(split, *args, **kwargs)

    def chunks(
        self,
        source: str | Source,
        segmentation: Segmentation,
        delivery: Delivery = _DEFAULT_DELIVERY,
    ) -> list[Chunk]:
        """Return the chunks of a text that `segment` has split, with the overlap of `delivery`.

        Call `segment` and then `chunks` instead of `split` for verdicts or usage as well.
        """
        parsed = self.parse(source)
        return deliver(segmentation, delivery, parsed, self._limits_for(parsed, 0))

    def parse(self, source: str | Source | ParsedText) -> ParsedText:
        """Return a text parsed as Markdown, or with this splitter's units."""
        if isinstance(source, ParsedText):
            return source
        source = as_source(source)
        # Metadata does not override units that the user chose.
        kind = source.kind if self._default_units else source.format
        if kind == "markdown" or self.units == "markdown":
            return MarkdownText(source, self.language, self.merge_sections)
        by_rows = kind in BY_ROWS or (kind in ("code", "data") and self.units == "sentences")
        find_units = None if by_rows and self._default_units else self._find_units
        return PlainText(source, self.language, find_units)

    def _chosen_units(self, parsed: ParsedText) -> Sequence[Span] | None:
        """Return the units that the user chose, where chunks must start; else None."""
        by_layout = self._default_units or isinstance(parsed, MarkdownText)
        return None if by_layout else parsed.units()

    def __repr__(self) -> str:
        values = self._result_settings().items()
        settings = ", ".join(f"{n}={safe_repr(v)}" for n, v in values if v is not None)
        return f"{type(self).__name__}({settings})"

    def _result_settings(self) -> dict[str, object]:
        """Return the settings that can change the result, by name."""
        names = inspect.signature(type(self)).parameters
        values = {name: getattr(self, name) for name in names if name not in self.not_in_identity}
        return {**values, "tokenizer": self.counter}

    def _segment(self, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
        """Split a text within limits; a subclass has this method or `_segment_all`."""
        raise NotImplementedError

    def _segment_all(self, work: Work, *, show_progress: bool) -> list[Segmentation]:
        """Split texts, each within its limits."""
        texts = with_progress(work, shown=show_progress)
        return [self._segment(parsed, limits) for parsed, limits in texts]

    def _read(self, sources: Iterable[str | Source], overlap: int) -> Work:
        """Return the text of each source, parsed, with the limits of its chunks."""
        texts = [*map(self.parse, as_sources(sources))]
        return [(parsed, self._limits_for(parsed, overlap)) for parsed in texts]

    def _limits_for(self, parsed: ParsedText, overlap: int) -> SizeLimits:
        """Return the limits of chunks, less the room for metadata, context and overlap."""
        limits, forms = self._limits, parsed.source.forms
        if forms is not None and limits.chunk_size is not None:
            room = Room(forms, self.counter, limits.chunk_size)
            limits = replace(limits, room=room)
            overlap += room.reserve(parsed.outline.possible_contexts(parsed.text), overlap)
        return limits.reserve(overlap) if overlap else limits


def with_progress(work: Work, *, shown: bool) -> Iterable[tuple[ParsedText, SizeLimits]]:
    """Return texts to split, with a progress bar if `shown`."""
    if not shown:
        return work
    from tqdm import tqdm  # deferred: importing it takes longer than a short text

    return tqdm(work)


def check_chunker(name: str, value: object) -> Chunker:
    """Return a value that is a splitter of the core; raise a TypeError for any other."""
    if isinstance(value, Chunker):
        return value
    raise TypeError(
        f"{name} must be a splitter of lumber_core, such as BertChunker(), not {safe_repr(value)}"
    )


def enforce_limits(
    segmentation: Segmentation,
    parsed: ParsedText,
    limits: SizeLimits,
    units: Sequence[Span] = (),
    scorer: Scorer | None = None,
    parts: CountedParts | None = None,
) -> Segmentation:
    """Return the segmentation with its spans cut and merged to respect sections and size limits.

    A unit is cut only if it is too long. `scorer` scores the places to cut at; without one, layout
    and size decide. `parts` are parts of the spans with their tokens.
    """
    spans = segmentation.spans
    if parsed.section_starts:  # a chunk ends where a section starts
        starts = {*parsed.section_starts, *(span.start for span in spans)}
        spans = spans_from_starts(sorted(starts), len(parsed.text))
    too_long = limits.find_too_long(parsed, spans, parts)
    if too_long:
        short_enough = set(spans).difference(too_long)
        shorter = Cutter(parsed, limits).shorten(too_long, units, scorer)
        spans = tuple(sorted([*short_enough, *shorter]))
    if limits.min_chunk_size is not None:
        spans = limits.merge(parsed.text, spans, parsed.section_starts)
    return segmentation if spans is segmentation.spans else replace(segmentation, spans=spans)
