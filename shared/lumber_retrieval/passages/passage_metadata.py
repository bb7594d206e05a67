"""Metadata of passages: headings, context, pages and lines of their first and last chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from lumber_core.chunking.delivery import Delivery, chunk_metadata, deliver
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY, HEADING_SEPARATOR, INSIDE_KEY, Block
from lumber_core.text.pages import FIRST_LINE, LAST_LINE, SEPARATOR, has_lines, place_source
from lumber_core.text.parsed import MarkdownText, ParsedText
from lumber_core.text.source import Source
from lumber_core.text.structured import StructuredText, parse_plain
from lumber_core.text.unicode import count_line_breaks
from lumber_core.tokens import DEFAULT_TOKENIZER, token_counter
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import OWN_KEYS, Passage, shorten_context

# A text with one of these is parsed to find its headings: tables, HTML, other line breaks, fences,
# front matter, underlined headings, empty items, headings that are indented, in quotes or with
# closing marks.
_PARSED = re.compile(
    r"[|<\r\v\f\ufeff]|```|~~~|:::|\A\+|(?:\A|[^\n]\n)[ \t>]*[-=]+[ \t]*$"
    r"|^[ \t>]*(?:[-+*]|\d+[.)])[ \t]*$|^[ \t>]+#|^#.*#[ \t]*$",
    re.MULTILINE,
)
_PROSE = ("markdown", "text")
_OWN_KEYS = frozenset(OWN_KEYS)
_AS_IT_IS = Delivery()
_HEADING = re.compile(r"^(#{1,6})(?:[ \t]+(.*))?$", re.MULTILINE)


def describe_passage(
    passage: Passage, chunks: Mapping[int, Hit], described: Mapping[int, Hit]
) -> tuple[tuple[Hit, ...], str]:
    """Return the hits of a passage by chunk, and the context of its start.

    The first and the last hit have the headings, context, pages and lines of their own text.

    Args:
        passage: The passage, whose hits are sentences.
        chunks: The chunks of these sentences, by number.
        described: For each chunk, the hit whose text contains it and whose metadata is known.
    """
    hits = [part for hit in passage.hits for part in _divide_by_chunk(hit, chunks)]
    first = min(range(len(hits)), key=lambda n: hits[n].span)
    last = max(range(len(hits)), key=lambda n: hits[n].span.end)
    for place in {first, last}:
        metadata = {**_metadata_of(hits[place], described)}
        if metadata.get(CONTEXT_KEY):
            metadata[CONTEXT_KEY] = shorten_context(metadata[CONTEXT_KEY])
        hits[place] = hits[place]._replace(metadata=metadata)
    return tuple(hits), hits[first].metadata.get(CONTEXT_KEY, "")


def _divide_by_chunk(sentence: Hit, chunks: Mapping[int, Hit]) -> Iterator[Hit]:
    """Yield the parts of a sentence that are in different chunks."""
    own, document, (start, end), _, score, _, above, similarity = sentence
    for number in (own - 1, own, own + 1):
        chunk = chunks.get(number)
        if chunk is None or chunk.document != document:
            continue
        first, last = chunk.span
        if number == own and first <= start and end <= last:
            yield sentence
        elif start < last and first < end:
            span = Span(max(start, first), min(end, last))
            text = chunk.text[span.start - first : span.end - first]
            yield Hit(number, document, span, text, score, chunk.metadata, above, similarity)


def _metadata_of(part: Hit, described: Mapping[int, Hit]) -> Mapping[str, Any]:
    """Return the metadata of a part of a chunk: its own headings, context, pages and lines."""
    chunk = described[part.number]
    metadata = chunk.metadata
    if part.span == chunk.span or not metadata.keys() & _OWN_KEYS:
        return part.metadata
    skipped = chunk.text[: part.span.start - chunk.span.start]
    if (
        part.metadata is metadata  # not what a hit of another engine was extended by
        and INSIDE_KEY not in metadata
        and SEPARATOR not in chunk.text
        and has_lines(metadata)
        and _ends_with_heading(metadata)
        and not (skipped and ("#" in skipped or _PARSED.search(skipped)))
        and (not skipped or Source("", metadata=metadata).kind in _PROSE)
    ):  # its lines alone differ
        own = part.text.lstrip()
        first = metadata[FIRST_LINE] + count_line_breaks(
            chunk.text, 0, len(skipped) + len(part.text) - len(own)
        )
        last = first + count_line_breaks(own.rstrip(), 0, len(own))
        return {**metadata, FIRST_LINE: first, LAST_LINE: last}
    # Without a context, its document has a title of its own, or a name that is not descriptive.
    source = place_source(chunk.text, {CONTEXT_KEY: "", **metadata})
    parsed: ParsedText = ChunkOutline(source)
    headed = metadata.get("headings") or metadata.get(INSIDE_KEY)
    lost = part.metadata is metadata and not headed and _HEADING.search(chunk.text)
    if source.kind != "markdown" or lost:
        plain = parse_plain(source)  # a chunk has headings if it was split as Markdown
        if not headed or isinstance(plain, StructuredText):
            parsed = plain
    span = part.span.shifted(-chunk.span.start)
    [one] = deliver(Segmentation((span,)), _AS_IT_IS, parsed, _no_limits())
    return {**part.metadata, **chunk_metadata(one, metadata, everything=False, context=True)}


def _ends_with_heading(metadata: Mapping[Any, Any]) -> bool:
    """Return whether the context of a chunk ends with a heading above it, not with table rows."""
    path = metadata.get("headings", "").split(HEADING_SEPARATOR)
    return metadata.get(CONTEXT_KEY, "").rpartition(HEADING_SEPARATOR)[2] in path


@cache
def _no_limits() -> SizeLimits:
    return SizeLimits(None, None, token_counter(DEFAULT_TOKENIZER))


class ChunkOutline(MarkdownText):
    """A Markdown text of which headings and headers of tables are needed alone."""

    @cached_property
    def blocks(self) -> list[Block]:
        """Its headings, after a paragraph if the text begins with one; all blocks of some texts."""
        if _PARSED.search(self.text):
            return super().blocks
        end = len(self.text)
        first = end - len(self.text.lstrip(" \t\n"))
        headings = [
            Block(
                line.start() if line.start() > first else 0,
                end,
                "heading",
                len(line[1]),
                " ".join((line[2] or "").split()),
            )
            for line in _HEADING.finditer(self.text)
        ]
        if headings and not headings[0].start:
            return headings
        return [Block(0, first, "paragraph"), *headings]
