"""What a search of an index returns: the chunks that a filter lets through, joined to passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lumber_core.identity import safe_repr
from lumber_core.spans import Span
from lumber_retrieval.joining import Hit, join_hits, passage_metadata
from lumber_retrieval.store import Accepts, Reading

Where = Mapping[str, Any] | Accepts | None
"""Which chunks may be found: values that their metadata has, or a function of the metadata."""


@dataclass(frozen=True)
class Passage:
    """A part of a document that fits a query.

    Attributes:
        document: The name of the document.
        span: Its place in the text of the document, in characters.
        text: The slice of that text.
        score: That of its best chunk, from 0 to 1.
        metadata: That of the document; with headings, context, pages and lines as
            `passage_metadata` says.
    """

    document: str
    span: Span
    text: str
    score: float
    metadata: dict[str, Any]


def filter_of(where: Where) -> Accepts | None:
    """Return whether metadata fits, as a function; None if all does.

    Raises:
        TypeError: `where` is neither a mapping nor a function.
    """
    if isinstance(where, Mapping):
        wanted = dict(where)
        return lambda metadata: all(
            name in metadata and metadata[name] == value for name, value in wanted.items()
        )
    if where is not None and not callable(where):
        raise TypeError(
            "a filter must be values by their names in the metadata, a function of the "
            f"metadata, or None, not {safe_repr(where)}"
        )
    return where


def join_chunks(
    reading: Reading, scores: Mapping[int, float], *, budget: int, max_gap: int
) -> list[Passage]:
    """Return the passages that chunks are joined to.

    Args:
        reading: The store of the chunks.
        scores: The scores of chunks by their numbers, best first.
        budget: As for `join_hits`, like `max_gap`.
        max_gap: Most words between chunks that are joined.
    """
    chunks = reading.chunks(scores)
    texts = reading.texts({chunk.document for chunk in chunks})
    hits = [
        Hit(one.document, one.span.start, one.span.of(texts[one.document]), scores[one.number])
        for one in chunks
    ]
    passages = []
    for document, span, text, numbers in join_hits(hits, texts, max_gap=max_gap, budget=budget):
        in_order = sorted(numbers, key=lambda number: hits[number].span)
        metadata = passage_metadata(
            chunks[numbers[0]].metadata, [chunks[number].metadata for number in in_order]
        )
        best = scores[chunks[numbers[0]].number]
        passages.append(Passage(document, span, text, best, metadata))
    return passages
