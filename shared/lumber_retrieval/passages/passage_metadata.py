"""Metadata of passages: headings, context, pages and lines of their first and last chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lumber_core.chunking.delivery import Delivery, deliver, known_metadata
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.pages import place_source
from lumber_core.text.parsed import MarkdownText
from lumber_core.text.structured import StructuredText, parse_plain
from lumber_core.tokens import DEFAULT_TOKENIZER, token_counter
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import OWN_KEYS, Passage, shorten_context


def describe_passage(
    passage: Passage, chunks: Mapping[int, Hit], described: Mapping[int, Hit]
) -> Passage:
    """Return a passage with the headings, context, pages and lines of its start and its end.

    Args:
        passage: The passage, whose hits are sentences.
        chunks: The chunks of these sentences, by number.
        described: For each chunk, the hit whose text contains it and whose metadata is known.
    """
    hits = [part for hit in passage.hits for part in _divide_by_chunk(hit, chunks)]
    for place in {
        min(range(len(hits)), key=lambda n: hits[n].span),
        max(range(len(hits)), key=lambda n: hits[n].span.end),
    }:
        metadata = {**_metadata_of(hits[place], described)}
        if metadata.get(CONTEXT_KEY):
            metadata[CONTEXT_KEY] = shorten_context(metadata[CONTEXT_KEY])
        hits[place] = hits[place]._replace(metadata=metadata)
    return replace(passage, hits=tuple(hits))


def _divide_by_chunk(sentence: Hit, chunks: Mapping[int, Hit]) -> Iterator[Hit]:
    """Yield the parts of a sentence that are in different chunks."""
    for number in (sentence.number - 1, sentence.number, sentence.number + 1):
        chunk = chunks.get(number)
        if chunk is None or chunk.document != sentence.document:
            continue
        span = sentence.span.within(chunk.span)
        if span.start < span.end:
            text = span.shifted(-chunk.span.start).of(chunk.text)
            yield sentence._replace(number=number, span=span, text=text, metadata=chunk.metadata)


def _metadata_of(part: Hit, described: Mapping[int, Hit]) -> Mapping[str, Any]:
    """Return the metadata of a part of a chunk: its own headings, context, pages and lines."""
    chunk = described[part.number]
    metadata = chunk.metadata
    if part.span == chunk.span or not metadata.keys() & {*OWN_KEYS}:
        return part.metadata
    # Without a context, its document has a title of its own, or a name that is not descriptive.
    source = place_source(chunk.text, {CONTEXT_KEY: "", **metadata})
    plain = parse_plain(source)
    # A chunk of a plain text that was split as Markdown by its units has headings.
    has_headings = "headings" in metadata and not isinstance(plain, StructuredText)
    parsed = MarkdownText(source) if source.kind == "markdown" or has_headings else plain
    limits = SizeLimits(None, None, token_counter(DEFAULT_TOKENIZER))
    span = part.span.shifted(-chunk.span.start)
    [own] = deliver(Segmentation((span,)), Delivery(), parsed, limits)
    return {**part.metadata, **known_metadata(own, metadata, everything=False, context=True)}
