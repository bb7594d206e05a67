"""Passages: the hits of a search, joined for a reader.

Small chunks are found best, but read as fragments. Hits of one document that lie close together
become one passage, with the text between them. A passage is an exact slice of its document.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import inf
from operator import attrgetter, eq, itemgetter
from typing import Any, NamedTuple

from lumber_core.checks import check_positive
from lumber_core.spans import Span
from lumber_core.support.identity import chunk_id
from lumber_core.text.captions import is_captions, speech, spoken_text, time_at
from lumber_core.text.markdown import (
    CONTEXT_KEY,
    HEADING_SEPARATOR,
    INSIDE_KEY,
    INSIDE_SEPARATOR,
    LEVELS_KEY,
)
from lumber_core.text.outline import Context, split_titles
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE
from lumber_retrieval.hits import Hit
from lumber_retrieval.words.keywords import (
    count_starts,
    count_written,
    floor_by_length,
    is_inside_word,
)

MAX_GAP = 90
"""Maximum number of words between hits that are joined, by default. These words count towards the
budget. Measured at 600 words: joined hits have the same recall as single hits."""

_MIN_TITLES = 2  # the first and the last are kept
_MAX_TITLE_WORDS = 12
"""Maximum number of words of the titles above a passage, if there are more than two titles.
Measured: with 8 or 12, recall with context is 0.002 to 0.005 higher than with all titles, and in
annual reports a page of the evidence is found for one more of 37 questions."""

_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # those of str.splitlines

# Keys of metadata about the start of a chunk, and about its end.
_START_KEYS = (
    *("headings", LEVELS_KEY, CONTEXT_KEY, FIRST_PAGE, FIRST_LINE),
    *("verdict", "verdict_reason"),
)
_END_KEYS = (LAST_PAGE, LAST_LINE)
OWN_KEYS = (*_START_KEYS, *_END_KEYS, INSIDE_KEY)
"""Keys of metadata that describe a chunk or passage, not its document."""


@dataclass(frozen=True)
class Passage:
    """A part of a document that fits a query: hits that lie close together, joined.

    Attributes:
        document: The name of its document.
        span: Its place in the text of the document, in characters.
        text: The slice of that text.
        hits: Its hits, best first. In a passage of a `PassageIndex`, each hit is a sentence.
        context: The title, headings and header row of a table above it; "" if there are none, or
            if the search returns passages without context.
        words_found: The share of the question's words that it contains with its context, weighted
            by rarity, from 0 to 1; None if it is unknown.
        spoken: The spoken words of its text if the document is captions, else "". See
            `readable_text`.
        time: The time at which they begin, as in "00:12:30"; "" if the document is not captions.
    """

    document: str
    span: Span
    text: str
    hits: tuple[Hit, ...] = field(repr=False)
    context: str = ""
    words_found: float | None = None
    spoken: str = field(default="", repr=False)
    time: str = ""

    @property
    def score(self) -> float:
        """The score of its best hit; from an index, 0 to 1, comparable within one query only."""
        return self.hits[0].score

    @property
    def similarity(self) -> float | None:
        """The highest cosine similarity of its hits and the query; None if it is unknown."""
        return max(
            (hit.similarity for hit in self.hits if hit.similarity is not None), default=None
        )

    @property
    def readable_text(self) -> str:
        """The text for a reader: the spoken words of captions, otherwise its text."""
        return self.spoken or self.text

    @property
    def in_context(self) -> str:
        """Its text for a reader, below its context: after a blank line or a table's header."""
        return Context.from_text(self.context).above(self.readable_text)

    @property
    def key(self) -> str:
        """A UUID, which is the same for a passage in every search."""
        return chunk_id(self.document, self.span, self.text, "passage")

    @property
    def metadata(self) -> dict[str, Any]:
        """Its metadata: the metadata of the best hit, with the place of the passage.

        Headings, context, first page and line, and the verdict about its start are those of the
        first hit. The last page and line are those of the hit that ends last. Headings inside are
        those of all hits.
        """
        in_order = [hit.metadata for hit in sorted(self.hits, key=lambda hit: hit.span)]
        metadata = {k: value for k, value in self.hits[0].metadata.items() if k not in OWN_KEYS}
        metadata |= {key: in_order[0][key] for key in _START_KEYS if key in in_order[0]}
        last = max(self.hits, key=lambda hit: hit.span.end).metadata
        metadata |= {key: last[key] for key in _END_KEYS if key in last}
        inside = list(_headings_inside(in_order))
        if inside:
            metadata[INSIDE_KEY] = INSIDE_SEPARATOR.join(inside)
        return metadata


def check_limits(max_gap: object, budget: object) -> None:
    """Raise a TypeError or ValueError unless these are limits of passages; see `join_hits`."""
    check_positive("max_gap", max_gap, least=0)
    if budget is not None:
        check_positive("budget", budget)


def check_slices(hits: Iterable[Hit], texts: Mapping[str, str]) -> None:
    """Raise a ValueError unless hits are slices of the texts of their documents."""
    for hit in hits:
        if not texts[hit.document].startswith(hit.text, hit.span.start):
            raise ValueError(
                f"the hit {hit.text[:40]!r} is not at offset {hit.span.start:,} of the document "
                f"{hit.document}: pass the text that was split, and index the document again if "
                "it has changed since; chunks that begin with a context need end_index in their "
                "metadata"
            )


def shorten_context(context: str) -> str:
    """Return a context, shortened: the headings right below its title are left out first."""
    titles, _, table = context.partition("\n")
    if titles.startswith("|"):
        return context
    path = titles.split(HEADING_SEPARATOR)
    while len(path) > _MIN_TITLES and sum(map(count_written, path)) > _MAX_TITLE_WORDS:
        del path[1]
    return "\n".join(part for part in (HEADING_SEPARATOR.join(path), table) if part)


def in_reading_order(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages, given best first, by document and by offset within each."""
    places = {passage.document: place for place, passage in reversed([*enumerate(passages)])}
    return sorted(passages, key=lambda passage: (places[passage.document], passage.span))


def join_hits(
    hits: Sequence[Hit],
    texts: Mapping[str, str],
    *,
    max_gap: int = MAX_GAP,
    budget: int | None = None,
) -> list[Passage]:
    """Join hits that lie close together.

    Hits are taken by score, and in the given order if scores are equal. A hit costs its words and
    the words between it and the passages that it joins. A hit that costs more than the rest of the
    budget is left out, and the next hit is tried. The best hit is always taken.

    Args:
        hits: The hits.
        texts: The text of each document.
        max_gap: Hits of one document with at most this many words between them are joined.
        budget: Maximum number of words of all passages, including words between hits and above
            passages. None: no limit. If the best hit alone is longer, it alone is returned.

    Returns:
        Passages that do not overlap, best first, by their best hits. Two passages of one document
        are more than `max_gap` words apart.

    Raises:
        TypeError: A limit is not a whole number.
        ValueError: `max_gap` is negative, `budget` is below 1, or a hit is not a slice of its
            document.
    """
    check_limits(max_gap, budget)
    check_slices(hits, texts)
    return join_slices(hits, texts, max_gap, budget)


def join_slices(
    hits: Sequence[Hit], texts: Mapping[str, str], max_gap: int, budget: int | None
) -> list[Passage]:
    """Join hits that are slices of their documents; see `join_hits`."""
    any_hit = {hit.document: hit for hit in hits}
    documents = {name: _DocumentPassages(texts[name], hit.kind) for name, hit in any_hit.items()}
    used_words = 0
    for rank, hit in enumerate(sorted(hits, key=attrgetter("score"), reverse=True)):
        room = inf if budget is None or not rank else budget - used_words
        used_words += documents[hit.document].join(rank, hit, max_gap, room)
    passages = [passage for document in documents.values() for passage in document.passages()]
    return [passage for _, passage in sorted(passages, key=itemgetter(0))]


class _JoinedHits(NamedTuple):
    """A passage: its span, and the numbers of words that begin in it, are in it or above it."""

    span: Span
    starts: int
    words: int
    above: int
    hits: list[tuple[int, Hit]]  # with their ranks, which differ


class _DocumentPassages:
    """The text of a document, and its passages so far."""

    def __init__(self, text: str, kind: str) -> None:
        self._original = text
        self._dense = not is_captions(text, kind)  # spaces replace cues in captions
        self._text = text if self._dense else speech(text)  # the text in which words are counted
        self._passages: list[_JoinedHits] = []  # in reading order

    def passages(self) -> Iterator[tuple[int, Passage]]:
        """Yield the passages with the ranks of their best hits."""
        text = self._original
        for span, *_, ranked in self._passages:
            ranked.sort()
            hits = tuple(hit for _, hit in ranked)
            passage = Passage(hits[0].document, span, span.of(text), hits)
            if not self._dense:
                time = time_at(text, span.start)
                passage = replace(passage, spoken=spoken_text(text, span), time=time)
            yield ranked[0][0], passage

    def join(self, rank: int, hit: Hit, max_gap: int, room: float) -> int:
        """Join a hit with passages near it if it fits; return the number of words added."""
        first = last = bisect_right(self._passages, hit.span.start, key=attrgetter("span.start"))
        if first and hit.span.end <= self._passages[first - 1].span.end:
            if room >= 0:
                self._passages[first - 1].hits.append((rank, hit))
            return 0
        start, end, above = _with_indent(hit.span.start, self._original), hit.span.end, hit.above
        if first and self._are_near(self._passages[first - 1].span.end, start, max_gap):
            first -= 1
            before = self._passages[first]
            start, end, above = before.span.start, max(end, before.span.end), before.above
        while last < len(self._passages):
            after = self._passages[last].span
            if not self._are_near(end, after.start, max_gap):
                break
            end = max(end, after.end)
            last += 1
        length = self._dense * (end - start)
        if first == last and above + floor_by_length(0, length) > room:
            return 0  # true of half of all hits: saves counting their words
        # Words that begin in ranges add up; the word in which a passage begins is counted apart.
        starts, position, counted, hits = 0, start, 0, [(rank, hit)]
        for passage in self._passages[first:last]:
            starts += count_starts(self._text, position, passage.span.start) + passage.starts
            position = passage.span.end
            counted += passage.words + passage.above
            hits += passage.hits
        starts += count_starts(self._text, position, end)
        words = floor_by_length(starts + is_inside_word(self._text, start), length)
        added = words + above - counted
        if added > room:
            return 0
        self._passages[first:last] = [_JoinedHits(Span(start, end), starts, words, above, hits)]
        return added

    def _are_near(self, end: int, start: int, max_gap: int) -> bool:
        """Return whether at most `max_gap` words are between two places; long words count more."""
        if start - end <= max_gap:  # each word has at least one character
            return True
        fewest = self._dense * floor_by_length(0, start - end)
        return fewest <= max_gap >= count_starts(self._text, end, start)


def _with_indent(start: int, text: str) -> int:
    """Return where the line of an offset starts if only white space is between, or the offset."""
    blank = start
    while blank and text[blank - 1].isspace() and text[blank - 1] not in _LINE_ENDS:
        blank -= 1
    return start if blank and text[blank - 1] not in _LINE_ENDS else blank


def _headings_inside(hits: Iterable[Mapping[Any, Any]]) -> Iterator[str]:
    """Yield the titles of sections that begin after the start of the first hit."""
    path_before: list[str] | None = None
    inside_before: list[str] = []
    before: Mapping[Any, Any] | None = None
    for hit in hits:
        if hit is before:  # another sentence of the same chunk
            continue
        before = hit
        path = split_titles(hit.get("headings"))
        inside = split_titles(hit.get(INSIDE_KEY), INSIDE_SEPARATOR)
        common = 0 if path_before is None else sum(takewhile(bool, map(eq, path_before, path)))
        new = [] if path_before is None else path[common:]
        # Hits that overlap have titles in common.
        yield from (title for title in (*new, *inside) if title not in inside_before)
        path_before, inside_before = path, inside
