"""Hits: the chunks that a search returns, and that are joined into passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from lumber_core.spans import Span
from lumber_core.text.outline import TextOutline
from lumber_core.text.source import Source

TARGET_SIZE, TOKENIZER = 50, "even"
"""Preferred tokens of a chunk, by default, and the tokenizer that counts them. Measured: chunks of
this size gain most from vectors with their surroundings, in any alphabet."""

LONG_DOCUMENT = 30_000
"""Minimum characters of a text whose title counts, about ten pages. A shorter document has few
chunks, and a preference would rank all of them first."""

Accepts = Callable[[Mapping[str, Any]], bool]
"""Returns whether a chunk with this metadata may be found."""


class Sentence(NamedTuple):
    """A sentence, item or row: its place in a text, its slice, and what `has_content` returns."""

    span: Span
    text: str
    has_content: bool


@dataclass(slots=True)
class StoredSentences:
    """The sentences of a stored chunk.

    Attributes:
        places: Their places, from `divide_chunks`; empty if the chunk was not divided.
        last_read: The limits and the result of the last call of `chunk_sentences`; None before.
    """

    places: Sequence[int] = ()
    last_read: tuple[tuple[int, int], Sequence[Sentence]] | None = field(
        default=None, repr=False, compare=False
    )


class Hit(NamedTuple):
    """A chunk that a search found.

    Attributes:
        number: Its ID in the search that returned it.
        document: The name of its document.
        span: Its place in the text of the document.
        text: Its text, a slice of the document's.
        score: How well it fits the query, higher is better.
        metadata: Its metadata and that of its document.
        above: The number of words of its context, which count if a passage begins with the hit.
        similarity: The cosine of its vector and the query's; None if it is unknown.
        outline: The outline of its document; None if only the metadata are known.
        sentences: Its sentences, if it is stored in an index.
    """

    number: int
    document: str
    span: Span
    text: str
    score: float
    metadata: Mapping[str, Any]
    above: int = 0
    similarity: float | None = None
    outline: TextOutline | None = None
    sentences: StoredSentences | None = None

    @property
    def kind(self) -> str:
        """How the text of its document is read; see `Source.kind`."""
        return (self.outline or Source("", metadata=self.metadata)).kind


make_hit: Callable[[Iterable[Any]], Hit] = partial(tuple.__new__, Hit)
"""Makes a hit of values: faster than `Hit._make`, which is written in Python."""
