"""Stores documents and their chunks, with vectors and words, in SQLite or PostgreSQL.

A document is replaced in one transaction, so that a reader finds either all of the old one or all
of the new. Threads, processes and forks may share a store. One process writes at a time; others
wait for it.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary, finalize

import numpy as np

from lumber_core.calls.forks import ForkSafeLock
from lumber_core.spans import Span
from lumber_core.storage.database import (
    Connection,
    Format,
    ReadError,
    read_twice,
    select,
    text_in,
    to_bytes,
)
from lumber_core.storage.urls import open_database
from lumber_core.text.origin import part_name
from lumber_core.text.outline import TextOutline
from lumber_retrieval.index import embedded_texts, segments
from lumber_retrieval.index.embedded_texts import check_same_model
from lumber_retrieval.index.segments import LiveSegments, Terms
from lumber_retrieval.index.snapshot import Snapshot, short_json
from lumber_retrieval.index.vectors import Vectors
from lumber_retrieval.words.keywords import terms

PROBE = "probe"
"""The key of the vector by which the embedding model is recognised."""

_REMOVED = "left"  # the key of how many chunks were removed since unused vectors were
# A query reads about 40 texts: decompressing them would take PostgreSQL a millisecond.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name {text} PRIMARY KEY, value {bytes} NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    id {integer} PRIMARY KEY, name {bytes} NOT NULL UNIQUE, source {bytes} NOT NULL,
    digest {text} NOT NULL, splitting {text} NOT NULL,
    first_chunk {integer} NOT NULL, last_chunk {integer} NOT NULL, keys {bytes} NOT NULL,
    text {bytes} NOT NULL, metadata {text} NOT NULL, from_zero {integer}, outline {text} NOT NULL
);
{only_in_postgres} ALTER TABLE documents ALTER COLUMN text SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS documents_of_source ON documents (source);
CREATE INDEX IF NOT EXISTS documents_by_digest ON documents (digest);
CREATE INDEX IF NOT EXISTS documents_from_zero ON documents (source) WHERE from_zero = 1;
CREATE TABLE IF NOT EXISTS chunks (
    id {integer} PRIMARY KEY, document {integer} NOT NULL,
    first {integer} NOT NULL, last {integer} NOT NULL, metadata {text} NOT NULL
);
INSERT INTO about VALUES ('state', CAST('' AS {bytes})) ON CONFLICT DO NOTHING;
"""
_FORMAT = Format(
    version=10,
    application=0x4C554D50,  # "LUMP"
    table="about",
    schema=_SCHEMA + embedded_texts.EMBEDDED_SCHEMA + segments.SCHEMA,
    outdated="`sync` with all documents makes it anew, as does deleting it: nothing is lost but "
    "the time that it takes",
)

SplitBy = tuple[str, list[str] | None]
"""A digest of all that a splitter reads of a document, and the keys of the metadata that it reads;
None: all keys."""


class NewDocument(NamedTuple):
    """A document to be stored, with a list of each thing that is stored of its chunks, in order."""

    name: str  # unique
    source: str  # what it is a part of, such as the file of a page
    digest: str  # of all that its chunks, vectors and metadata depend on
    text: str
    metadata: Mapping[str, Any]  # data for JSON
    spans: Sequence[Span]  # the places of its chunks in its text
    details: Sequence[Mapping[str, Any]]  # metadata of each chunk alone: data for JSON
    words: Sequence[str]  # the texts whose words find each chunk
    around: Sequence[str]  # the text around each chunk, whose words count less
    vectors: Vectors  # of length 1, shape (chunks, width)
    outline: str = TextOutline().to_json()  # of its text
    # See `counts_from_zero`. None: undecided until chunks are read, since other pages of its source
    # may be added later.
    from_zero: int | None = 0
    splitting: SplitBy = ("", None)
    keys: bytes = b""  # of the texts that were embedded for its chunks; see `embedded_texts`


class StoredVersion(NamedTuple):
    """The version of a stored document; see `SplitBy`."""

    digest: str
    splitting: str
    keys: list[str] | None


class NewVersion(NamedTuple):
    """The new values of a stored document whose chunks stay; see `NewDocument`."""

    name: str
    source: str
    digest: str
    metadata: Mapping[str, Any]
    from_zero: int | None


class PassageStore:
    """Documents, chunks, their words and vectors, in one file or collection.

    Args:
        path: The file; created on first use. Or a collection in PostgreSQL:
            "postgresql://user@host/database?collection=name". None: a temporary file, which is
            deleted with the store. Unpickled in the same process, it is the same store; in another
            process, or once the store is gone, it has a copy of the file.

    Raises:
        StoreError: On any use; see `Database.transaction`.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.temporary = path is None
        if path is None:
            handle, path = tempfile.mkstemp(prefix="lumber-", suffix=".db")
            os.close(handle)
        self.database = open_database(path, _FORMAT, create=not self.temporary)
        self.path: Path | str = self.database.path  # a URL has the password
        self.name = self.database.name  # for messages
        self._process = os.getpid()
        if self.temporary:
            finalize(self, _delete, self.database, self._process)
            _temporary[self.path] = self
        self._segments: LiveSegments | None = None
        self._loading = ForkSafeLock()

    @read_twice
    def remove_outdated(self) -> None:
        """Empty the store, with a warning, if an older version of this library has written it."""
        self.database.remove_outdated()

    @read_twice
    def versions(
        self, names: Collection[str], digests: Collection[str] = ()
    ) -> dict[str, StoredVersion]:
        """Return the versions of those documents with these names or digests that are stored."""
        what = "name, digest, splitting FROM documents WHERE"
        with self.database.transaction() as connection, self.database.intact():
            rows = select(connection, f"{what} name", map(to_bytes, names))
            rows += select(connection, f"{what} digest", digests)
            return {
                text_in(name): StoredVersion(digest, *json.loads(splitting))
                for name, digest, splitting in rows
            }

    @read_twice
    def names(
        self, sources: Collection[str] | None = None, divided: Collection[str] = ()
    ) -> list[str]:
        """Return the names of stored documents: those of some sources, and divided ones.

        Args:
            sources: The sources. None: all.
            divided: Names under which a document or its parts may be stored.
        """
        with self.database.transaction() as connection, self.database.intact():
            if sources is None:
                rows = connection.execute("SELECT name FROM documents").fetchall()
            else:
                wanted = map(to_bytes, sources)
                rows = select(connection, "name FROM documents WHERE source", wanted)
                for name in divided:  # ":" is after all digits
                    rows += connection.execute(
                        "SELECT name FROM documents WHERE name = ? OR name BETWEEN ? AND ?",
                        [*map(to_bytes, (name, part_name(name, ""), part_name(name, ":")))],
                    ).fetchall()
            return [text_in(name) for (name,) in rows]

    @read_twice
    def sources(self) -> list[str]:
        """Return all sources, in the order in which they were first stored."""
        with self.database.transaction() as connection, self.database.intact():
            query = "SELECT source FROM documents GROUP BY source ORDER BY min(id)"
            return [text_in(source) for (source,) in connection.execute(query)]

    @read_twice
    def contents(self, names: Collection[str]) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return the text and metadata of those of these documents that are stored, by name."""
        with self.database.transaction() as connection, self.database.intact():
            rows = select(
                connection, "name, text, metadata FROM documents WHERE name", map(to_bytes, names)
            )
            return {text_in(name): (text_in(text), json.loads(own)) for name, text, own in rows}

    @read_twice
    def put(self, documents: Sequence[NewDocument], probe: Vectors | None = None) -> None:
        """Store documents in one transaction; each replaces the one of the same name.

        Raises:
            ValueError: The store has vectors of another embedding model, by their probes.
        """
        terms_of_line = cache(terms)  # each text is also around its neighbours

        def terms_of(text: str) -> list[str]:
            return [term for line in text.split("\n") for term in terms_of_line(line)]

        words = [
            (terms_of(own), terms_of(around))
            for one in documents
            for own, around in zip(one.words, one.around, strict=True)
        ]  # computed before the transaction, in which others wait
        with self._change_documents() as connection:
            if probe is not None:
                self.note_model(connection, probe)
            with self.database.intact():
                _remove(connection, [one.name for one in documents])
                _insert(connection, documents, words)

    @read_twice
    def update(self, documents: Iterable[NewVersion]) -> None:
        """Store new metadata of documents whose chunks stay as they are."""
        rows = [
            (
                to_bytes(one.source),
                one.digest,
                json.dumps(one.metadata),
                one.from_zero,
                to_bytes(one.name),
            )
            for one in documents
        ]
        with self._change_documents() as connection:
            connection.executemany(
                "UPDATE documents SET source = ?, digest = ?, metadata = ?, from_zero = ? "
                "WHERE name = ?",
                rows,
            )

    @read_twice
    def remove_unused(self, *, exact: bool) -> None:
        """Remove the own vectors that no chunk uses.

        Args:
            exact: Remove even a few. False: only if more chunks were removed than are stored, so
                that a run that was killed can go on with its vectors.
        """
        with self.database.transaction() as connection, self.database.intact():
            count = "SELECT coalesce(sum(last_chunk - first_chunk + 1), 0) FROM documents"
            (chunks,) = connection.execute(count).fetchone()
            removed = int(_read_note(connection, _REMOVED) or 0)
        if exact or removed > chunks:
            embedded_texts.remove_unused(self.database)
            if removed:
                self.revise(_REMOVED, lambda _: b"0")

    @read_twice
    def remove(self, names: Collection[str]) -> None:
        """Remove documents with their texts, chunks, words and vectors."""
        if not names:
            return  # no new state, for which other readers would load segments again
        with self._change_documents() as connection, self.database.intact():
            _remove(connection, names)

    @read_twice
    def about(self, name: str) -> bytes | None:
        """Return the value of a key of the table `about`."""
        with self.database.transaction() as connection, self.database.intact():
            return _read_note(connection, name)

    @read_twice
    def revise(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Set a key of `about` to what `change` returns for its value, in one transaction."""
        with self.database.transaction(write=True) as connection:
            note(connection, name, change(_read_note(connection, name)))

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Open one state of the store, which no writer changes; use it within `read_twice`."""
        with self.database.transaction() as connection:
            with self.database.intact():
                what = f"SELECT name, value FROM about WHERE name IN ('state', '{PROBE}')"
                about = {name: bytes(value) for name, value in connection.execute(what)}
                loaded, state = self._segments, about["state"]
                if loaded is None or loaded.state != state:
                    with self._loading:  # only new segments are read, by the first thread
                        loaded = segments.load_segments(connection, state, self._segments)
                        self._segments = loaded
            try:
                yield Snapshot(connection, loaded, self.database.intact, about.get(PROBE))
            except ReadError:
                self._segments = None  # a second read loads them again
                raise

    def note_model(self, connection: Connection, probe: Vectors) -> None:
        """Store the probe of the embedding model.

        Raises:
            OtherModelError: The store has the probe of another model.
        """
        stored = _read_note(connection, PROBE)
        check_same_model(stored, probe, self.name)
        if stored != probe.tobytes():
            note(connection, PROBE, probe.tobytes())

    @contextmanager
    def _change_documents(self) -> Iterator[Connection]:
        """Open a transaction that changes documents, and end it with a new state."""
        with self.database.transaction(write=True) as connection:
            yield connection
            # Random: a counter of another file, or of a copy of this one, has the same values.
            connection.execute(
                "UPDATE about SET value = ? WHERE name = 'state'", (secrets.token_bytes(16),)
            )

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.temporary:
            return PassageStore, (self.path,)
        with self.database.transaction():  # so that nobody writes meanwhile
            return _reopen, (self.path, Path(self.path).read_bytes())


_temporary: WeakValueDictionary[Path | str, PassageStore] = WeakValueDictionary()
"""Temporary stores by path; an unpickled copy by the path of the original."""


def open_store(path: str | Path | None) -> PassageStore:
    """Return the store at a path: for the path of a temporary one, that same store."""
    store = None if path is None else _temporary.get(Path(path))
    return PassageStore(path) if store is None else store


def _reopen(path: Path | str, content: bytes) -> PassageStore:
    """Return a pickled temporary store, or a copy of it if it is not of this process."""
    store = _temporary.get(path)
    if store is None or store._process != os.getpid():
        store = PassageStore(None)
        Path(store.path).write_bytes(content)
        _temporary[path] = store
    return store


def _insert(
    connection: Connection, documents: Sequence[NewDocument], words: Sequence[Terms]
) -> None:
    # Rows are numbered here, since databases number them differently.
    (first,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM documents").fetchone()
    (last,) = connection.execute("SELECT coalesce(max(last), 0) FROM segments").fetchone()
    rows: list[tuple[Any, ...]] = []
    chunks: list[tuple[Any, ...]] = []
    for number, one in enumerate(documents, start=first):
        version = (to_bytes(one.name), to_bytes(one.source), one.digest, json.dumps(one.splitting))
        content = (one.keys, to_bytes(one.text), json.dumps(one.metadata), one.from_zero)
        start = last + 1 + len(chunks)
        end = start + len(one.spans) - 1
        rows.append((number, *version, start, end, *content, one.outline))
        for span, details in zip(one.spans, one.details, strict=True):
            chunks.append((last + 1 + len(chunks), number, *span, short_json(details)))
    connection.executemany(f"INSERT INTO documents VALUES ({', '.join('?' * 12)})", rows)
    connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", chunks)
    if chunks:
        vectors = np.concatenate([one.vectors for one in documents if len(one.vectors)])
        segments.add(connection, last + 1, words, vectors)


def _read_note(connection: Connection, name: str) -> bytes | None:
    row = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return None if row is None else bytes(row[0])


def note(connection: Connection, name: str, value: bytes) -> None:
    """Set a key of the table `about`."""
    connection.execute(
        "INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _remove(connection: Connection, names: Iterable[str]) -> None:
    what = "id, first_chunk, last_chunk FROM documents WHERE name"
    documents = select(connection, what, map(to_bytes, names))
    if not documents:
        return
    chunks = [(first, last) for _, first, last in documents]
    segments.remove(connection, chunks)
    removed = sum(last - first + 1 for first, last in chunks)
    if removed:
        before = int(_read_note(connection, _REMOVED) or 0)
        note(connection, _REMOVED, str(before + removed).encode())
    connection.executemany("DELETE FROM chunks WHERE id BETWEEN ? AND ?", chunks)
    connection.executemany("DELETE FROM documents WHERE id = ?", [one[:1] for one in documents])


def _delete(database: Any, process: int) -> None:
    if os.getpid() == process:  # a forked child has the object, too
        database.delete()
