"""Stores documents and their chunks, with vectors and words, in SQLite or PostgreSQL.

A document is replaced in one transaction, so that a reader finds either the whole old document or
the whole new one. Threads, processes and forks may share a store. One process writes at a time;
others wait for it.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary, finalize

from lumber_core.calls.forks import ForkSafeLock
from lumber_core.storage.database import (
    Connection,
    ReadError,
    TableFormat,
    read_twice,
    select,
    text_in,
    to_bytes,
)
from lumber_core.storage.urls import open_database
from lumber_core.text.origin import part_name
from lumber_retrieval.index import embedded_texts, segments
from lumber_retrieval.index.embedded_texts import PROBE, note_model
from lumber_retrieval.index.rows import (
    DOCUMENT_SCHEMA,
    REMOVED,
    NewDocument,
    NewVersion,
    StoredVersion,
    insert_documents,
    read_note,
    remove_documents,
    write_note,
)
from lumber_retrieval.index.segments import LiveSegments
from lumber_retrieval.index.snapshot import Snapshot
from lumber_retrieval.index.vectors import Vectors
from lumber_retrieval.words.keywords import terms

_FORMAT = TableFormat(
    version=14,
    application=0x4C554D50,  # "LUMP"
    table="about",
    schema=DOCUMENT_SCHEMA + embedded_texts.EMBEDDED_SCHEMA + segments.SCHEMA,
    outdated="`sync` with all documents builds it again, and so does deleting the file",
)


class PassageStore:
    """Documents, chunks, their words and vectors, in one file or collection.

    Args:
        path: The file, which is created on first use, or a collection in PostgreSQL, such as
            "postgresql://user@host/database?collection=name". None: a temporary file, which is
            deleted with the store. Unpickled in the same process, such a store is the same; in
            another process, or once it is closed, it has a copy of the file.

    Raises:
        StoreError: On any use; see `Database.transaction`.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.temporary = path is None
        if path is None:
            handle, path = tempfile.mkstemp(prefix="lumber-", suffix=".db")
            os.close(handle)
        self.database = open_database(path, _FORMAT, create=not self.temporary)
        self.path: Path | str = self.database.path  # a URL may contain a password
        self.name = self.database.name  # for messages, without a password
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
        """Return the versions of stored documents with these names or digests."""
        query = "name, digest, splitting FROM documents WHERE"
        with self.database.transaction() as connection, self.database.intact():
            rows = select(connection, f"{query} name", map(to_bytes, names))
            rows += select(connection, f"{query} digest", digests)
            return {
                text_in(name): StoredVersion(digest, *json.loads(splitting))
                for name, digest, splitting in rows
            }

    @read_twice
    def names(
        self, sources: Collection[str] | None = None, divided: Collection[str] = ()
    ) -> list[str]:
        """Return the names of stored documents: those of `sources`, and `divided` documents.

        Args:
            sources: The sources. None: all.
            divided: Names under which a document or its parts may be stored.
        """
        with self.database.transaction() as connection, self.database.intact():
            if sources is None:
                rows = connection.execute("SELECT name FROM documents").fetchall()
            else:
                keys = map(to_bytes, sources)
                rows = select(connection, "name FROM documents WHERE source", keys)
                for name in divided:  # names of parts end in numbers; ":" sorts after all digits
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
        """Return the text and metadata of stored documents, by name; other names are ignored."""
        with self.database.transaction() as connection, self.database.intact():
            rows = select(
                connection, "name, text, metadata FROM documents WHERE name", map(to_bytes, names)
            )
            return {
                text_in(name): (text_in(text), json.loads(metadata))
                for name, text, metadata in rows
            }

    @read_twice
    def put(self, documents: Sequence[NewDocument], probe: Vectors | None = None) -> None:
        """Store documents in one transaction; each replaces the document of the same name.

        Raises:
            ValueError: The probes show that the store has vectors of another model.
        """
        terms_of_line = cache(terms)  # each text is in the surroundings of its neighbours, too

        def terms_of(text: str) -> list[str]:
            return [term for line in text.split("\n") for term in terms_of_line(line)]

        words = [
            (terms_of(words), terms_of(around))
            for document in documents
            for words, around in zip(document.words, document.around, strict=True)
        ]  # computed before the transaction, in which others wait
        with self._change_documents() as connection:
            if probe is not None:
                note_model(connection, probe, self.name)
            with self.database.intact():
                remove_documents(connection, [document.name for document in documents])
                insert_documents(connection, documents, words)

    @read_twice
    def update(self, documents: Iterable[NewVersion]) -> None:
        """Store new metadata of documents whose chunks stay as they are."""
        rows = []
        for document in documents:
            values = (
                to_bytes(document.source),
                document.digest,
                json.dumps(document.metadata),
                document.from_zero,
            )
            rows.append((*values, to_bytes(document.name)))
        columns = "source = ?, digest = ?, metadata = ?, from_zero = ?"
        with self._change_documents() as connection:
            connection.executemany(f"UPDATE documents SET {columns} WHERE name = ?", rows)

    @read_twice
    def remove_unused(self, *, exact: bool) -> None:
        """Remove the vectors of texts that no chunk uses.

        Args:
            exact: Remove even a few vectors. False: only if more chunks were removed than are
                stored, so that a killed run can continue with its vectors.
        """
        with self.database.transaction() as connection, self.database.intact():
            count = "SELECT coalesce(sum(last_chunk - first_chunk + 1), 0) FROM documents"
            (chunks,) = connection.execute(count).fetchone()
            removed = int(read_note(connection, REMOVED) or 0)
        if exact or removed > chunks:
            embedded_texts.remove_unused(self.database)
            if removed:
                self.revise(REMOVED, lambda _: b"0")

    @read_twice
    def remove(self, names: Collection[str]) -> None:
        """Remove documents with their texts, chunks, words and vectors."""
        if not names:
            return  # a new state would make readers load the segments again
        with self._change_documents() as connection, self.database.intact():
            remove_documents(connection, names)

    @read_twice
    def about(self, name: str) -> bytes | None:
        """Return the value of a key of the table `about`."""
        with self.database.transaction() as connection, self.database.intact():
            return read_note(connection, name)

    @read_twice
    def revise(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Set a key of `about` to what `change` returns for its value, in one transaction."""
        with self.database.transaction(write=True) as connection:
            value = change(read_note(connection, name))
            write_note(connection, name, value)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Open one state of the store, which no writer changes; use it within `read_twice`."""
        with self.database.transaction() as connection:
            with self.database.intact():
                about = connection.about
                loaded, state = self._segments, about["state"]
                if loaded is None or loaded.state != state:
                    with self._loading:  # only new segments are read, by the first thread
                        loaded = segments.load_segments(connection, state, self._segments)
                        self._segments = loaded
            try:
                yield Snapshot(connection, loaded, self.database.intact, about.get(PROBE))
            except ReadError:
                self._segments = None  # a second read loads the segments again
                raise

    @contextmanager
    def _change_documents(self) -> Iterator[Connection]:
        """Open a transaction that changes documents, and end it with a new state."""
        with self.database.transaction(write=True) as connection:
            yield connection
            # Random: a counter of another file, or of a copy of this file, has the same values.
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
    """Return the store at a path; a temporary store of this process is not opened again."""
    if not isinstance(path, str | os.PathLike | None):
        raise TypeError(f"path must be that of a file, or the URL of a database, not {path!r}")
    store = None if path is None else _temporary.get(Path(path))
    return PassageStore(path) if store is None else store


def _reopen(path: Path | str, content: bytes) -> PassageStore:
    """Return a pickled temporary store, or a copy if it belongs to another process."""
    store = _temporary.get(path)
    if store is None or store._process != os.getpid():
        store = PassageStore(None)
        Path(store.path).write_bytes(content)
        _temporary[path] = store
    return store


def _delete(database: Any, process: int) -> None:
    if os.getpid() == process:  # a forked child has the object, too
        database.delete()
