"""Chunks, each an exact slice of its text.

`deliver` makes them from a segmentation. With an overlap, each chunk begins with the end of the one
before. Only starts move, so every chunk is still a slice of the text, and its offsets are exact.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from lumber_core.chunking.size_limits import MAX_CHARACTERS_PER_TOKEN, SizeLimits
from lumber_core.segmentation import Segmentation, Verdict
from lumber_core.spans import Span
from lumber_core.text.captions import speech
from lumber_core.text.markdown import (
    CONTEXT_KEY,
    HEADING_SEPARATOR,
    INSIDE_KEY,
    INSIDE_SEPARATOR,
    LEVELS_KEY,
)
from lumber_core.text.outline import Context, OutlinePlace, TextOutline
from lumber_core.text.pages import (
    FIRST_LINE,
    FIRST_PAGE,
    LAST_LINE,
    LAST_PAGE,
    common_metadata,
    has_lines,
    has_pages,
)
from lumber_core.text.parsed import ParsedText
from lumber_core.text.source import Source
from lumber_core.text.structured import NESTED
from lumber_core.text.unicode import count_line_breaks, grapheme_cuts, word_cuts
from lumber_core.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Delivery:
    """How chunks are cut out of a text.

    Attributes:
        overlap: Maximum tokens repeated from the end of the chunk before: whole units, or
            sentences, lines, clauses or words if no unit is that short.
        trim: Whether white space at both ends of a chunk is left out.
        blank: Whether chunks of only white space are kept. With `trim` they are always dropped.
    """

    overlap: int = 0
    trim: bool = False
    blank: bool = True


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a text, with its origin.

    Attributes:
        index: Its number among the chunks of its text, from 0.
        span: Its place: `text == source.text[span.start:span.end]`.
        text: Its text.
        headings: In Markdown, the titles above its start, from the outermost to the innermost; the
            last one may be its own. Empty before the first heading of the text.
        heading_levels: The levels of these headings, if the chunk begins inside a section and
            contains a heading: splitting it again needs them. Otherwise empty.
        headings_inside: In Markdown, the titles of the sections that begin inside it.
        outside: The titles and table header that it belongs to, for `context` and
            `text_in_context`. Shortened if `Source.written` leaves too little room.
        pages: Pages of its first and its last visible character, from 1; None if the source has no
            pages.
        lines: Lines of its first and its last visible character, from 1.
        verdict: The verdict that set its start; None if no judge did.
        counter: Counts its tokens; not compared.
        outline: The outline of its text; not compared.
    """

    index: int
    span: Span
    text: str
    headings: tuple[str, ...]
    heading_levels: tuple[int, ...]
    headings_inside: tuple[str, ...]
    outside: Context
    pages: tuple[int, int] | None
    lines: tuple[int, int]
    verdict: Verdict | None
    counter: TokenCounter = field(repr=False, compare=False)
    outline: TextOutline = field(repr=False, compare=False)

    @property
    def tokens(self) -> int:
        """Its size in tokens; the splitter's tokenizer counts them at each access."""
        return self.counter.count([self.text])[0]

    @property
    def context(self) -> str:
        """Text from outside of it for an embedder: title, headings and table header.

        The first line has the title of the document and the deepest three headings above the chunk,
        joined by " > ". The title is that in the metadata, the single first-level heading, or the
        name as words. Headings inside the chunk are left out. If the chunk continues the rows of a
        table in Markdown, or of comma- or tab-separated values, the header rows follow. "" if there
        is none of these.
        """
        return str(self.outside)

    @property
    def text_in_context(self) -> str:
        """Its text below its context: after a blank line, or right below the header of a table."""
        return self.outside.above(self.text)

    def metadata(
        self,
        *,
        context: bool = False,
        verdict: bool = False,
        pages: bool = False,
        lines: bool = False,
    ) -> dict[str, str | int]:
        """Return the metadata of a document or node for this chunk.

        Args:
            context: Whether to include its context.
            verdict: Whether to include how its start was decided.
            pages: Whether to include its pages.
            lines: Whether to include its lines.

        Returns:
            "headings", joined by " > ", "heading_levels", and "headings_inside", joined by " | ",
            if there are any. With `context`, "context", if there is any. With `verdict`, "verdict",
            the outcome of the verdict that set its start; if that is a failure, also
            "verdict_reason": what went wrong, and what decided instead. With `pages`, "page_first"
            and "page_last", if it has pages. With `lines`, "line_first" and "line_last".
        """
        place = OutlinePlace(self.headings, self.heading_levels, inside=self.headings_inside)
        fields: dict[str, str | int] = {**heading_fields(place, self.outside if context else None)}
        if verdict and self.verdict is not None:
            fields["verdict"] = self.verdict.outcome
            if self.verdict.failed:
                fields["verdict_reason"] = self.verdict.reason
        if pages and self.pages is not None:
            fields[FIRST_PAGE], fields[LAST_PAGE] = self.pages
        if lines:
            fields[FIRST_LINE], fields[LAST_LINE] = self.lines
        return fields


SHOWN_KEYS = ("headings", CONTEXT_KEY, INSIDE_KEY, FIRST_PAGE, LAST_PAGE, FIRST_LINE, LAST_LINE)
"""Keys that passages and chunks with all of their metadata always have, so that prompts can name
them. Their value may be ""."""
_HEADING_KEYS = ("headings", LEVELS_KEY, INSIDE_KEY)
_VERDICT_KEYS = ("verdict", "verdict_reason")


def heading_fields(place: OutlinePlace, context: Context | None = None) -> dict[str, str]:
    """Return the metadata of a part of a text about its headings and its context."""
    fields = {
        "headings": HEADING_SEPARATOR.join(place.titles),
        LEVELS_KEY: " ".join(map(str, place.levels)),
        INSIDE_KEY: INSIDE_SEPARATOR.join(place.inside),
        CONTEXT_KEY: str(context or ""),
    }
    return {key: value for key, value in fields.items() if value}


def chunk_metadata(
    chunk: Chunk, of_document: Mapping[Any, Any], *, everything: bool, context: bool
) -> dict[str, str | int]:
    """Return the metadata of a chunk, with pages and lines if its document's metadata have them.

    `everything` is the setting `add_metadata`, and `context` whether to include its context.
    """
    return chunk.metadata(
        context=context,
        verdict=everything,
        pages=everything or has_pages(of_document),
        lines=everything or has_lines(of_document),
    )


def added_metadata(
    chunk: Chunk, of_document: Mapping[Any, Any], *, everything: bool, context: bool
) -> dict[str, str | int]:
    """Return the metadata that an adapter adds to a chunk, as `chunk_metadata` does.

    The keys depend on the settings and the document's own keys alone, because some stores reject
    chunks whose keys differ from those of the first. A value that a chunk does not have is "".
    """
    added = chunk_metadata(chunk, of_document, everything=everything, context=context)
    keys = [*_HEADING_KEYS, *([CONTEXT_KEY] if context else [])]
    if everything:
        added["chunk_index"] = chunk.index
        keys += [*SHOWN_KEYS, *_VERDICT_KEYS]
    inherited = common_metadata(of_document, context=context)
    return {**{key: "" for key in keys if key not in inherited}, **added}


def deliver(
    segmentation: Segmentation, delivery: Delivery, parsed: ParsedText, limits: SizeLimits
) -> list[Chunk]:
    """Return the chunks of a text; those of `segmentation` have room for the overlap.

    `limits` are those of chunks with their overlap.
    """
    source, text = parsed.source, parsed.text
    kept, spans = delivered_spans(segmentation.spans, delivery, parsed, limits)
    verdicts, outline = segmentation.start_verdicts, parsed.outline
    places = outline.places(text, spans)
    contexts = [place.context for place in places]
    if limits.room is not None:
        contexts = limits.room.fit([span.of(text) for span in spans], contexts)
    return [
        Chunk(
            index,
            span,
            span.of(text),
            place.titles,
            place.levels,
            place.inside,
            context,
            source.pages_of(span),
            lines,
            verdicts[number] if verdicts else None,
            limits.counter,
            outline,
        )
        for index, (number, span, place, context, lines) in enumerate(
            zip(kept, spans, places, contexts, _lines_of(source, spans), strict=True)
        )
    ]


def delivered_spans(
    spans: Sequence[Span], delivery: Delivery, parsed: ParsedText, limits: SizeLimits
) -> tuple[Sequence[int], Sequence[Span]]:
    """Return the numbers that the delivered chunks have among `spans`, and their own spans.

    `spans` tile the text. `limits` are those of chunks with their overlap.
    """
    text, numbers = parsed.text, range(len(spans))
    kept: Sequence[int] = numbers
    if delivery.trim or not delivery.blank:
        kept = [number for number in numbers if not spans[number].of(text).isspace()]
        spans = [spans[number] for number in kept]
    if delivery.trim:
        spans = [span.stripped(text) for span in spans]
    if delivery.overlap:
        spans = overlap_spans(parsed, spans, limits, delivery.overlap, trim=delivery.trim)
    return kept, spans


def overlap_spans(
    parsed: ParsedText,
    spans: Sequence[Span],
    limits: SizeLimits,
    tokens: int,
    *,
    trim: bool = False,
) -> list[Span]:
    """Return the spans, each extended to repeat at most `tokens` tokens of the one before.

    A span starts at a unit of the span before. If no unit fits, it starts at a sentence of that
    span's last unit, or else at a line, clause or word. In code and data, lines come first. If not
    even a word fits, the span is unchanged. It always starts after the start of the span before,
    and has at most `limits.chunk_size` tokens.

    Args:
        parsed: The text.
        spans: Spans in order, without overlap; there may be gaps between them.
        limits: The limits, for spans with their repeated text.
        tokens: Maximum tokens to repeat.
        trim: Whether the repeated text begins with a visible character, as the spans then do.
    """
    if not tokens:
        return list(spans)
    text = parsed.text
    starts, sections = [unit.start for unit in parsed.units()], parsed.section_starts
    extended = list(spans[:1])
    for before, span in pairwise(spans):
        # Start after the chunk before starts, so that no chunk contains another.
        section = bisect_right(sections, span.start)
        first = max(before.start, extended[-1].start + 1, sections[section - 1] if section else 0)
        begin = span.start
        for places in _repeatable(parsed, starts, Span(first, span.start), tokens):
            begin = _earliest_start(text, span, places, limits, tokens)
            if begin < span.start:
                break
        longer = Span(begin, span.end)
        extended.append(longer.stripped(text) if trim else longer)
    return extended


def _repeatable(
    parsed: ParsedText, units: Sequence[int], room: Span, tokens: int
) -> Iterator[list[int]]:
    """Yield where a chunk of at most `tokens` more may begin in `room`, best level first."""
    text, stop, kind = parsed.text, room.end, parsed.source.kind
    spoken = speech(text) if kind == "captions" else ""
    visible = room.stripped(text).end
    near = max(room.start, stop - tokens * MAX_CHARACTERS_PER_TOKEN)

    def among(offsets: Iterable[int]) -> list[int]:
        # A part of a cue begins with spoken words, not with its times.
        return [at for at in offsets if at < visible and not spoken[at : at + 1].isspace()]

    if kind in NESTED:
        yield among(parsed.places(near, stop).offsets)
    yield [*units[bisect_left(units, room.start) : bisect_left(units, stop)]]
    yield among(parsed.places(near, stop).offsets)
    for places in parsed.finer_places(near, stop):
        yield among(places.offsets)
    # Words of scripts without spaces, or parts of one that goes on. Punctuation is not a word.
    end = text[near:visible]
    yield [near + at for at in word_cuts(end) if end[at : at + 1].isalnum()]
    if len(end.split()) == 1:
        yield [near + at for at in grapheme_cuts(end)]


def _earliest_start(
    text: str, span: Span, places: Sequence[int], limits: SizeLimits, tokens: int
) -> int:
    """Return the earliest of `places` from which a span may start, or its own start.

    Galloping search from the nearest place needs few counts, and never counts much more text than
    fits.
    """

    def fits(number: int) -> bool:
        begin = places[-number]
        repeated, whole = limits.sizes([text[begin : span.start], text[begin : span.end]])
        return repeated <= tokens and (limits.chunk_size is None or whole <= limits.chunk_size)

    best, step = 0, 1
    while best + step <= len(places) and fits(best + step):
        best += step
        step *= 2
    while step > 1:
        step //= 2
        if best + step <= len(places) and fits(best + step):
            best += step
    return places[-best] if best else span.start


def _lines_of(source: Source, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Yield the lines of the first and the last visible character of each span."""
    text, line, position = source.text, source.first_line, 0
    for span in spans:
        body = span.stripped(text)
        line += count_line_breaks(text, position, body.start)
        position = body.start
        yield line, line + count_line_breaks(text, body.start, body.end)
