"""What is searched of chunks, in segments that never change: numbers, vectors and words.

A search compares all vectors and reads, for each word asked about, which chunks have it. Both are
fast if vectors lie in one block of memory and the chunks of a word in one list; but a block and
lists of all chunks would have to be written anew for each document that is added. So chunks are
divided into segments, as in Lucene. A segment is one row with the numbers of its chunks, their
lengths and their vectors, and a row with a list of chunks (postings) for each word:

- New chunks become a new segment. The small ones before it are merged into it, so that each is
  larger than all after it together: there are few, and adding costs what is added, times a
  logarithm. Numbers of chunks ascend over all segments.
- Removed chunks are noted in a table and left out of what is found. They leave their segment when
  it is merged, or when they are half of it.
- As a segment never changes, a process keeps those that it has read, and reads new ones alone.
- A search goes through all segments as if they were one: similarities, and BM25 with the number
  and the mean length of all chunks, are those of a single segment.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.calls.threads import batches
from lumber_core.storage.database import Connection
from lumber_retrieval.index.postings import (
    Occurring,
    Postings,
    bm25,
    join_lists,
    occurrences,
    postings_of,
    saturation,
    with_places,
)
from lumber_retrieval.index.surroundings import Vectors
from lumber_retrieval.index.vectors import Doubles, PackedVectors, Rows, highest, pack, rank

SCHEMA = """
CREATE TABLE IF NOT EXISTS segments (
    id {integer} PRIMARY KEY,
    first {integer} NOT NULL, last {integer} NOT NULL, size {integer} NOT NULL,
    numbers {bytes} NOT NULL, lengths {bytes} NOT NULL, vectors {bytes} NOT NULL
);
CREATE TABLE IF NOT EXISTS postings (
    segment {integer} NOT NULL, term {bytes} NOT NULL, chunks {bytes} NOT NULL,
    PRIMARY KEY (segment, term)
) {clustered};
CREATE TABLE IF NOT EXISTS removed (chunk {integer} PRIMARY KEY)
"""

_MOST_CHUNKS = 1 << 16  # in a segment: merging takes about a second at most
# So many chunks, and one of so many, are compared by all bits of their vectors, in milliseconds.
_COMPARED, _COMPARED_OF = 10_000, 100
_AT_ONCE = 500  # values in a statement; SQLite's limit was 999 for long

Terms = tuple[Sequence[str], Sequence[str]]
"""The terms in a chunk, and around it."""
Ranking = list[tuple[int, float]]
"""Numbers of chunks with their scores, best first."""
_Numbers = npt.NDArray[np.int64]
_Lengths = npt.NDArray[np.int32]


def select(connection: Connection, what: str, values: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query that ends with a column, which is one of some values."""
    rows: list[tuple[Any, ...]] = []
    for some in batches(values, _AT_ONCE):
        marks = ", ".join("?" * len(some))
        rows += connection.execute(f"SELECT {what} IN ({marks})", some)
    return rows


def to_bytes(text: str) -> bytes:
    """Return a text as it is stored: a database may have an encoding without its characters."""
    return text.encode("utf-8", "surrogatepass")


def text_in(stored: bytes) -> str:
    """Return the text in bytes that `to_bytes` returned."""
    return str(stored, "utf-8", "surrogatepass")


class Segment(NamedTuple):
    """A part of the chunks: their numbers, ascending, lengths in terms, and vectors."""

    id: int  # random: no other segment has or had it
    numbers: _Numbers
    lengths: _Lengths
    vectors: PackedVectors


@dataclass(frozen=True)
class LiveSegments:
    """One state of all segments, in the order of their chunks."""

    state: bytes  # tells it from all others
    segments: Sequence[Segment]
    live: npt.NDArray[np.bool_]  # for each chunk whether it is still there

    @cached_property
    def parts(self) -> list[slice]:
        """Where the chunks of each segment are among all."""
        ends = [*accumulate(len(one.numbers) for one in self.segments)]
        return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    @cached_property
    def numbers(self) -> _Numbers:
        """The numbers of all chunks, ascending."""
        return np.concatenate([one.numbers for one in self.segments])

    @cached_property
    def places(self) -> Rows:
        """The places of chunks that are still there."""
        return np.flatnonzero(self.live)

    @cached_property
    def saturations(self) -> list[npt.NDArray[np.float32]]:
        """What BM25 adds to the count of a term, for the chunks of each segment."""
        lengths = np.concatenate([one.lengths for one in self.segments])
        all_of_them = saturation(lengths, float(lengths[self.live].mean()))
        return [all_of_them[part] for part in self.parts]

    def __len__(self) -> int:
        """Return the number of chunks that are still there."""
        return int(np.count_nonzero(self.live))

    def nearest(self, wanted: Doubles, count: int) -> Iterator[Ranking]:
        """Yield the numbers of chunks with their similarities to a rotated vector, best first.

        About `count` come together, then always more. After the first, those of one group may be
        above those of the group before.
        """
        if not len(self):
            return
        first = max(count, _COMPARED + len(self) // _COMPARED_OF)
        if first < len(self):
            estimates = np.concatenate([one.vectors.estimates(wanted) for one in self.segments])
        else:
            estimates = np.zeros(len(self.live), dtype=np.float32)
        for places in highest(estimates, self.places, first):
            similarities = self._similarities(wanted, places)
            for order, values in rank(similarities, np.arange(len(places)), count):
                yield [*zip(self.numbers[places[order]].tolist(), values.tolist(), strict=True)]

    def similarities(self, wanted: Doubles, numbers: Sequence[int]) -> list[float]:
        """Return the similarities of chunks to a rotated vector."""
        if not numbers:
            return []
        order = np.argsort(numbers)
        places = np.searchsorted(self.numbers, np.asarray(numbers, dtype=np.int64)[order])
        found = self._similarities(wanted, places)
        similar: list[float] = found[order.argsort()].tolist()
        return similar

    def occurrences(self, connection: Connection, words: Iterable[str]) -> Occurring:
        """Return where some terms occur."""
        found: Occurring = {word: [None] * len(self.segments) for word in words}
        places = {one.id: place for place, one in enumerate(self.segments)}
        of_segments = f"segment IN ({', '.join(map(str, places))})"
        what = f"segment, term, chunks FROM postings WHERE {of_segments} AND term"
        for segment, term, chunks in select(
            connection, what, map(to_bytes, found if places else ())
        ):
            place = places[segment]
            found[text_in(term)][place] = occurrences(chunks, self.live[self.parts[place]])
        return found

    def matching(self, found: Occurring, count: int) -> Iterator[Ranking]:
        """Yield the numbers of chunks in which terms occur, best first, with BM25 scores.

        About `count` come together, then always more.
        """
        if not len(self):
            return
        scores = bm25(found, self.saturations, len(self), count)
        for order, values in rank(scores, np.flatnonzero(scores > 0), count):
            yield [*zip(self.numbers[order].tolist(), values.tolist(), strict=True)]

    def _similarities(self, wanted: Doubles, places: Rows) -> npt.NDArray[np.float32]:
        """Return the similarities of chunks, whose places ascend."""
        bounds = np.searchsorted(places, [part.start for part in self.parts] + [len(self.live)])
        of_segments = zip(self.segments, self.parts, bounds, bounds[1:], strict=False)
        return np.concatenate(
            [
                one.vectors.similarities(wanted, places[first:last] - part.start)
                for one, part, first, last in of_segments
            ]
        )


def load_segments(connection: Connection, state: bytes, known: LiveSegments | None) -> LiveSegments:
    """Read what is not known of the segments.

    Raises:
        ValueError: There are none, but chunks.
    """
    kept = {one.id: one for one in known.segments} if known else {}
    segments = []
    for (number,) in connection.execute("SELECT id FROM segments ORDER BY first").fetchall():
        if number not in kept:
            numbers, lengths, vectors = _arrays(connection, number)
            kept[number] = Segment(number, numbers, lengths, PackedVectors(vectors, len(numbers)))
        segments.append(kept[number])
    if not segments and connection.execute("SELECT EXISTS (SELECT 1 FROM chunks)").fetchone()[0]:
        raise ValueError("its chunks have no words and vectors")
    live = [_live(connection, one.numbers) for one in segments]
    return LiveSegments(state, segments, np.concatenate([np.zeros(0, dtype=bool), *live]))


def add(connection: Connection, first: int, chunks: Sequence[Terms], vectors: Vectors) -> None:
    """Add chunks by their terms and vectors, numbered from `first` on, above all others."""
    for start in range(0, len(chunks), _MOST_CHUNKS):
        some = chunks[start : start + _MOST_CHUNKS]
        merged = _small(connection, len(some))
        parts = _read(connection, merged)
        new = _Content(
            np.arange(first + start, first + start + len(some)),
            np.array([len(own) + len(around) for own, around in some], dtype=np.int32),
            pack(vectors[start : start + len(some)]),
            postings_of(some, sum(len(part.numbers) for part in parts)),
        )
        _replace(connection, merged, [*parts, new])


def remove(connection: Connection, chunks: Iterable[tuple[int, int]]) -> None:
    """Note that ranges of chunks will be gone; write segments anew that have lost half."""
    connection.executemany(
        "INSERT INTO removed SELECT id FROM chunks WHERE id BETWEEN ? AND ?", chunks
    )
    for number, size, live in _sizes(connection):
        if 2 * live <= size:
            _replace(connection, [number], _read(connection, [number]))


class _Content(NamedTuple):
    """What is written of a segment; see `Segment`."""

    numbers: _Numbers
    lengths: _Lengths
    vectors: bytes
    postings: Postings


def _sizes(connection: Connection) -> list[tuple[int, int, int]]:
    """Return the segments in order, with their chunks, and how many of these are still there."""
    return [
        *connection.execute(
            "SELECT id, size, size - "
            "(SELECT count(*) FROM removed WHERE chunk BETWEEN first AND last) "
            "FROM segments ORDER BY first"
        )
    ]


def _small(connection: Connection, size: int) -> list[int]:
    """Return the last segments, from the first on that has no more chunks than come after it."""
    sizes = _sizes(connection)
    first = len(sizes)
    for place in reversed(range(len(sizes))):
        live = sizes[place][2]
        if size + live > _MOST_CHUNKS:
            break
        if live <= size:
            first = place
        size += live
    return [number for number, _, _ in sizes[first:]]


def _read(connection: Connection, segments: Iterable[int]) -> list[_Content]:
    """Return what is still there of segments, to be joined in this order."""
    parts, size = [], 0
    for segment in segments:
        numbers, lengths, vectors = _arrays(connection, segment)
        live = _live(connection, numbers)
        places = np.where(live, size - 1 + np.cumsum(live), -1)
        lists = connection.execute(
            "SELECT term, chunks FROM postings WHERE segment = ? ORDER BY term", (segment,)
        )
        lists = ((text_in(term), chunks) for term, chunks in lists)
        rows = np.frombuffer(vectors, dtype=np.int8).reshape(len(numbers), -1)
        parts.append(
            _Content(numbers[live], lengths[live], rows[live].tobytes(), with_places(lists, places))
        )
        size += len(parts[-1].numbers)
    return parts


def _replace(connection: Connection, segments: Iterable[int], parts: Sequence[_Content]) -> None:
    """Write contents as one segment, instead of others."""
    numbers = np.concatenate([part.numbers for part in parts])
    number = secrets.randbits(62)
    # All that can be made before the first write is, as readers may have to wait from then on.
    lists = [
        (number, to_bytes(term), chunks)
        for term, chunks in join_lists([part.postings for part in parts])
    ]
    for one in segments:
        connection.execute(
            "DELETE FROM removed WHERE chunk BETWEEN (SELECT first FROM segments WHERE id = ?) "
            "AND (SELECT last FROM segments WHERE id = ?)",
            (one, one),
        )
        connection.execute("DELETE FROM postings WHERE segment = ?", (one,))
        connection.execute("DELETE FROM segments WHERE id = ?", (one,))
    if not len(numbers):
        return
    connection.execute(
        "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            int(numbers[0]),
            int(numbers[-1]),
            len(numbers),
            numbers.tobytes(),
            np.concatenate([part.lengths for part in parts]).tobytes(),
            b"".join([part.vectors for part in parts]),
        ),
    )
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?)", lists)


def _arrays(connection: Connection, segment: int) -> tuple[_Numbers, _Lengths, bytes]:
    """Return the numbers, lengths and packed vectors of all chunks of a segment."""
    numbers, lengths, vectors = connection.execute(
        "SELECT numbers, lengths, vectors FROM segments WHERE id = ?", (segment,)
    ).fetchone()
    return np.frombuffer(numbers, np.int64), np.frombuffer(lengths, np.int32), vectors


def _live(connection: Connection, numbers: _Numbers) -> npt.NDArray[np.bool_]:
    """Return which chunks of a segment are still there."""
    removed = connection.execute(
        "SELECT chunk FROM removed WHERE chunk BETWEEN ? AND ?",
        (int(numbers[0]), int(numbers[-1])),
    ).fetchall()
    live = np.ones(len(numbers), dtype=bool)
    live[np.searchsorted(numbers, np.array(removed, dtype=np.int64).ravel())] = False
    return live
