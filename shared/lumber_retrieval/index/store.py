"""Documents and their chunks, in one SQLite file with the vectors and words of these.

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
from lumber_core.storage.database import Connection, ReadError, read_twice
from lumber_core.storage.urls import open_database
from lumber_core.text.origin import part_name
from lumber_core.text.outline import TextOutline
from lumber_retrieval.index import embedded_texts, segments
from lumber_retrieval.index.embedding_model import check_same_model, check_widths
from lumber_retrieval.index.segments import LiveSegments, Terms, select, text_in, to_bytes
from lumber_retrieval.index.snapshot import Snapshot, short_json
from lumber_retrieval.index.surroundings import Vectors
from lumber_retrieval.words.keywords import terms

PROBE = "probe"
"""Under which the vector is noted by which the embedding model is known again."""

_LEFT = "left"  # under which it is noted how many chunks have left since vectors were removed
_APPLICATION = 0x4C554D50  # "LUMP", in the header of the file
_FORMAT = 8

_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name {text} PRIMARY KEY, value {bytes} NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    id {integer} PRIMARY KEY, name {bytes} NOT NULL UNIQUE, source {bytes} NOT NULL,
    digest {text} NOT NULL, splitting {text} NOT NULL,
    first_chunk {integer} NOT NULL, last_chunk {integer} NOT NULL, keys {bytes} NOT NULL,
    text {bytes} NOT NULL, metadata {text} NOT NULL, from_zero {integer}, outline {text} NOT NULL
);
CREATE INDEX IF NOT EXISTS documents_of_source ON documents (source);
CREATE INDEX IF NOT EXISTS documents_by_digest ON documents (digest);
CREATE INDEX IF NOT EXISTS documents_from_zero ON documents (source) WHERE from_zero = 1;
CREATE TABLE IF NOT EXISTS chunks (
    id {integer} PRIMARY KEY, document {integer} NOT NULL,
    first {integer} NOT NULL, last {integer} NOT NULL, metadata {text} NOT NULL
);
INSERT INTO about VALUES ('state', CAST('' AS {bytes})) ON CONFLICT DO NOTHING;
"""


SplitBy = tuple[str, list[str] | None]
"""What changes if a document does in what its splitter reads, and the keys of the metadata that it
reads; None: all."""


class NewDocument(NamedTuple):
    """A document to be stored, with a list of each thing that is stored of its chunks, in order."""

    name: str  # tells it from all others
    source: str  # what it is a part of, such as the file of a page
    digest: str  # changes if anything does that its chunks and vectors depend on
    text: str
    metadata: Mapping[str, Any]  # data for JSON
    spans: Sequence[Span]  # the places of its chunks in its text
    details: Sequence[Mapping[str, Any]]  # what each chunk says beyond `metadata`: data for JSON
    words: Sequence[str]  # the texts whose words find each chunk
    around: Sequence[str]  # the text around each chunk, whose words count less
    vectors: Vectors  # of length 1, shape (chunks, width)
    outline: str = TextOutline().to_json()  # of its text
    # See `counts_from_zero`. None: other pages of its source tell it when chunks are read, in
    # whatever order they came.
    from_zero: bool | None = False
    splitting: SplitBy = ("", None)
    keys: bytes = b""  # of the texts that were embedded for its chunks; see `embedded_texts`


class NewVersion(NamedTuple):
    """What changes of a stored document if its chunks do not; see `NewDocument`."""

    name: str
    source: str
    digest: str
    metadata: Mapping[str, Any]
    from_zero: bool | None


class PassageStore:
    """Documents, chunks, their words and vectors, in one file.

    Args:
        path: The file; created on first use. Or a collection in PostgreSQL:
            "postgresql://user@host/database?collection=name". None: a temporary file, which is
            deleted with the store. A pickle of it is the same store in this process, and has a copy
            of the file in another, or once the store is gone.

    Raises:
        StoreError: On any use; see `Database.transaction`.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.temporary = path is None
        if path is None:
            handle, path = tempfile.mkstemp(prefix="lumber-", suffix=".db")
            os.close(handle)
        self.database = open_database(
            path,
            application=_APPLICATION,
            version=_FORMAT,
            schema=_SCHEMA + embedded_texts.EMBEDDED_SCHEMA + segments.SCHEMA,
            create=not self.temporary,
            outdated=(
                "`sync` with all documents makes it anew, as does deleting it: nothing is lost but "
                "the time that it takes"
            ),
        )
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
    def digests(self, names: Collection[str]) -> dict[str, str]:
        """Return the digests of those of some documents that are stored."""
        with self.database.transaction() as connection, self.database.intact():
            rows = select(
                connection, "name, digest FROM documents WHERE name", map(to_bytes, names)
            )
            return {text_in(name): digest for name, digest in rows}

    @read_twice
    def splittings(self, names: Collection[str]) -> dict[str, SplitBy]:
        """Return what those of some documents that are stored were split by."""
        with self.database.transaction() as connection, self.database.intact():
            rows = select(
                connection, "name, splitting FROM documents WHERE name", map(to_bytes, names)
            )
            return {text_in(name): tuple(json.loads(splitting)) for name, splitting in rows}

    @read_twice
    def names_by_digest(self, digests: Collection[str]) -> dict[str, str]:
        """Return the names of stored documents by their digests, of one with each."""
        with self.database.transaction() as connection, self.database.intact():
            rows = select(connection, "digest, name FROM documents WHERE digest", digests)
            return {digest: text_in(name) for digest, name in rows}

    @read_twice
    def names(self, sources: Collection[str] | None = None) -> list[str]:
        """Return the names of the documents of some sources; None for all."""
        with self.database.transaction() as connection, self.database.intact():
            if sources is None:
                return [text_in(n) for (n,) in connection.execute("SELECT name FROM documents")]
            rows = select(connection, "name FROM documents WHERE source", map(to_bytes, sources))
            return [text_in(name) for (name,) in rows]

    @read_twice
    def names_of_parts(self, documents: Iterable[str]) -> set[str]:
        """Return which documents, and parts of them (see `part_name`), are stored."""
        found = set()
        with self.database.transaction() as connection, self.database.intact():
            for name in documents:
                rows = connection.execute(
                    "SELECT name FROM documents WHERE name = ? OR name BETWEEN ? AND ?",
                    [to_bytes(each) for each in (name, part_name(name, ""), part_name(name, ":"))],
                )  # ":" is after all digits
                found |= {text_in(part) for (part,) in rows}
        return found

    @read_twice
    def sources(self) -> list[str]:
        """Return all sources, in the order in which they were first stored."""
        with self.database.transaction() as connection, self.database.intact():
            query = "SELECT source FROM documents GROUP BY source ORDER BY min(id)"
            return [text_in(source) for (source,) in connection.execute(query)]

    @read_twice
    def contents(self, names: Collection[str]) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return the texts and the metadata of those of some documents that are stored."""
        with self.database.transaction() as connection, self.database.intact():
            rows = select(
                connection, "name, text, metadata FROM documents WHERE name", map(to_bytes, names)
            )
            return {text_in(name): (text_in(text), json.loads(known)) for name, text, known in rows}

    @read_twice
    def put(self, documents: Sequence[NewDocument], probe: Vectors | None = None) -> None:
        """Store documents, each instead of that of the same name; all of them or none.

        Raises:
            ValueError: By the probe of the embedding model, the store has vectors of another one.
        """
        terms_of_line = cache(terms)  # a text is around its neighbours, too

        def terms_of(text: str) -> list[str]:
            return [term for line in text.split("\n") for term in terms_of_line(line)]

        words = [
            (terms_of(own), terms_of(around))
            for one in documents
            for own, around in zip(one.words, one.around, strict=True)
        ]  # before others have to wait
        with self._changing() as connection:
            if probe is not None:
                self.note_model(connection, probe)
                check_widths([one.vectors for one in documents], probe)
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
                _zero(one),
                to_bytes(one.name),
            )
            for one in documents
        ]
        with self._changing() as connection:
            connection.executemany(
                "UPDATE documents SET source = ?, digest = ?, metadata = ?, from_zero = ? "
                "WHERE name = ?",
                rows,
            )

    @read_twice
    def remove_unused(self, *, exact: bool) -> None:
        """Remove the own vectors that no chunk uses.

        Args:
            exact: Whether few of them matter. Otherwise it is done when more chunks have left than
                there are: not while a run that was killed may go on.
        """
        with self.database.transaction() as connection, self.database.intact():
            count = "SELECT coalesce(sum(last_chunk - first_chunk + 1), 0) FROM documents"
            (chunks,) = connection.execute(count).fetchone()
            left = int(_read_note(connection, _LEFT) or 0)
        if exact or left > chunks:
            embedded_texts.remove_unused(self.database)
            if left:
                self.revise(_LEFT, lambda _: b"0")

    @read_twice
    def remove(self, names: Collection[str]) -> None:
        """Remove documents with all that is stored of them."""
        if not names:
            return  # without a change, after which others would read again
        with self._changing() as connection, self.database.intact():
            _remove(connection, names)

    @read_twice
    def about(self, name: str) -> bytes | None:
        """Return what is noted about the store under a name."""
        with self.database.transaction() as connection, self.database.intact():
            return _read_note(connection, name)

    @read_twice
    def revise(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Note what `change` returns, given what was noted under a name; others wait for it."""
        with self.database.transaction(write=True) as connection:
            note(connection, name, change(_read_note(connection, name)))

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Read from one state of the store, whoever writes meanwhile, within `read_twice`."""
        with self.database.transaction() as connection:
            with self.database.intact():
                what = f"SELECT name, value FROM about WHERE name IN ('state', '{PROBE}')"
                about = {name: bytes(value) for name, value in connection.execute(what)}
                loaded = self._load(connection, about["state"])
            try:
                yield Snapshot(connection, loaded, self.database.intact, about.get(PROBE))
            except ReadError:
                self._segments = None  # they are read again, too
                raise

    def _load(self, connection: Connection, state: bytes) -> LiveSegments:
        """Return the segments, which are kept in memory and read as far as they have changed."""
        with self._loading:
            if self._segments is None or self._segments.state != state:
                self._segments = segments.load_segments(connection, state, self._segments)
            return self._segments

    def note_model(self, connection: Connection, probe: Vectors) -> None:
        """Note the probe of the embedding model.

        Raises:
            OtherModelError: The store has that of another model.
        """
        stored = _read_note(connection, PROBE)
        check_same_model(stored, probe, self.name)
        if stored != probe.tobytes():
            note(connection, PROBE, probe.tobytes())

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """Open a transaction that changes documents."""
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
"""The temporary stores by their paths, and by those they had in the process they came from."""


def open_store(path: str | Path | None) -> PassageStore:
    """Return the store at a path: a temporary one is the same for all who know its path."""
    known = None if path is None else _temporary.get(Path(path))
    return PassageStore(path) if known is None else known


def _reopen(path: Path | str, content: bytes) -> PassageStore:
    """Return a temporary store that was pickled, or a copy if it is not of this process."""
    known = _temporary.get(path)
    if known is None or known._process != os.getpid():
        known = PassageStore(None)
        Path(known.path).write_bytes(content)
        _temporary[path] = known
    return known


def _insert(
    connection: Connection, documents: Sequence[NewDocument], words: Sequence[Terms]
) -> None:
    # Numbers are given here, since databases differ in how they give them.
    (first,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM documents").fetchone()
    (last,) = connection.execute("SELECT coalesce(max(last), 0) FROM segments").fetchone()
    rows: list[tuple[Any, ...]] = []
    chunks: list[tuple[Any, ...]] = []
    for number, one in enumerate(documents, start=first):
        known = (to_bytes(one.name), to_bytes(one.source), one.digest, json.dumps(one.splitting))
        content = (one.keys, to_bytes(one.text), json.dumps(one.metadata), _zero(one))
        start = last + 1 + len(chunks)
        end = start + len(one.spans) - 1
        rows.append((number, *known, start, end, *content, one.outline))
        for span, details in zip(one.spans, one.details, strict=True):
            chunks.append((last + 1 + len(chunks), number, *span, short_json(details)))
    connection.executemany(f"INSERT INTO documents VALUES ({', '.join('?' * 12)})", rows)
    connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", chunks)
    if chunks:
        vectors = np.concatenate([one.vectors for one in documents if len(one.vectors)])
        segments.add(connection, last + 1, words, vectors)


def _zero(document: NewDocument | NewVersion) -> int | None:
    return None if document.from_zero is None else int(document.from_zero)


def _read_note(connection: Connection, name: str) -> bytes | None:
    found = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return None if found is None else bytes(found[0])


def note(connection: Connection, name: str, value: bytes) -> None:
    """Note something about a store, instead of what was noted under the same name."""
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
    left = sum(last - first + 1 for first, last in chunks)
    if left:
        note(connection, _LEFT, str(left + int(_read_note(connection, _LEFT) or 0)).encode())
    connection.executemany("DELETE FROM chunks WHERE id BETWEEN ? AND ?", chunks)
    connection.executemany("DELETE FROM documents WHERE id = ?", [one[:1] for one in documents])


def _delete(database: Any, process: int) -> None:
    if os.getpid() == process:  # a forked child has the object, too
        database.delete()
