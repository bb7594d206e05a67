"""Chunks, each an exact slice of its text.

`deliver` makes them from a segmentation, and `added_metadata` yields what an adapter adds to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lumber_core.chunking.overlap import overlap_spans
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation, Verdict
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY, LEVELS_KEY
from lumber_core.text.outline import Context, OutlinePlace, TextOutline
from lumber_core.text.pages import (
    FIRST_LINE,
    FIRST_PAGE,
    LAST_LINE,
    LAST_PAGE,
    common_metadata,
    count_line_breaks,
    has_lines,
    has_pages,
)
from lumber_core.text.parsed import ParsedText
from lumber_core.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Delivery:
    """Options of the chunks that are returned: overlap and white space.

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
        context_parts: The titles and table header above it; `context` is their text. Shortened if
            `Source.forms` leave too little room.
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
    context_parts: Context
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
        """Text from outside the chunk, for an embedder: title, headings and table header.

        The first line has the title of the document and the deepest three headings above the chunk,
        joined by " > ". The title is the metadata's, else the single first-level heading, else the
        name as words. Headings inside the chunk are left out. If the chunk continues the rows of a
        table in Markdown, or of comma- or tab-separated values, the header rows follow. "" if there
        is none of these.
        """
        return str(self.context_parts)

    @property
    def text_in_context(self) -> str:
        """Its text below its context: after a blank line, or right below the header of a table."""
        return self.context_parts.above(self.text)

    def metadata(
        self,
        *,
        context: bool = False,
        verdict: bool = False,
        pages: bool = False,
        lines: bool = False,
    ) -> dict[str, str | int]:
        """Return the metadata of a document or node for this chunk.

        Returns:
            "headings", joined by " > ", "heading_levels", and "headings_inside", joined by " | ",
            if there are any. With `context`, "context", if there is any. With `verdict`, "verdict",
            the outcome of the verdict that set its start; if that is a failure, also
            "verdict_reason": what went wrong, and what decided instead. With `pages`, "page_first"
            and "page_last", if it has pages. With `lines`, "line_first" and "line_last".
        """
        place = OutlinePlace(self.headings, self.heading_levels, self.headings_inside)
        fields: dict[str, str | int] = {**place.metadata(self.context_parts if context else None)}
        if verdict and self.verdict is not None:
            fields["verdict"] = self.verdict.outcome
            if self.verdict.failed:
                fields["verdict_reason"] = self.verdict.reason
        if pages and self.pages is not None:
            fields[FIRST_PAGE], fields[LAST_PAGE] = self.pages
        if lines:
            fields[FIRST_LINE], fields[LAST_LINE] = self.lines
        return fields


EMPTY_VALUES: Mapping[str, str | int] = {
    **dict.fromkeys(("headings", CONTEXT_KEY, INSIDE_KEY), ""),
    **dict.fromkeys((FIRST_PAGE, LAST_PAGE, FIRST_LINE, LAST_LINE), 0),
}
"""Keys that passages, and chunks with `add_metadata`, always have, so that prompts can name them,
with the value that stands for a missing value. Both have the same type, because a column in
LanceDB, Weaviate and Parquet has one type."""
_HEADING_KEYS = ("headings", LEVELS_KEY, INSIDE_KEY)
_VERDICT_KEYS = ("verdict", "verdict_reason")


def chunk_metadata(
    chunks: Iterable[Chunk], of_document: Mapping[Any, Any], *, everything: bool, context: bool
) -> Iterator[dict[str, str | int]]:
    """Yield the metadata of chunks, with pages and lines if their document's metadata have them.

    `everything` is the setting `add_metadata`, and `context` whether to include their contexts.
    """
    pages, lines = everything or has_pages(of_document), everything or has_lines(of_document)
    for chunk in chunks:
        yield chunk.metadata(context=context, verdict=everything, pages=pages, lines=lines)


def added_metadata(
    chunks: Sequence[Chunk], of_document: Mapping[Any, Any], *, everything: bool, context: bool
) -> Iterator[dict[str, str | int]]:
    """Yield the metadata that an adapter adds to each chunk, as `chunk_metadata` does.

    The keys depend on the settings and the document's own keys alone, because some stores reject
    chunks whose keys differ from those of the first, or whose values have other types. A missing
    text is "", a missing number is 0.
    """
    keys = [*_HEADING_KEYS, *([CONTEXT_KEY] if context else [])]
    if everything:
        keys += [*EMPTY_VALUES, *_VERDICT_KEYS]
    inherited = common_metadata(of_document, context=context)
    missing = {key: EMPTY_VALUES.get(key, "") for key in keys if key not in inherited}
    added = chunk_metadata(chunks, of_document, everything=everything, context=context)
    for chunk, metadata in zip(chunks, added, strict=True):
        number = {"chunk_index": chunk.index} if everything else {}
        yield {**missing, **metadata, **number}


def deliver(
    segmentation: Segmentation, delivery: Delivery, parsed: ParsedText, limits: SizeLimits
) -> list[Chunk]:
    """Return the chunks of a text; the spans of `segmentation` leave room for the overlap.

    `limits` are those of chunks with their overlap.
    """
    source, text = parsed.source, parsed.text
    numbers, spans = delivered_spans(segmentation.spans, delivery, parsed, limits)
    verdicts, outline = segmentation.start_verdicts, parsed.outline
    places = outline.places(text, spans)
    contexts = [place.context for place in places]
    if limits.room is not None:
        contexts = limits.room.fit([span.of(text) for span in spans], contexts)
    chunks: list[Chunk] = []
    line, position = source.first_line, 0  # where the visible text of the chunk before starts
    for number, span, place, context in zip(numbers, spans, places, contexts, strict=True):
        visible = span.strip(text)
        line += count_line_breaks(text, position, visible.start)
        lines, position = (line, line + count_line_breaks(text, *visible)), visible.start
        content, headings = span.of(text), (place.titles, place.levels, place.inside)
        where = (*headings, context, source.pages_of(span), lines)
        verdict = verdicts[number] if verdicts else None
        chunks.append(Chunk(len(chunks), span, content, *where, verdict, limits.counter, outline))
    return chunks


def delivered_spans(
    spans: Sequence[Span], delivery: Delivery, parsed: ParsedText, limits: SizeLimits
) -> tuple[Sequence[int], Sequence[Span]]:
    """Return the index in `spans` of each delivered chunk, and the delivered spans.

    `spans` tile the text. `limits` are those of chunks with their overlap.
    """
    text, numbers = parsed.text, [*range(len(spans))]
    if delivery.trim or not delivery.blank:
        bodies = [span.strip(text) for span in spans]
        numbers = [number for number, (start, end) in enumerate(bodies) if start < end]
        spans = [(bodies if delivery.trim else spans)[number] for number in numbers]
    if delivery.overlap:
        spans = overlap_spans(parsed, spans, limits, delivery.overlap, trim=delivery.trim)
    return numbers, spans
