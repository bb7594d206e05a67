"""Reads one state of a store: which chunks fit a query, their texts and their metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

import numpy as np

from lumber_core.calls.threads import batches
from lumber_core.storage.database import Connection, select
from lumber_retrieval.hits import Accepts, Hit, make_hit
from lumber_retrieval.index.postings import TermLists
from lumber_retrieval.index.rows import CHUNKS_PER_STATEMENT, read_chunks, read_details
from lumber_retrieval.index.segments import LiveSegments, Ranking
from lumber_retrieval.index.vectors import Doubles
from lumber_retrieval.words.coverage import title_of
from lumber_retrieval.words.keywords import terms


@dataclass
class Snapshot:
    """One state of a store."""

    _connection: Connection  # a connection with an open transaction
    _segments: LiveSegments
    _intact: Callable[[], AbstractContextManager[None]]  # raises a StoreError for damaged values
    probe: bytes | None = None  # the embedding model's probe; None if nothing is stored
    frequencies: Mapping[str, int] = field(default_factory=dict)  # of the terms of the last query
    _accepted: dict[tuple[Accepts, int], bool] = field(default_factory=dict)  # by filter and chunk

    @cached_property
    def size(self) -> int:
        """How many chunks it has."""
        return self._segments.size

    def nearest(
        self, query_vector: Doubles, count: int, accepts: Accepts | None
    ) -> dict[int, float]:
        """Return the chunks nearest to a rotated vector, best first, with similarities."""
        # One more, because it may be as near as the last of `count`.
        return self._best(self._segments.nearest(query_vector, count + 1), count, accepts)

    def find_by_words(self, query: str, count: int, accepts: Accepts | None) -> dict[int, float]:
        """Return the numbers of the chunks with words of a query, best first, with BM25 scores."""
        with self._intact():
            size = max((len(segment.numbers) for segment in self._segments.segments), default=0)
            lists = TermLists(self._connection, self._segments.removed, terms(query), size)
        self.frequencies = lists.counts
        has_filter = accepts is not None
        best: dict[int, float] = {}
        # The first limit is that without a filter: a filter that accepts all chunks must not
        # change scores.
        for limit in (count + 1, count + 1 + self.size):
            groups = self._segments.find_by_words(lists, limit, every=has_filter)
            best = self._best(groups, count, accepts)
            if not has_filter or len(best) >= count:
                break
        return best

    def first(self, ranking: Iterable[tuple[int, float]], count: int) -> dict[int, float]:
        """Return the `count` chunks with the highest scores, best first.

        Ties for the last place are broken by the names of documents (see `OWNER`), then by number.
        """
        ranked = sorted(ranking, key=itemgetter(1), reverse=True)
        if len(ranked) <= count or ranked[count][1] < ranked[count - 1][1]:
            return dict(ranked[:count])
        lowest = ranked[count][1]
        equal = np.sort([number for number, score in ranked if score == lowest])
        names = self._segments.owners["name"][self._segments.places_of(equal)]
        best = {number: score for number, score in ranked if score > lowest}
        order = np.argsort(names, kind="stable")[: count - len(best)]
        return best | dict.fromkeys(equal[order].tolist(), lowest)

    def titles_of(self, chunks: Collection[int]) -> dict[int, tuple[int, str]]:
        """Return the document of each chunk, and the document's title, or "" if it is not long.

        Empty if no document has a title.
        """
        long, titles = self._segments.long_documents, self._segments.titles
        documents = self.documents_of(chunks) if long else {}
        numbers = long & {*documents.values()}
        new = [number for number in numbers if number not in titles]
        query = (
            "documents.id, documents.metadata, chunks.metadata FROM documents "
            "JOIN chunks ON chunks.id = last_chunk WHERE documents.id"
        )
        with self._intact():
            for number, of_document, details in select(self._connection, query, new):
                of_chunk = read_details(json.loads(details), from_zero=False)
                titles[number] = title_of({**json.loads(of_document), **of_chunk})
        if not any(titles[number] for number in numbers):
            return {}
        return {n: (document, titles.get(document, "")) for n, document in documents.items()}

    def documents_of(self, chunks: Collection[int]) -> dict[int, int]:
        """Return the number of each chunk's document."""
        places = self._segments.places_of([*chunks])
        return dict(zip(chunks, self._segments.owners["document"][places].tolist(), strict=True))

    def hits(
        self, scores: Mapping[int, float], query_vector: Doubles
    ) -> tuple[list[Hit], dict[str, str]]:
        """Return chunks as hits, in the order of `scores`, and the texts of their documents.

        The neighbours of each chunk in its document follow, with a score of 0. All have their
        similarity to `query_vector`, which is rotated.
        """
        if not scores:
            return [], {}
        with self._intact():
            places = self._segments.with_neighbours(self._segments.places_of([*scores]))
            numbers = self._segments.numbers[places].tolist()
            owners = self.documents_of(numbers)
            chunks, documents = read_chunks(self._connection, owners, self._segments.rows)
            cosines = self._segments.similarities(query_vector, places)
            similarities = dict(zip(numbers, cosines.tolist(), strict=True))
            hits = []
            for number in {**scores, **chunks}:
                document, span, metadata, sentences = chunks[number]
                name, text, outline = documents[document]
                score, similarity = scores.get(number, 0.0), similarities[number]
                values = (number, name, span, text[span.start : span.end], score)
                hits.append(make_hit((*values, metadata, 0, similarity, outline, sentences)))
        return hits, {name: text for name, text, _ in documents.values()}

    def _best(
        self, groups: Iterator[Ranking], count: int, accepts: Accepts | None
    ) -> dict[int, float]:
        """Return the first `count` accepted chunks of groups with falling scores."""
        best: Ranking = []
        while True:
            with self._intact():
                ranked = next(groups, None)
            if ranked is None:
                return self.first(best, count)
            for batch in batches(ranked, CHUNKS_PER_STATEMENT):
                best += batch if accepts is None else self._filter(batch, accepts)
                if len(best) > count and best[-1][1] < best[count - 1][1]:
                    return self.first(best, count)

    def _filter(self, ranked: Ranking, accepts: Accepts) -> Iterator[tuple[int, float]]:
        """Return the chunks that are accepted, with their scores."""
        new = [number for number, _ in ranked if (accepts, number) not in self._accepted]
        with self._intact():
            chunks, _ = read_chunks(self._connection, self.documents_of(new))
        for number, (_, _, metadata, _) in chunks.items():
            self._accepted[accepts, number] = accepts(metadata)
        return (scored for scored in ranked if self._accepted[accepts, scored[0]])
