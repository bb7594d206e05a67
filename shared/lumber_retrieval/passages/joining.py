"""Passages: the hits of a search, joined for a reader.

Small chunks are found best, but are fragments to read. Hits of one document that lie close together
become one passage, with the text between them. A passage is an exact slice of its document.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from math import inf
from operator import eq
from typing import Any, NamedTuple

from lumber_core.checks import check_not_negative, check_positive
from lumber_core.spans import Span
from lumber_core.support.identity import chunk_id
from lumber_core.text.captions import without_times
from lumber_core.text.context import Context
from lumber_core.text.markdown import (
    CONTEXT_KEY,
    HEADING_SEPARATOR,
    INSIDE_KEY,
    INSIDE_SEPARATOR,
    LEVELS_KEY,
)
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE
from lumber_retrieval.hits import Hit
from lumber_retrieval.words.word_count import count_starts, count_words, is_inside_word, least_words

MAX_GAP = 90
"""Most words between hits that are joined, by default.

Joined so and the words between them charged, hits had the recall at 600 words that they had alone.
"""

_FEWEST_TITLES = 2
_WORDS_OF_TITLES = 12
"""Most words of the titles above a passage, if more than the first and the last stand there. With
eight or twelve, recall with context is 0.002 to 0.005 higher than with all, and of annual reports
one question in 37 more touches the page of its evidence."""

# What metadata says of the start of a chunk, and of its end.
_OF_START = (
    *("headings", LEVELS_KEY, CONTEXT_KEY, FIRST_PAGE, FIRST_LINE),
    *("verdict", "verdict_reason"),
)
_OF_END = (LAST_PAGE, LAST_LINE)
OWN_KEYS = (*_OF_START, *_OF_END, INSIDE_KEY)
"""Keys of metadata that say something of a chunk or passage, and not of its document."""


@dataclass(frozen=True)
class Passage:
    """A part of a document that fits a query: hits that lie close together, joined.

    Attributes:
        document: Identifies the document.
        span: Its place in the text of the document, in characters.
        text: The slice of that text.
        hits: The hits it is made of, best first; from an index, sentences.
        context: What stands above it: title, headings, the header row of a table; "" if nothing
            does, or if passages were asked for without it.
        words_found: The share of the question's words that it has, weighed by how rare they are,
            from 0 to 1; None if it is not known.
    """

    document: str
    span: Span
    text: str
    hits: tuple[Hit, ...] = field(repr=False)
    context: str = ""
    words_found: float | None = None

    @property
    def score(self) -> float:
        """The score of its best hit; from an index, from 0 to 1, and only for one query."""
        return self.hits[0].score

    @property
    def similarity(self) -> float | None:
        """The highest cosine similarity of its hits and the query; None if it is not known."""
        return max(
            (hit.similarity for hit in self.hits if hit.similarity is not None), default=None
        )

    @property
    def in_context(self) -> str:
        """Its text below its context: after a blank line, or right below the header of a table."""
        return text_in_context(self.context, self.text)

    @property
    def key(self) -> str:
        """A UUID: the same for the same passage in every search."""
        return chunk_id(self.document, self.span, self.text, "passage")

    @property
    def metadata(self) -> dict[str, Any]:
        """What is known about it.

        That of the best hit; but headings, context, first page and line, and how its start was
        decided are those of the first hit, the last page and line those of the hit that ends last.
        Sections that begin inside are the ones the hits name.
        """
        in_order = [hit.metadata for hit in sorted(self.hits, key=lambda hit: hit.span)]
        metadata = {k: value for k, value in self.hits[0].metadata.items() if k not in OWN_KEYS}
        metadata |= {key: in_order[0][key] for key in _OF_START if key in in_order[0]}
        # Others may end before, and say where the chunk ends that they are a sentence of.
        last = max(self.hits, key=lambda hit: hit.span.end).metadata
        metadata |= {key: last[key] for key in _OF_END if key in last}
        inside = list(_headings_inside(in_order))
        if inside:
            metadata[INSIDE_KEY] = INSIDE_SEPARATOR.join(inside)
        return metadata


def check_limits(max_gap: object, budget: object) -> None:
    """Raise a TypeError or ValueError unless these are limits of passages; see `join_hits`."""
    check_not_negative("max_gap", max_gap)
    if budget is not None:
        check_positive("budget", budget)


def check_slices(hits: Iterable[Hit], texts: Mapping[str, str]) -> None:
    """Raise a ValueError unless hits are slices of the texts of their documents."""
    for hit in hits:
        if not texts[hit.document].startswith(hit.text, hit.span.start):
            raise ValueError(
                f"the text of the document {hit.document} does not have the hit that begins with "
                f"{hit.text[:40]!r} at offset {hit.span.start:,}: index a document that has "
                "changed again, and pass texts as they were split; chunks with a context before "
                "their text need their end_index in the metadata"
            )


def text_in_context(context: str, text: str) -> str:
    """Return a text below its context, as `Context.above` does, given the context as a text."""
    titles, _, table = context.partition("\n")
    if titles.startswith("|"):
        titles, table = "", context
    return Context((titles,) if titles else (), table).above(text)


def shortened(context: str) -> str:
    """Return a context without outer headings, below its title, above a dozen words of titles."""
    titles, _, table = context.partition("\n")
    if titles.startswith("|"):
        return context
    path = titles.split(HEADING_SEPARATOR)
    while len(path) > _FEWEST_TITLES and sum(map(count_words, path)) > _WORDS_OF_TITLES:
        del path[1]
    return "\n".join(part for part in (HEADING_SEPARATOR.join(path), table) if part)


def in_reading_order(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages, which come best first, by document and by offset within each."""
    places = {passage.document: place for place, passage in reversed([*enumerate(passages)])}
    return sorted(passages, key=lambda one: (places[one.document], one.span))


def join_hits(
    hits: Sequence[Hit],
    texts: Mapping[str, str],
    *,
    max_gap: int = MAX_GAP,
    budget: int | None = None,
) -> list[Passage]:
    """Join hits that lie close together.

    Hits are taken by score, and in the given order if scores are equal. One that does
    not fit into the budget, together with the text between it and the passages that it would join,
    is left out, and the next one is tried. The best hit is always taken.

    Args:
        hits: The hits.
        texts: The text of each document.
        max_gap: Hits of one document with at most this many words between them are joined.
        budget: Maximum number of words of all passages, those between hits and above passages
            included. None: no limit. If the best hit alone is longer, it is the only one that is
            returned.

    Returns:
        Passages that do not overlap, best first, by their best hits. Between two of one document
        are more than `max_gap` words.

    Raises:
        TypeError: A limit is not a whole number.
        ValueError: `max_gap` is negative, `budget` below 1, or a document does not have the text of
            a hit at its offset.
    """
    check_limits(max_gap, budget)
    check_slices(hits, texts)
    joining = {name: _Joining(texts[name]) for name in {hit.document for hit in hits}}
    used = 0
    taken: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: hit.score, reverse=True):
        room = inf if budget is None or not taken else budget - used
        added = joining[hit.document].join(hit, max_gap, room)
        if added is not None:
            used += added
            taken.append(hit)
    found: dict[tuple[str, Span], list[Hit]] = {}  # best first, as hits were taken
    for hit in taken:
        span = joining[hit.document].passage_of(hit.span)
        found.setdefault((hit.document, span), []).append(hit)
    return [
        Passage(document, span, span.of(texts[document]), tuple(own))
        for (document, span), own in found.items()
    ]


class _Joined(NamedTuple):
    """Joined hits: how many words begin in them, count of them, and are written above them."""

    span: Span
    begun: int
    words: int
    above: int


class _Joining:
    """The text of a document, and the passages made of it so far."""

    def __init__(self, text: str) -> None:
        self._text = without_times(text)  # words are counted in it
        self._passages: list[_Joined] = []  # in order
        self._starts: list[int] = []  # of these

    def passage_of(self, span: Span) -> Span:
        """Return the passage that contains a hit."""
        return self._passages[bisect_right(self._starts, span.start) - 1].span

    def join(self, hit: Hit, max_gap: int, room: float) -> int | None:
        """Join a hit with those near it; return the words added, or None if there is no room."""
        first = last = bisect_right(self._starts, hit.span.start)
        (start, end), above = hit.span, hit.above
        if first and self._near(self._passages[first - 1].span.end, start, max_gap):
            first -= 1
            before = self._passages[first]
            start, end, above = before.span.start, max(end, before.span.end), before.above
        while last < len(self._passages):
            after = self._passages[last].span
            if not self._near(end, after.start, max_gap):
                break
            end = max(end, after.end)
            last += 1
        # Words that begin in a range add up; the one in which a passage begins is counted apart.
        begun, position, known = 0, start, 0
        for one in self._passages[first:last]:
            begun += count_starts(self._text, position, one.span.start) + one.begun
            position = one.span.end
            known += one.words + one.above
        begun += count_starts(self._text, position, end)
        words = least_words(begun + is_inside_word(self._text, start), end - start)
        added = words + above - known
        if added > room:
            return None
        self._passages[first:last] = [_Joined(Span(start, end), begun, words, above)]
        self._starts[first:last] = [start]
        return added

    def _near(self, end: int, start: int, max_gap: int) -> bool:
        """Return whether at most `max_gap` words, which may be parts of some, lie between."""
        gap = start - end
        return least_words(0, gap) <= max_gap and count_starts(self._text, end, start) <= max_gap


def _headings_inside(hits: Iterable[Mapping[Any, Any]]) -> Iterator[str]:
    """Yield the titles of sections that begin after the start of the first hit."""
    above: list[str] | None = None
    known: list[str] = []
    for hit in hits:
        path = _parts(hit.get("headings"), HEADING_SEPARATOR)
        inside = _parts(hit.get(INSIDE_KEY), INSIDE_SEPARATOR)
        begun = [] if above is None else path[sum(takewhile(bool, map(eq, above, path))) :]
        # Hits that overlap name the same titles.
        yield from (title for title in (*begun, *inside) if title not in known)
        above, known = path, inside


def _parts(titles: object, separator: str) -> list[str]:
    """Return titles; documents may come with other values of the same name."""
    return titles.split(separator) if isinstance(titles, str) and titles else []
