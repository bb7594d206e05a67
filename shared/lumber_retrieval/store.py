"""Documents, their chunks, the words of these, and their vectors, in one SQLite file.

A document is replaced in one transaction, so that a reader finds either all of the old one or all
of the new. Threads, processes and forks may share a store. One process writes at a time; others
wait for it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np

from lumber_core.database import Database
from lumber_core.errors import StoreError
from lumber_core.spans import Span
from lumber_retrieval.keywords import terms
from lumber_retrieval.passages import Hit
from lumber_retrieval.surroundings import Vectors

Accepts = Callable[[Mapping[str, Any]], bool]
"""Says by the metadata of a chunk whether it may be found."""

_APPLICATION = 0x4C554D50  # "LUMP", in the header of the file
_FORMAT = 1
# Common words say little and cost most. The rarest words of a query are searched, as long as
# together they occur in at most this many chunks: about 20 ms.
_MOST_OCCURRENCES = 20_000
_AROUND = 0.5
"""What a word around a chunk counts, beside one in it. BM25 alone, and with vectors, finds most on
the development corpora from 0.35 to 0.75."""
_AT_ONCE = 500  # values in a statement; SQLite's limit was 999 for long

_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, source TEXT NOT NULL, digest TEXT NOT NULL,
    text TEXT NOT NULL, metadata TEXT NOT NULL, vectors BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS documents_of_source ON documents (source);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, metadata TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_of_document ON chunks (document);
CREATE VIRTUAL TABLE IF NOT EXISTS keywords USING fts5 (own, around, tokenize = 'ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS occurrences USING fts5vocab (keywords, 'row');
INSERT OR IGNORE INTO about VALUES ('generation', 0)
"""


class NewDocument(NamedTuple):
    """A document to be stored, with a list of each thing that is stored of its chunks, in order.

    Attributes:
        name: Tells it from all others.
        source: What it is a part of, such as the file of a page.
        digest: Changes if anything does that its chunks and vectors depend on.
        text: Its text.
        metadata: Its metadata: data for JSON.
        spans: The places of its chunks in its text.
        details: What each chunk says beyond the metadata of the document: data for JSON.
        words: The texts whose words find each chunk.
        around: The text around each chunk, whose words count less.
        vectors: Their vectors, of length 1, shape (chunks, width).
    """

    name: str
    source: str
    digest: str
    text: str
    metadata: Mapping[str, Any]
    spans: Sequence[Span]
    details: Sequence[Mapping[str, Any]]
    words: Sequence[str]
    around: Sequence[str]
    vectors: Vectors


class PassageStore:
    """Documents, chunks, their words and vectors, in one file.

    Args:
        path: The file; created on first use. None: a temporary file, which is deleted with the
            store, and copied if the store is pickled.

    Raises:
        StoreError: On any use; see `Database.transaction`.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.temporary = path is None
        self._open(_temporary_file() if path is None else Path(path))
        self._matrix: _Matrix | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    def _open(self, path: Path) -> None:
        self._database = Database(
            path, application=_APPLICATION, version=_FORMAT, table="about", schema=_SCHEMA
        )
        if self.temporary:
            finalize(self, _delete, self._database, os.getpid())

    def digests(self, names: Collection[str]) -> dict[str, str]:
        """Return the digests of those of some documents that are stored."""
        with self._transaction() as connection:
            rows = _select(connection, "name, digest FROM documents WHERE name", map(_bytes, names))
            return {_text(name): digest for name, digest in rows}

    def names(self, sources: Collection[str]) -> list[str]:
        """Return the names of the documents of some sources."""
        with self._transaction() as connection:
            rows = _select(connection, "name FROM documents WHERE source", map(_bytes, sources))
            return [_text(name) for (name,) in rows]

    def sources(self) -> list[str]:
        """Return all sources, in the order in which they were first stored."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT source FROM documents GROUP BY source ORDER BY min(id)"
            )
            return [_text(source) for (source,) in rows]

    def put(self, documents: Sequence[NewDocument]) -> None:
        """Store documents, each instead of that of the same name; all of them or none."""
        with self._transaction(write=True) as connection:
            _remove(connection, [one.name for one in documents])
            for document in documents:
                _insert(connection, document)
            _change(connection)

    def remove(self, names: Collection[str]) -> None:
        """Remove documents with all that is stored of them."""
        if not names:
            return  # without a change, for which vectors would be read again
        with self._transaction(write=True) as connection:
            _remove(connection, names)
            _change(connection)

    def about(self, name: str) -> bytes | None:
        """Return what is noted about the store under a name."""
        with self._transaction() as connection:
            found = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if found is None else bytes(found[0])

    def note(self, name: str, value: bytes) -> None:
        """Note something about the store, instead of what was noted under the same name."""
        with self._transaction(write=True) as connection:
            connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def __len__(self) -> int:
        """Return the number of chunks."""
        with self._transaction() as connection:
            return int(connection.execute("SELECT count(*) FROM chunks").fetchone()[0])

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """Read from one state of the store, whoever writes meanwhile."""
        with self._transaction() as connection:
            yield Reading(connection, self)

    def matrix(self, connection: sqlite3.Connection) -> _Matrix:
        """Return all vectors, which are kept in memory until the store changes."""
        generation = _generation(connection)
        known = self._matrix
        if known is None or known.generation != generation:
            known = self._matrix = _Matrix.read(connection, generation)
        return known

    @contextmanager
    def _transaction(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        try:
            with self._database.transaction(write=write) as connection:
                yield connection
        except StoreError as error:
            if "no such module: fts5" not in str(error):
                raise
            raise StoreError(
                "Python's SQLite was built without FTS5, which finds words: install a Python "
                "whose sqlite3 module has it, as those of python.org, conda and uv do"
            ) from error

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_matrix": None}
        if self.temporary:
            with self._transaction():  # so that nobody writes meanwhile
                state["content"] = self.path.read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state.pop("content", None)
        self.__dict__.update(state)
        if content is not None:
            path = _temporary_file()
            path.write_bytes(content)
            self._open(path)


class Reading:
    """One state of a store.

    Args:
        connection: A connection with an open transaction.
        store: The store.
    """

    def __init__(self, connection: sqlite3.Connection, store: PassageStore) -> None:
        self._connection = connection
        self._store = store

    def nearest(
        self, vector: Sequence[float], count: int, accepts: Accepts | None
    ) -> dict[int, float]:
        """Return the numbers of the chunks nearest to a vector, best first, with similarities.

        Raises:
            ValueError: The vector has another size than those that are stored.
        """
        matrix = self._store.matrix(self._connection)
        if not len(matrix.numbers):
            return {}
        wanted = np.asarray(vector, dtype=np.float32)
        wanted /= np.linalg.norm(wanted) or 1
        similarities = matrix.vectors @ wanted
        if accepts is None and count < len(similarities):
            places = np.argpartition(-similarities, count)[:count]
            order = places[np.lexsort((places, -similarities[places]))]
        else:
            order = np.argsort(-similarities, kind="stable")
        ranked = ((int(matrix.numbers[n]), float(similarities[n])) for n in order)
        return self._first(ranked, count, accepts)

    def matching(self, query: str, count: int, accepts: Accepts | None) -> dict[int, float]:
        """Return the numbers of the chunks with words of a query, best first, with BM25 scores."""
        words = self._rarest(dict.fromkeys(terms(query)))
        if not words:
            return {}
        rows = self._connection.execute(
            f"SELECT rowid, -bm25(keywords, 1, {_AROUND}) AS score FROM keywords "
            "WHERE keywords MATCH ? ORDER BY score DESC, rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), count if accepts is None else -1),
        )
        return self._first(rows, count, accepts)

    def hits(self, scores: Mapping[int, float]) -> tuple[list[Hit], dict[str, str]]:
        """Return chunks as hits, and the texts of their documents by name.

        Args:
            scores: The scores of the chunks by their numbers; hits are in the same order.
        """
        rows = {
            number: rest
            for number, *rest in _select(
                self._connection,
                "chunks.id, name, first, last, documents.metadata, chunks.metadata "
                "FROM chunks JOIN documents ON documents.id = document WHERE chunks.id",
                scores,
            )
        }
        names = {name for name, *_ in rows.values()}
        texts = {
            _text(name): _text(text)
            for name, text in _select(
                self._connection, "name, text FROM documents WHERE name", names
            )
        }
        hits = []
        for number, score in scores.items():
            name, first, last, of_document, own = rows[number]
            document, span = _text(name), Span(first, last)
            text, metadata = span.of(texts[document]), _metadata(of_document, own)
            hits.append(Hit(number, document, span, text, score, metadata))
        return hits, texts

    def _rarest(self, words: Iterable[str]) -> list[str]:
        """Return the words to search for: the rarest, as many as are affordable, at least one."""
        counts = {}
        for word in words:
            row = self._connection.execute(
                "SELECT doc FROM occurrences WHERE term = ?", (word,)
            ).fetchone()
            if row is not None:
                counts[word] = int(row[0])
        rarest = sorted(counts, key=counts.__getitem__)
        total = np.cumsum([counts[word] for word in rarest])
        return rarest[: max(1, int(np.searchsorted(total, _MOST_OCCURRENCES, side="right")))]

    def _first(
        self, ranked: Iterable[tuple[int, float]], count: int, accepts: Accepts | None
    ) -> dict[int, float]:
        """Return the first `count` chunks that may be found."""
        if accepts is None:
            return dict(ranked)
        found: dict[int, float] = {}
        for number, score in ranked:
            (row,) = self._connection.execute(
                "SELECT documents.metadata, chunks.metadata "
                "FROM chunks JOIN documents ON documents.id = document WHERE chunks.id = ?",
                (number,),
            )
            if accepts(_metadata(*row)):
                found[number] = score
                if len(found) == count:
                    break
        return found


class _Matrix(NamedTuple):
    """The vectors of all chunks.

    Attributes:
        generation: Counts the changes of the store.
        numbers: The numbers of the chunks.
        vectors: Their vectors, of length 1, shape (chunks, width).
    """

    generation: int
    numbers: np.ndarray[Any, np.dtype[np.int64]]
    vectors: Vectors

    @classmethod
    def read(cls, connection: sqlite3.Connection, generation: int) -> _Matrix:
        """Read all vectors of a store."""
        numbers = [
            number
            for (number,) in connection.execute("SELECT id FROM chunks ORDER BY document, id")
        ]
        blobs = [
            blob for (blob,) in connection.execute("SELECT vectors FROM documents ORDER BY id")
        ]
        vectors = np.frombuffer(b"".join(blobs), dtype=np.float16).astype(np.float32)
        if numbers:
            vectors = vectors.reshape(len(numbers), -1)
        return cls(generation, np.array(numbers, dtype=np.int64), vectors)


def _insert(connection: sqlite3.Connection, document: NewDocument) -> None:
    number = connection.execute(
        "INSERT INTO documents (name, source, digest, text, metadata, vectors) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (
            _bytes(document.name),
            _bytes(document.source),
            document.digest,
            _bytes(document.text),
            json.dumps(document.metadata),
            document.vectors.astype(np.float16).tobytes(),
        ),
    ).lastrowid
    chunks = zip(document.spans, document.details, document.words, document.around, strict=True)
    for span, details, words, around in chunks:
        row = connection.execute(
            "INSERT INTO chunks (document, first, last, metadata) VALUES (?, ?, ?, ?)",
            (number, *span, json.dumps(details)),
        ).lastrowid
        connection.execute(
            "INSERT INTO keywords (rowid, own, around) VALUES (?, ?, ?)",
            (row, " ".join(terms(words)), " ".join(terms(around))),
        )


def _remove(connection: sqlite3.Connection, names: Iterable[str]) -> None:
    numbers = [*_select(connection, "id FROM documents WHERE name", map(_bytes, names))]
    for (number,) in numbers:
        own = f"FROM chunks WHERE document = {number}"
        connection.execute(f"DELETE FROM keywords WHERE rowid IN (SELECT id {own})")
        connection.execute(f"DELETE {own}")
        connection.execute(f"DELETE FROM documents WHERE id = {number}")


def _generation(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT value FROM about WHERE name = 'generation'").fetchone()
    return int(row[0])


def _change(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE about SET value = value + 1 WHERE name = 'generation'")


def _select(
    connection: sqlite3.Connection, what: str, values: Iterable[Any]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query that ends with a column, which is one of some values."""
    wanted = [*values]
    for first in range(0, len(wanted), _AT_ONCE):
        some = wanted[first : first + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        yield from connection.execute(f"SELECT {what} IN ({marks})", some)


def _metadata(of_document: str, of_chunk: str) -> dict[str, Any]:
    """Return the metadata of a chunk, that of its document included."""
    return {**json.loads(of_document), **json.loads(of_chunk)}


def _temporary_file() -> Path:
    handle, name = tempfile.mkstemp(prefix="lumber-", suffix=".db")
    os.close(handle)
    return Path(name)


def _delete(database: Database, process: int) -> None:
    if os.getpid() == process:  # a forked child has the object, too
        database.delete()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(stored: bytes) -> str:
    return bytes(stored).decode("utf-8", "surrogatepass")
