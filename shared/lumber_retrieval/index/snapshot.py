"""Reads one state of a store: which chunks fit a query, their texts and their metadata."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from lumber_core.calls.threads import batches
from lumber_core.spans import Span
from lumber_core.storage.database import Connection, select, text_in
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY, LEVELS_KEY
from lumber_core.text.outline import read_outline
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE
from lumber_retrieval.hits import Accepts, Hit
from lumber_retrieval.index.postings import Occurring, frequencies
from lumber_retrieval.index.segments import LiveSegments, Ranking
from lumber_retrieval.index.surroundings import Vectors
from lumber_retrieval.index.vectors import Doubles, rotate
from lumber_retrieval.words.keywords import terms

_HEADINGS = "headings"
_Intact = Callable[[], AbstractContextManager[None]]

_SHORT_KEYS = {
    _HEADINGS: "h",
    LEVELS_KEY: "v",
    INSIDE_KEY: "i",
    CONTEXT_KEY: "c",
    FIRST_PAGE: "p",
    LAST_PAGE: "q",
    FIRST_LINE: "l",
    LAST_LINE: "m",
}
"""Keys of metadata that most chunks have, and the keys under which they are stored."""
_LONG_KEYS = {short: name for name, short in _SHORT_KEYS.items()}
_CHUNKS_PER_STATEMENT = 400
"""Each is named twice in a statement, in which SQLite's limit was 999 values for long."""


class Snapshot:
    """One state of a store; `connection` has an open transaction."""

    def __init__(
        self,
        connection: Connection,
        segments: LiveSegments,
        intact: _Intact,
        probe: bytes | None = None,
    ) -> None:
        self.probe = probe  # of the embedding model; None if nothing is stored
        self._connection = connection
        self._segments = segments
        self._intact = intact  # a context that raises a StoreError if the file is damaged
        self._accepted: dict[tuple[Accepts, int], bool] = {}  # computed once for each chunk
        self._occurrences: Occurring = {}  # of terms that were read already
        self._wanted: tuple[object, Doubles] | None = None  # the last vector, as given and rotated

    def nearest(
        self, vector: Sequence[float], count: int, accepts: Accepts | None
    ) -> dict[int, float]:
        """Return the numbers of the chunks nearest to a vector, best first, with similarities."""
        return self._first([self._nearest(vector, count, accepts)], count)[0]

    def matching(self, query: str, count: int, accepts: Accepts | None) -> dict[int, float]:
        """Return the numbers of the chunks with words of a query, best first, with BM25 scores."""
        return self._first([self._matching(query, count, accepts)], count)[0]

    def frequencies(self, words: Iterable[str]) -> Mapping[str, int]:
        """Return how many chunks have each term, in their text or around it."""
        return frequencies(self._occurring(words))

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._segments)

    def similarities(
        self, vector: Sequence[float] | Vectors, numbers: Sequence[int]
    ) -> list[float]:
        """Return the cosine similarities of chunks to a vector."""
        with self._intact():
            return self._segments.similarities(self._rotate(vector), numbers)

    def rankings(
        self,
        vector: Sequence[float] | Vectors,
        query: str | None,
        count: int,
        accepts: Accepts | None,
    ) -> list[dict[int, float]]:
        """Return what `nearest` and `matching` return.

        Args:
            vector: The vector of a query. Zeros rank chunks only if its words find none, as do
                vectors that are the same for all texts: mocks of models return these.
            query: The query. None: no ranking by words.
            count: The number of chunks in each ranking.
            accepts: Returns whether a chunk may be found. None: all may be.
        """
        by_words = [] if query is None else self._matching(query, count, accepts)
        if by_words and not np.any(vector):
            return self._first([by_words], count)
        nearest = self._nearest(vector, count, accepts)
        same = len(nearest) > 1 and nearest[0][1] == nearest[-1][1]
        return self._first([by_words] if by_words and same else [nearest, by_words], count)

    def long_documents(self, chunks: Iterable[int]) -> dict[int, Mapping[str, Any]]:
        """Return the metadata of the long documents that have some of these chunks, by number."""
        known = self._segments.long_documents
        wanted = known.of(chunks)
        new = [number for number in wanted if number not in known.metadata]
        described = (
            "documents.id, documents.metadata, chunks.metadata FROM documents "
            "JOIN chunks ON chunks.id = last_chunk WHERE documents.id"
        )
        with self._intact():
            for number, own, details in self._select(described, new):
                of_chunk = _details(json.loads(details), later=False)
                known.metadata[number] = {**json.loads(own), **of_chunk}
            return {number: known.metadata[number] for number in wanted}

    def documents_of(self, chunks: Collection[int]) -> dict[int, int]:
        """Return the number of each chunk's document."""
        documents = dict(self._select("id, document FROM chunks WHERE id", chunks))
        with self._intact():
            return {number: documents[number] for number in chunks}

    def hits(
        self, scores: Mapping[int, float], *, neighbours: bool = False
    ) -> tuple[list[Hit], dict[str, str]]:
        """Return chunks as hits, in the order of `scores`, and the texts of their documents.

        With `neighbours`, those before and after each chunk in its document follow, with a score
        of 0.
        """
        chunks, documents = self._read(scores, texts=True, around=int(neighbours))
        with self._intact():
            texts = {row[0]: (text_in(row[6]), text_in(row[7])) for row in documents}
            outlines = {row[0]: row[8] for row in documents}
            hits = []
            for number in {**scores, **chunks}:
                document, span, metadata = chunks[number]
                name, text = texts[document]
                score = scores.get(number, 0.0)
                own = (number, name, span, text[span.start : span.end], score, metadata)
                hits.append(Hit(*own, outline=read_outline(outlines[document])))
        return hits, dict(texts.values())

    def _read(
        self, numbers: Iterable[int], *, texts: bool, around: int = 0
    ) -> tuple[dict[int, tuple[int, Span, dict[str, Any]]], list[tuple[Any, ...]]]:
        """Return the documents, spans and metadata of chunks, and the rows of their documents.

        Args:
            numbers: The numbers of the chunks.
            texts: Whether the rows have the names, texts and outlines of the documents.
            around: How many neighbours on either side are included.
        """
        rows: list[tuple[Any, ...]] = []
        contents = "name, text, outline" if texts else "NULL, NULL, NULL"
        with self._intact():
            for some in batches(numbers, _CHUNKS_PER_STATEMENT // (1 + around)):
                near = range(-around, around + 1)
                wanted = [*{number + step for number in some for step in near}]
                rows += self._connection.execute(  # in one statement: each takes a round trip
                    "SELECT id, document, first, last, metadata, NULL, NULL, NULL, NULL "
                    f"FROM chunks WHERE id IN ({', '.join('?' * len(wanted))}) UNION ALL "
                    f"SELECT id, NULL, from_zero, NULL, metadata, source, {contents} "
                    "FROM documents WHERE id IN "
                    f"(SELECT document FROM chunks WHERE id IN ({', '.join('?' * len(some))}))",
                    [*wanted, *some],
                )
            documents = [row for row in rows if row[1] is None]
            of_those = {row[0] for row in documents}
            chunks = [row for row in rows if row[1] in of_those]
            # One text is parsed faster than many.
            parsed = json.loads(f"[{','.join(row[4] for row in documents)}]")
            common = {row[0]: own for row, own in zip(documents, parsed, strict=True)}
            later = self._counted_from_zero(documents)
            details = json.loads(f"[{','.join(row[4] for row in chunks)}]")
            described = {
                number: (
                    document,
                    Span(first, last),
                    {**common[document], **_details(own, later=document in later)},
                )
                for (number, document, first, last, *_), own in zip(chunks, details, strict=True)
            }
        return described, documents

    def _counted_from_zero(self, documents: Iterable[tuple[Any, ...]]) -> set[int]:
        """Return which documents have pages counted from 0, as other pages of their source show."""
        undecided = {row[0]: row[5] for row in documents if row[2] is None}
        if not undecided:
            return set()
        what = "DISTINCT source FROM documents WHERE from_zero = 1 AND source"
        sources = {source for (source,) in self._select(what, {*undecided.values()})}
        return {number for number, source in undecided.items() if source in sources}

    def _select(self, what: str, values: Iterable[Any]) -> list[tuple[Any, ...]]:
        with self._intact():
            return select(self._connection, what, values)

    def _occurring(self, words: Iterable[str]) -> Occurring:
        """Return where terms occur; each is read once."""
        wanted = dict.fromkeys(words)
        new = wanted.keys() - self._occurrences.keys()
        if new:
            with self._intact():
                self._occurrences |= self._segments.occurrences(self._connection, new)
        return {word: self._occurrences[word] for word in wanted}

    def _nearest(
        self, vector: Sequence[float] | Vectors, count: int, accepts: Accepts | None
    ) -> Ranking:
        # One more, as it may be as near as the last of `count`.
        ranked = self._segments.nearest(self._rotate(vector), count + 1)
        return self._best(ranked, count, accepts)

    def _rotate(self, vector: Sequence[float] | Vectors) -> Doubles:
        """Return a vector rotated as those of chunks are; the last one is cached."""
        if self._wanted is None or self._wanted[0] is not vector:
            self._wanted = vector, rotate(np.asarray(vector, dtype=np.float32))
        return self._wanted[1]

    def _matching(self, query: str, count: int, accepts: Accepts | None) -> Ranking:
        occurring = self._occurring(terms(query))
        best: Ranking = []
        for wanted in (count + 1, count + 1 + len(self._segments)):
            best = self._best(self._segments.matching(occurring, wanted), count, accepts)
            if accepts is None or len(best) >= count:
                break  # also with a filter that accepts all, so that scores are the same
        return best

    def _best(self, groups: Iterator[Ranking], count: int, accepts: Accepts | None) -> Ranking:
        """Return the first `count` accepted chunks, and those with the score of the last."""
        best: Ranking = []
        for ranked in self._read_intact(groups):
            for number, score in ranked if accepts is None else self._filter(ranked, accepts):
                if len(best) >= count and score < best[-1][1]:
                    return best
                best.append((number, score))
        return best

    def _filter(self, ranked: Ranking, accepts: Accepts) -> Iterator[tuple[int, float]]:
        """Yield the chunks that are accepted, with their scores."""
        for some in batches(ranked, _CHUNKS_PER_STATEMENT):
            new = [number for number, _ in some if (accepts, number) not in self._accepted]
            for number, (_, _, metadata) in self._read(new, texts=False)[0].items():
                self._accepted[accepts, number] = accepts(metadata)
            yield from (one for one in some if self._accepted[accepts, one[0]])

    def _read_intact(self, groups: Iterator[Ranking]) -> Iterator[Ranking]:
        with self._intact():
            yield from groups

    def _first(self, rankings: Sequence[Ranking], count: int) -> list[dict[int, float]]:
        """Return the `count` chunks of each ranking with the highest scores.

        Equal scores are ordered by the names of their documents, then by number.
        """
        equal = []
        for ranking in rankings:
            scores = Counter(score for _, score in ranking)
            equal += [number for number, score in ranking if scores[score] > 1]
        named = "chunks.id, name FROM chunks JOIN documents ON documents.id = document"
        names = dict(self._select(f"{named} WHERE chunks.id", equal))
        for ranking in rankings:
            ranking.sort(key=lambda one: (-one[1], names.get(one[0], b""), one[0]))
        return [dict(ranking[:count]) for ranking in rankings]


def short_json(details: Mapping[str, Any]) -> str:
    """Return the metadata of a chunk as it is stored: half as long, by short keys and no spaces.

    A context that the headings begin with is stored as its length.
    """
    headings, context = str(details.get(_HEADINGS, "")), details.get(CONTEXT_KEY)
    stored = {_SHORT_KEYS.get(key, key): value for key, value in details.items()}
    if context and headings.startswith(str(context)):
        stored[_SHORT_KEYS[CONTEXT_KEY]] = len(str(context))
    return json.dumps(stored, separators=(",", ":"))


def _details(stored: Mapping[str, Any], *, later: bool) -> dict[str, Any]:
    """Return the metadata of a chunk from `short_json`; `later` adds 1 to its pages."""
    details = {_LONG_KEYS.get(key, key): value for key, value in stored.items()}
    if type(details.get(CONTEXT_KEY)) is int:
        details[CONTEXT_KEY] = details[_HEADINGS][: details[CONTEXT_KEY]]
    if later:
        details |= {key: details[key] + 1 for key in (FIRST_PAGE, LAST_PAGE) if key in details}
    return details
