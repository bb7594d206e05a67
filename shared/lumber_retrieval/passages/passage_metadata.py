"""Metadata of passages: headings, context, pages and lines of their starts and ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY, LEVELS_KEY
from lumber_core.text.outline import Context, TextOutline, context_of
from lumber_core.text.pages import (
    FIRST_LINE,
    FIRST_PAGE,
    LAST_LINE,
    LAST_PAGE,
    SEPARATOR,
    count_line_breaks,
    has_lines,
    has_pages,
    place_source,
)
from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import OWN_KEYS, Passage, shorten_context

_HEADING_KEYS = {"headings", LEVELS_KEY, INSIDE_KEY, CONTEXT_KEY}


def describe_passage(
    passage: Passage, text: str, chunks: Mapping[int, Hit], described: Mapping[int, Hit]
) -> tuple[tuple[Hit, ...], str]:
    """Return the hits of a passage by chunk, and the context of its start.

    The first and the last hit have the headings, context, pages and lines of their own text.

    Args:
        passage: The passage, whose hits are sentences.
        text: The text of its document.
        chunks: The chunks of these sentences, by number.
        described: The hit that contains each chunk and has metadata, by chunk number.
    """
    hits = [part for hit in passage.hits for part in _divide_by_chunk(hit, chunks)]
    spans = [hit.span for hit in hits]
    first, last = spans.index(min(spans)), spans.index(max(spans, key=itemgetter(1)))
    for place in {first, last}:
        part = hits[place]
        chunk, span = described[part.number], part.span
        if place == first and chunk.outline is not None:  # a table may begin in an earlier chunk
            span = Span(passage.span.start, span.end)
        metadata = {**_metadata_of(span, part, chunk, text)}
        if context := context_of(metadata):
            metadata[CONTEXT_KEY] = shorten_context(context)
        hits[place] = part._replace(metadata=metadata)
    return tuple(hits), context_of(hits[first].metadata)


def _divide_by_chunk(sentence: Hit, chunks: Mapping[int, Hit]) -> Iterator[Hit]:
    """Yield the parts of a sentence that are in different chunks."""
    start, end = sentence.span
    first, last = chunks[sentence.number].span
    if first <= start and end <= last:
        yield sentence
        return
    for number in (sentence.number - 1, sentence.number, sentence.number + 1):
        chunk = chunks.get(number)
        if chunk is None or chunk.document != sentence.document:
            continue
        first, last = chunk.span
        if start < last and first < end:
            span = Span(max(start, first), min(end, last))
            text = chunk.text[span.start - first : span.end - first]
            yield sentence._replace(number=number, span=span, text=text, metadata=chunk.metadata)


def _metadata_of(span: Span, part: Hit, chunk: Hit, text: str) -> Mapping[str, Any]:
    """Return the metadata of a part of a chunk: its own headings, context, pages and lines."""
    whole, outline = chunk.span, chunk.outline
    if span == whole or not chunk.metadata.keys() & OWN_KEYS:
        return part.metadata
    if outline is None:
        text, outline, start = chunk.text, _outline_of(chunk), whole.start
        whole, span = whole.shift(-start), span.shift(-start)
    [place] = outline.places(text, [span])
    context, replaced = place.context, chunk.metadata.keys() & _HEADING_KEYS
    if outline.has_own_context:
        replaced, context = replaced - {CONTEXT_KEY}, Context()
    unchanged = {key: value for key, value in part.metadata.items() if key not in replaced}
    return {
        **unchanged,
        **place.metadata(context),
        **pages_and_lines(span.strip(text), whole.strip(text), chunk.metadata, text),
    }


def pages_and_lines(
    span: Span, whole: Span, of_whole: Mapping[str, Any], text: str
) -> dict[str, int]:
    """Return the pages and lines of a span, from those of an overlapping span."""
    between = sorted((whole.start, span.start))
    sign = 1 if span.start > whole.start else -1
    places: dict[str, int] = {}
    if has_lines(of_whole):
        places[FIRST_LINE] = of_whole[FIRST_LINE] + sign * count_line_breaks(text, *between)
        places[LAST_LINE] = places[FIRST_LINE] + count_line_breaks(text, *span)
    paged = FIRST_PAGE in of_whole and has_pages(of_whole)
    pages = of_whole[LAST_PAGE] - of_whole[FIRST_PAGE] if paged else -1
    if text.count(SEPARATOR, *whole) == pages:  # each page break is in the text
        places[FIRST_PAGE] = of_whole[FIRST_PAGE] + sign * text.count(SEPARATOR, *between)
        places[LAST_PAGE] = places[FIRST_PAGE] + text.count(SEPARATOR, *span)
    return places


def _outline_of(chunk: Hit) -> TextOutline:
    """Return the outline of a chunk from its text and metadata alone."""
    # No context in the metadata: the document contains its title, or its name is not a title.
    source = place_source(chunk.text, {CONTEXT_KEY: "", **chunk.metadata})
    # A chunk has headings if it was split as Markdown.
    headed = chunk.metadata.get("headings") or chunk.metadata.get(INSIDE_KEY)
    if source.kind == "markdown" or (headed and source.kind in ("text", "csv")):
        return MarkdownText(source).outline
    return PlainText(source).outline
