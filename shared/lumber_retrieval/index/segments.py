"""Segments, which never change: each has the numbers, vectors and postings of some chunks.

A search compares all vectors, and reads the posting list of each term of the query. Both are fast
if all vectors are one block of memory, and all chunks of a term one list. But one block and one
list would be rewritten for each document that is added. So chunks are divided into segments, as in
Lucene. A segment is one row with the numbers of its chunks, their lengths, owners and vectors, and
a row with a posting list for each term:

- New chunks become a new segment. The small segments before it are merged into it, so that each
  segment is larger than all later segments together. So segments are few, and adding n chunks takes
  n log n time. Numbers of chunks ascend over all segments.
- Removed chunks are listed in a table, and searches skip them; the others are live. Removed chunks
  leave their segment when it is merged, or when they are half of it.
- A process caches the segments that it has read, and reads only new ones.
- A search of all segments returns what one segment with all chunks would: the same similarities,
  and BM25 scores by the number and the mean length of all chunks.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.storage.database import Connection
from lumber_retrieval.hits import LONG_DOCUMENT
from lumber_retrieval.index.postings import (
    MAX_SEGMENTS,
    Postings,
    TermLists,
    bm25,
    keys_in,
    postings_of,
    saturation,
    with_places,
)
from lumber_retrieval.index.vectors import (
    Doubles,
    PackedVectors,
    Rows,
    Vectors,
    highest,
    in_two_parts,
    pack,
)

SCHEMA = """
CREATE TABLE IF NOT EXISTS segments (
    id {integer} PRIMARY KEY,
    first {integer} NOT NULL, last {integer} NOT NULL, size {integer} NOT NULL,
    numbers {bytes} NOT NULL, lengths {bytes} NOT NULL, owners {bytes} NOT NULL,
    vectors {bytes} NOT NULL
);
CREATE TABLE IF NOT EXISTS postings (key {integer} PRIMARY KEY, chunks {bytes} NOT NULL);
CREATE TABLE IF NOT EXISTS removed (chunk {integer} PRIMARY KEY)
"""
_IS_LONG = f"length(text) >= {LONG_DOCUMENT}"  # index and query need exactly the same condition
SCHEMA += f"""; CREATE INDEX IF NOT EXISTS long_documents
    ON documents (id) WHERE {_IS_LONG}
"""

_MAX_SEGMENT_CHUNKS = 1 << 16  # in a segment: merging takes about a second at most
_MAX_COMPARED_CHUNKS = 10_000  # chunks that are all compared by their 8 bits, in milliseconds
# Of more chunks, this many are compared by their 8 bits, and one more for each 250 chunks.
_MIN_CANDIDATES, _CHUNKS_PER_CANDIDATE = 4_000, 250

Terms = tuple[Sequence[str], Sequence[str]]
"""The terms in a chunk, and around it."""
Ranking = list[tuple[int, float]]
"""Numbers of chunks with their scores, best first."""
_Numbers = npt.NDArray[np.int64]
_Lengths = npt.NDArray[np.int32]
OWNER = np.dtype([("document", "<u4"), ("name", "<u4")])
"""The number of a chunk's document, and a checksum of its name, which breaks ties of chunks."""
Owners = npt.NDArray[np.void]


class Segment(NamedTuple):
    """A part of the chunks: their numbers, ascending, lengths in terms, owners and vectors."""

    id: int  # random except for its last bits (see `keys_in`): no other segment ever has this ID
    numbers: _Numbers
    lengths: _Lengths
    owners: Owners
    vectors: PackedVectors


@dataclass(frozen=True)
class LiveSegments:
    """One state of all segments, in the order of their chunks; live chunks are not removed."""

    state: bytes  # unique to this state
    segments: Sequence[Segment]
    live: npt.NDArray[np.bool_]  # for each chunk, whether it is live
    long_documents: frozenset[int]  # the numbers of documents of `LONG_DOCUMENT` characters
    titles: dict[int, str] = field(default_factory=dict)  # of long documents, read so far
    rows: tuple[dict[int, Any], dict[int, Any]] = field(default_factory=lambda: ({}, {}))  # cached

    @cached_property
    def parts(self) -> list[slice]:
        """The places of each segment's chunks among all chunks."""
        ends = [*accumulate(len(segment.numbers) for segment in self.segments)]
        return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    @cached_property
    def numbers(self) -> _Numbers:
        """The numbers of all chunks, ascending."""
        return np.concatenate([segment.numbers for segment in self.segments])

    @cached_property
    def owners(self) -> Owners:
        """The owners of all chunks; see `OWNER`."""
        return np.concatenate([segment.owners for segment in self.segments])

    @cached_property
    def places(self) -> Rows:
        """The places of the live chunks."""
        return np.flatnonzero(self.live)

    @cached_property
    def removed(self) -> dict[int, npt.NDArray[np.bool_] | None]:
        """Which chunks of each segment are removed, by its ID; None: no chunk is."""
        live = {
            segment.id: self.live[part]
            for segment, part in zip(self.segments, self.parts, strict=True)
        }
        return {number: None if flags.all() else ~flags for number, flags in live.items()}

    @cached_property
    def saturations(self) -> list[npt.NDArray[np.float32]]:
        """The numbers that BM25 adds to the counts of terms, for the chunks of each segment."""
        lengths = np.concatenate([segment.lengths for segment in self.segments])
        values = saturation(lengths, float(lengths[self.live].mean()))
        return [values[part] for part in self.parts]

    def places_of(self, numbers: Sequence[int] | _Numbers) -> Rows:
        """Return the places of chunks among all chunks."""
        return np.searchsorted(self.numbers, numbers)

    def with_neighbours(self, places: Rows) -> Rows:
        """Return places, ascending, with the neighbours of each in its document."""
        documents = self.owners["document"]
        near = np.clip(places[:, None] + np.arange(-1, 2), 0, len(documents) - 1)
        return np.unique(near[documents[near] == documents[places][:, None]])

    @cached_property
    def size(self) -> int:
        """The number of live chunks."""
        return len(self.places)

    def nearest(self, query_vector: Doubles, count: int) -> Iterator[Ranking]:
        """Yield the numbers of chunks with their similarities to a rotated vector, best first.

        The first group has about `count`; later groups are ever larger. After the first, a group
        may have higher similarities than the group before.
        """
        if not self.size:
            return
        if self.size <= _MAX_COMPARED_CHUNKS:
            yield from self._rank(self.places, self.similarities(query_vector, self.places), count)
            return
        estimates = np.concatenate(
            [segment.vectors.estimates(query_vector) for segment in self.segments]
        )
        candidate_count = max(count, _MIN_CANDIDATES + self.size // _CHUNKS_PER_CANDIDATE)
        for places in highest(estimates, self.places, candidate_count):
            yield from self._rank(places, self.similarities(query_vector, places), count)

    def find_by_words(self, lists: TermLists, count: int, *, every: bool) -> Iterator[Ranking]:
        """Yield the numbers of chunks in which terms occur, best first, with BM25 scores.

        The first group has about `count`; later groups are ever larger. See `bm25`.
        """
        if not self.size:
            return
        total, lengths = self.size, self.saturations
        places, scores = bm25(lists, lists.counts, lengths, total, count, every=every)
        yield from self._rank(places, scores, count)

    def _rank(self, places: Rows, scores: npt.NDArray[np.float32], count: int) -> Iterator[Ranking]:
        """Yield the numbers of chunks with their scores, the highest first; see `highest`."""
        for batch in highest(scores, np.arange(len(places)), count):
            order = batch[np.argsort(-scores[batch], kind="stable")]
            yield [*zip(self.numbers[places[order]].tolist(), scores[order].tolist(), strict=True)]

    def similarities(self, query_vector: Doubles, places: Rows) -> npt.NDArray[np.float32]:
        """Return the similarities to a rotated vector of the chunks at places that ascend."""
        bounds = np.searchsorted(places, [part.start for part in self.parts] + [len(self.live)])
        of_segments = zip(self.segments, self.parts, bounds, bounds[1:], strict=False)
        parts = in_two_parts(query_vector)
        return np.concatenate(
            [
                segment.vectors.similarities(parts, places[first:last] - part.start)
                for segment, part, first, last in of_segments
            ]
        )


def load_segments(
    connection: Connection, state: bytes, cached: LiveSegments | None
) -> LiveSegments:
    """Return the segments; segments that are not `cached` are read.

    Raises:
        ValueError: There are chunks, but no segments.
    """
    cached_by_id = {segment.id: segment for segment in cached.segments} if cached else {}
    segments = []
    for (number,) in connection.execute("SELECT id FROM segments ORDER BY first").fetchall():
        if number not in cached_by_id:
            numbers, lengths, owners, vectors = _arrays(connection, number)
            packed = PackedVectors(vectors, len(numbers))
            cached_by_id[number] = Segment(number, numbers, lengths, owners, packed)
        segments.append(cached_by_id[number])
    if not segments and connection.execute("SELECT EXISTS (SELECT 1 FROM chunks)").fetchone()[0]:
        raise ValueError("its chunks have no words and vectors")
    live = [_live_flags(connection, segment.numbers) for segment in segments]
    long = connection.execute(f"SELECT id FROM documents WHERE {_IS_LONG}").fetchall()
    all_live = np.concatenate([np.zeros(0, dtype=bool), *live])
    return LiveSegments(state, segments, all_live, frozenset(number for (number,) in long))


def add(
    connection: Connection, first: int, chunks: Sequence[Terms], owners: Owners, vectors: Vectors
) -> None:
    """Add chunks with their terms and vectors; `first`, the first number, is above all others."""
    for start in range(0, len(chunks), _MAX_SEGMENT_CHUNKS):
        batch = chunks[start : start + _MAX_SEGMENT_CHUNKS]
        merged = _last_small_segments(connection, len(batch))
        parts = _read(connection, merged)
        content = _Content(
            np.arange(first + start, first + start + len(batch)),
            np.array([len(inside) + len(around) for inside, around in batch], dtype=np.int32),
            owners[start : start + len(batch)],
            pack(vectors[start : start + len(batch)]),
            postings_of(batch, sum(len(part.numbers) for part in parts)),
        )
        _replace(connection, merged, [*parts, content])


def remove(connection: Connection, chunks: Iterable[tuple[int, int]]) -> None:
    """List ranges of chunks as removed; rewrite segments that have lost half of their chunks."""
    connection.executemany(
        "INSERT INTO removed SELECT id FROM chunks WHERE id BETWEEN ? AND ?", chunks
    )
    for number, size, live in _sizes(connection):
        if 2 * live <= size:
            _replace(connection, [number], _read(connection, [number]))


class _Content(NamedTuple):
    """The contents of a segment to be written; see `Segment`."""

    numbers: _Numbers
    lengths: _Lengths
    owners: Owners
    vectors: bytes
    postings: Postings


def _sizes(connection: Connection) -> list[tuple[int, int, int]]:
    """Return the IDs of the segments, in order, with the numbers of all and of live chunks."""
    return [
        *connection.execute(
            "SELECT id, size, size - "
            "(SELECT count(*) FROM removed WHERE chunk BETWEEN first AND last) "
            "FROM segments ORDER BY first"
        )
    ]


def _last_small_segments(connection: Connection, size: int) -> list[int]:
    """Return the last segments, which are to be merged with `size` new chunks.

    The first of them has no more live chunks than all later segments and the new chunks together.
    """
    sizes = _sizes(connection)
    first = len(sizes)
    for place in reversed(range(len(sizes))):
        live = sizes[place][2]
        if size + live > _MAX_SEGMENT_CHUNKS:
            break
        if live <= size:
            first = place
        size += live
    return [number for number, _, _ in sizes[first:]]


def _read(connection: Connection, segments: Iterable[int]) -> list[_Content]:
    """Return the live chunks of segments, with postings for their places once they are joined."""
    parts, size = [], 0
    for segment in segments:
        numbers, lengths, owners, vectors = _arrays(connection, segment)
        live = _live_flags(connection, numbers)
        places = np.where(live, size - 1 + np.cumsum(live), -1)
        keys = keys_in(segment)
        lists = connection.execute(
            f"SELECT key - {keys[0]}, chunks FROM postings WHERE key BETWEEN ? AND ? ORDER BY key",
            (keys[0], keys[-1]),
        ).fetchall()
        rows = np.frombuffer(vectors, dtype=np.int8).reshape(len(numbers), -1)
        arrays = numbers[live], lengths[live], owners[live], rows[live].tobytes()
        parts.append(_Content(*arrays, with_places(lists, places)))
        size += len(parts[-1].numbers)
    return parts


def _replace(connection: Connection, segments: Sequence[int], parts: Sequence[_Content]) -> None:
    """Write contents as one segment, instead of others."""
    numbers = np.concatenate([part.numbers for part in parts])
    remaining = {n % MAX_SEGMENTS for n, _, _ in _sizes(connection) if n not in segments}
    number = secrets.randbits(51) * MAX_SEGMENTS + min({*range(MAX_SEGMENTS)} - remaining)
    keys = keys_in(number)
    # Posting lists are joined before the first write: from then on readers may have to wait.
    postings = [part.postings for part in parts]
    lists = [
        (keys[term], b"".join([part[term] for part in postings if term in part]))
        for term in sorted(set().union(*postings))
    ]
    for segment in segments:
        connection.execute(
            "DELETE FROM removed WHERE chunk BETWEEN (SELECT first FROM segments WHERE id = ?) "
            "AND (SELECT last FROM segments WHERE id = ?)",
            (segment, segment),
        )
        keys = keys_in(segment)
        connection.execute("DELETE FROM postings WHERE key BETWEEN ? AND ?", (keys[0], keys[-1]))
        connection.execute("DELETE FROM segments WHERE id = ?", (segment,))
    if not len(numbers):
        return
    lengths = np.concatenate([part.lengths for part in parts])
    owners = np.concatenate([part.owners for part in parts])
    arrays = [array.tobytes() for array in (numbers, lengths, owners)]
    vectors = b"".join([part.vectors for part in parts])
    row = (number, int(numbers[0]), int(numbers[-1]), len(numbers), *arrays, vectors)
    connection.execute("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    connection.executemany("INSERT INTO postings VALUES (?, ?)", lists)


def _arrays(connection: Connection, segment: int) -> tuple[_Numbers, _Lengths, Owners, bytes]:
    """Return the numbers, lengths, owners and packed vectors of all chunks of a segment."""
    query = "SELECT numbers, lengths, owners, vectors FROM segments WHERE id = ?"
    numbers, lengths, owners, vectors = connection.execute(query, (segment,)).fetchone()
    counted = np.frombuffer(numbers, np.int64), np.frombuffer(lengths, np.int32)
    return *counted, np.frombuffer(owners, OWNER), vectors


def _live_flags(connection: Connection, numbers: _Numbers) -> npt.NDArray[np.bool_]:
    """Return which chunks of a segment are live."""
    removed = connection.execute(
        "SELECT chunk FROM removed WHERE chunk BETWEEN ? AND ?", (int(numbers[0]), int(numbers[-1]))
    ).fetchall()
    live = np.ones(len(numbers), dtype=bool)
    live[np.searchsorted(numbers, np.array(removed, dtype=np.int64).ravel())] = False
    return live
