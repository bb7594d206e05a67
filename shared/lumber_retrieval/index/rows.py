"""The tables of documents and chunks, and of notes about the whole index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from lumber_core.calls.threads import batches
from lumber_core.spans import Span
from lumber_core.storage.database import Connection, select, text_in, to_bytes
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY, LEVELS_KEY
from lumber_core.text.outline import TextOutline, read_outline
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE
from lumber_retrieval.hits import StoredSentences
from lumber_retrieval.index import segments
from lumber_retrieval.index.segments import Terms
from lumber_retrieval.index.vectors import Vectors

REMOVED = "left"
"""The key of the number of chunks that were removed since the last removal of unused vectors."""

_HEADINGS = "headings"
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
# A query reads about 40 texts: decompressing them would take PostgreSQL a millisecond.
DOCUMENT_SCHEMA = """
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
    id {integer} PRIMARY KEY,
    first {integer} NOT NULL, last {integer} NOT NULL,
    metadata {text} NOT NULL, sentences {text} NOT NULL
);
INSERT INTO about VALUES ('state', CAST('' AS {bytes})) ON CONFLICT DO NOTHING;
"""

CHUNKS_PER_STATEMENT = 400
"""Each chunk is named twice in a statement, and versions of SQLite before 3.32 allow 999 values."""

SplitBy = tuple[str, list[str] | None]
"""A digest of everything that a splitter reads in a document, and the keys of the metadata that it
reads; None: all keys."""
StoredChunk = tuple[int, Span, dict[str, Any], StoredSentences]  # document, place, all metadata
StoredText = tuple[str, str, TextOutline]  # the name, text and outline of a document
RowCache = tuple[
    dict[int, tuple[Span, dict[str, Any], StoredSentences]],
    dict[int, tuple[str, bool, StoredText | None]],
]
"""The rows that were read in one state of a store: chunks with their own metadata; documents with
metadata in JSON (each question gets values of its own), whether their pages count from 0, so that 1
is added, and their content."""
_MAX_CACHED_CHUNKS, _MAX_CACHED_CHARACTERS = 2_000, 4_000_000
"""How much is cached: 2 MB of chunks, and 4 MB of texts in ASCII."""


class NewDocument(NamedTuple):
    """A document to be stored. Lists have a value for each of its chunks, in order."""

    name: str  # unique in the store
    source: str  # the file that the document is or is a part of
    digest: str  # a digest of everything that determines its chunks, vectors and metadata
    text: str
    metadata: Mapping[str, Any]  # data for JSON
    spans: Sequence[Span]  # the places of its chunks in its text
    details: Sequence[Mapping[str, Any]]  # metadata of each chunk alone: data for JSON
    words: Sequence[str]  # the texts whose words find each chunk
    around: Sequence[str]  # the text around each chunk, whose words count less
    vectors: Vectors  # a vector of length 1 for each chunk, shape (chunks, width)
    outline: str = TextOutline().to_json()  # the outline of its text
    # See `counts_from_zero`. None: undecided until chunks are read, since other pages of its source
    # may be added later.
    from_zero: int | None = 0
    splitting: SplitBy = ("", None)
    keys: bytes = b""  # keys of the texts embedded for its chunks; see `embedded_texts`
    sentences: Sequence[
        Sequence[int]
    ] = ()  # places of sentences in each chunk; empty: found for each question


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


def insert_documents(
    connection: Connection, documents: Sequence[NewDocument], words: Sequence[Terms]
) -> None:
    """Store documents with their chunks, whose terms are `words`."""
    # Rows are numbered here, since databases number them differently.
    (first,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM documents").fetchone()
    (last,) = connection.execute("SELECT coalesce(max(last), 0) FROM segments").fetchone()
    rows: list[tuple[Any, ...]] = []
    chunks: list[tuple[Any, ...]] = []
    for number, doc in enumerate(documents, start=first):
        version = (to_bytes(doc.name), to_bytes(doc.source), doc.digest, json.dumps(doc.splitting))
        content = (doc.keys, to_bytes(doc.text), json.dumps(doc.metadata), doc.from_zero)
        start = last + 1 + len(chunks)
        end = start + len(doc.spans) - 1
        rows.append((number, *version, start, end, *content, doc.outline))
        divided = doc.sentences or [()] * len(doc.spans)
        for span, details, sentences in zip(doc.spans, doc.details, divided, strict=True):
            stored = _short_json(details), json.dumps(sentences, separators=(",", ":"))
            chunks.append((last + 1 + len(chunks), *span, *stored))
    connection.executemany(f"INSERT INTO documents VALUES ({', '.join('?' * 12)})", rows)
    connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", chunks)
    if chunks:
        vectors = np.concatenate([doc.vectors for doc in documents if len(doc.vectors)])
        owners = np.array([(row[0], crc32(row[1])) for row in rows], segments.OWNER)
        owners = np.repeat(owners, [len(doc.spans) for doc in documents])
        segments.add(connection, last + 1, words, owners, vectors)


def read_note(connection: Connection, name: str) -> bytes | None:
    """Return the value of a key of the table `about`."""
    row = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return None if row is None else bytes(row[0])


def write_note(connection: Connection, name: str, value: bytes) -> None:
    """Set a key of the table `about`."""
    connection.execute(
        "INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def remove_documents(connection: Connection, names: Iterable[str]) -> None:
    """Remove documents; names that are not stored are ignored."""
    query = "id, first_chunk, last_chunk FROM documents WHERE name"
    documents = select(connection, query, map(to_bytes, names))
    if not documents:
        return
    chunks = [(first, last) for _, first, last in documents]
    segments.remove(connection, chunks)
    removed = sum(last - first + 1 for first, last in chunks)
    if removed:
        before = int(read_note(connection, REMOVED) or 0)
        write_note(connection, REMOVED, str(before + removed).encode())
    connection.executemany("DELETE FROM chunks WHERE id BETWEEN ? AND ?", chunks)
    connection.executemany("DELETE FROM documents WHERE id = ?", [row[:1] for row in documents])


def read_chunks(
    connection: Connection, owners: Mapping[int, int], cache: RowCache | None = None
) -> tuple[dict[int, StoredChunk], dict[int, StoredText]]:
    """Return chunks and, if there is a `cache`, the texts of their documents, by number.

    Args:
        connection: Has an open transaction.
        owners: The number of each chunk's document, by its own number.
        cache: Rows of the same state; those that are read are added. None: no texts are read.
    """
    cached_chunks, cached_documents = cache or ({}, {})  # other threads may empty the cache
    documents = {n: row for n in {*owners.values()} if (row := cached_documents.get(n))}
    in_documents = (number for number, document in owners.items() if document in documents)
    chunks = {number: chunk for number in in_documents if (chunk := cached_chunks.get(number))}
    rows: list[tuple[Any, ...]] = []
    contents = "NULL, NULL, NULL" if cache is None else "name, text, outline"
    divided = "'[]'" if cache is None else "sentences"
    for batch in batches([n for n in owners if n not in chunks], CHUNKS_PER_STATEMENT):
        missing = {owners[number] for number in batch} - documents.keys()
        rows += connection.execute(  # one statement: each takes a round trip
            f"SELECT id, first, last, metadata, {divided}, NULL, NULL, NULL, NULL, NULL "
            f"FROM chunks WHERE id IN ({', '.join('?' * len(batch))}) UNION ALL "
            f"SELECT id, NULL, NULL, metadata, NULL, source, from_zero, {contents} "
            f"FROM documents WHERE id IN ({', '.join('?' * len(missing)) or 'NULL'})",
            [*batch, *missing],
        ).fetchall()
    new_chunks = [row for row in rows if row[1] is not None]
    new_documents = [row for row in rows if row[1] is None]
    from_zero = "DISTINCT source FROM documents WHERE from_zero = 1 AND source"
    shown = {*select(connection, from_zero, {row[5] for row in new_documents if row[6] is None})}
    for number, _, _, metadata, _, source, decided, name, text, outline in new_documents:
        content = None if cache is None else (text_in(name), text_in(text), read_outline(outline))
        documents[number] = metadata, decided is None and (source,) in shown, content
    # One text is parsed faster than many.
    parts = json.loads(f"[{','.join(text for row in new_chunks for text in row[3:5])}]")
    metadata_and_sentences = zip(new_chunks, parts[::2], parts[1::2], strict=True)
    for (number, first, last, *_), part, sentences in metadata_and_sentences:
        details = read_details(part, from_zero=documents[owners[number]][1])
        chunks[number] = Span(first, last), details, StoredSentences([*map(int, sentences)])
    if rows and cache is not None:
        cached_chunks.update(chunks)
        cached_documents.update(documents)
        characters = sum(len(content[1]) for *_, content in [*cached_documents.values()] if content)
        if len(cached_chunks) > _MAX_CACHED_CHUNKS or characters > _MAX_CACHED_CHARACTERS:
            cached_chunks.clear()
            cached_documents.clear()
    parsed = json.loads(f"[{','.join(metadata for metadata, *_ in documents.values())}]")
    common = dict(zip(documents, parsed, strict=True))
    described = {
        number: (owners[number], span, {**common[owners[number]], **details}, sentences)
        for number, (span, details, sentences) in chunks.items()
    }
    return described, {number: content for number, (*_, content) in documents.items() if content}


def _short_json(details: Mapping[str, Any]) -> str:
    """Return the metadata of a chunk as it is stored: half as long, by short keys and no spaces.

    A context that the headings begin with is stored as its length.
    """
    headings, context = str(details.get(_HEADINGS, "")), details.get(CONTEXT_KEY)
    stored = {_SHORT_KEYS.get(key, key): value for key, value in details.items()}
    if context and headings.startswith(str(context)):
        stored[_SHORT_KEYS[CONTEXT_KEY]] = len(str(context))
    return json.dumps(stored, separators=(",", ":"))


def read_details(stored: Mapping[str, Any], *, from_zero: bool) -> dict[str, Any]:
    """Return the metadata of a chunk from `_short_json`, with 1 added to pages `from_zero`."""
    details = dict(zip(map(_LONG_KEYS.get, stored, stored), stored.values(), strict=True))
    if type(details.get(CONTEXT_KEY)) is int:
        details[CONTEXT_KEY] = details[_HEADINGS][: details[CONTEXT_KEY]]
    if from_zero:
        details |= {key: details[key] + 1 for key in (FIRST_PAGE, LAST_PAGE) if key in details}
    return details
