"""Keeping vectors on disk, so that no text is embedded twice and an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from lumber_core.checks import check_texts
from lumber_core.sqlite_file import SqliteFile, digest
from lumber_evaluation.embedders import Embedder, Similarity, Vectors, matrix
from lumber_evaluation.embedders import embedder as make_embedder

# Texts embedded between two writes: what an interruption loses at most.
_EMBEDDED_AT_ONCE = 64
# SQLite takes 999 parameters at least.
_LOOKED_UP_AT_ONCE = 500


class VectorStore(SqliteFile):
    """Vectors in an SQLite file, safe under several threads and processes.

    Args:
        path: The file; it is made where it does not exist. It may hold stored answers too.

    Raises:
        StoreError: On first use: the file is damaged, was made by a newer version, or belongs to
            another program. It is left as it was.
    """

    _table = "vectors"
    _columns = "key TEXT PRIMARY KEY, vector BLOB NOT NULL"

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that are stored under some of the keys."""
        found: dict[str, Vectors] = {}
        with self._open() as connection:
            for first in range(0, len(keys), _LOOKED_UP_AT_ONCE):
                some = keys[first : first + _LOOKED_UP_AT_ONCE]
                marks = ", ".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some
                )
                found.update((key, np.frombuffer(blob, dtype="<f4")) for key, blob in rows)
        return found

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors under their keys; when this returns, they are on disk."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        with self._open() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)


class CachedEmbedder:
    """An embedder that remembers.

    A vector is known by the embedder's identity, by whether its text is a document or a query, and
    by the text; so one file serves any number of embedders.

    Args:
        embedder: What embeds the texts that are not known: a name, a model or an `Embedder`; see
            `embedders.embedder`.
        path: The file; see `VectorStore`.

    Raises:
        ValueError: There is no embedder of that name.
        TypeError: `embedder` cannot embed.
    """

    def __init__(self, embedder: object, path: str | Path) -> None:
        self._embedder: Embedder = make_embedder(embedder)
        self._store = VectorStore(path)

    @property
    def identity(self) -> str:
        """The embedder's identity."""
        return self._embedder.identity

    @property
    def similarity(self) -> Similarity:
        """The embedder's way to compare vectors."""
        return self._embedder.similarity

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, as the embedder gives it.

        Raises:
            StoreError: The file cannot be used.
        """
        return self._embed("document", self._embedder.embed_documents, check_texts(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each query likewise."""
        return self._embed("query", self._embedder.embed_queries, check_texts(texts))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._store.close()

    def __repr__(self) -> str:
        return f"CachedEmbedder({self.identity!r}, {self._store!r})"

    def _embed(
        self, kind: str, embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]
    ) -> Vectors:
        identity = self.identity
        text_of = {digest((identity, kind, text)): text for text in dict.fromkeys(texts)}
        known = self._store.get(list(text_of))
        missing = [key for key in text_of if key not in known]
        for keys in _batches(missing):
            made = matrix(embed([text_of[key] for key in keys]), len(keys))
            vectors = dict(zip(keys, made, strict=True))
            self._store.put(vectors)
            known.update(vectors)
        key_of = {text: key for key, text in text_of.items()}
        return matrix([known[key_of[text]] for text in texts], len(texts))


def _batches(keys: Sequence[str]) -> Iterable[Sequence[str]]:
    for first in range(0, len(keys), _EMBEDDED_AT_ONCE):
        yield keys[first : first + _EMBEDDED_AT_ONCE]
