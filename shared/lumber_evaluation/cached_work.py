"""What an evaluation keeps while it works, so that a run cut short goes on where it was.

How a splitter splits a document is filed under the splitter's settings and the document's text, an
embedding under the embedder's identity and the text embedded. A file that cannot be read counts as
missing: its content is made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from lumber_core.checks import check_texts
from lumber_core.errors import StoreError
from lumber_core.files import atomic_write
from lumber_core.segmentation import Usage
from lumber_core.spans import Span
from lumber_core.sqlite_file import SqliteFile, digest
from lumber_evaluation.documents import Chunk, Document, SplitDocument
from lumber_evaluation.embedders import Embedder, Similarity, Vectors, matrix
from lumber_evaluation.embedders import embedder as make_embedder
from lumber_evaluation.splitters import Subject


class KeptWork:
    """A folder of finished work; with no folder, nothing is kept.

    Args:
        folder: It is made where it does not exist.

    Raises:
        StoreError: The folder cannot be made or written to.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        try:
            (self.folder / "splits").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder {self.folder} for work in progress cannot be made: {error.strerror}"
            ) from error

    def split(self, subject: Subject, document: Document) -> SplitDocument:
        """Return how a splitter splits a document: as kept, or else done now, and kept.

        A splitter whose settings do not determine its result is asked every time, and so is one
        whose model gave unusable answers: it may do better next time.
        """
        if self.folder is None or not is_determined(subject.settings):
            return subject.split(document)
        key = digest((version("lumber-splitters"), subject.settings, document.name, document.text))
        path = self.folder / "splits" / f"{key}.json"
        kept = _read_split(path, document)
        if kept is None:
            kept = subject.split(document)
            if not kept.failures:
                atomic_write(path, json.dumps(_split_rows(kept, document)).encode())
        return kept

    def embedder(self, embedder: Embedder) -> Embedder:
        """Return an embedder that embeds no text twice; without a folder, `embedder` itself."""
        if self.folder is None:
            return embedder
        return CachedEmbedder(embedder, self.folder / "embeddings.db")


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_determined(settings: str) -> bool:
    """Tell whether settings say all that changes a splitter's result.

    Functions are known by their names only, which stay when the function changes. A splitter that
    is a function, is judged by one, or has one that is local or of the user's script, is not
    determined.
    """
    return "(" in settings and not any(sign in settings for sign in ("<", "__main__.", "Callable"))


def _split_rows(split: SplitDocument, document: Document) -> dict[str, Any]:
    """Return a split as JSON has it; texts stand there only where spans do not tell them."""
    return {
        "chunks": [
            [*chunk.span]
            if chunk.text == chunk.span.of(document.text)
            else [*chunk.span, chunk.text]
            for chunk in split.chunks
        ],
        "seconds": split.seconds,
        "usage": asdict(split.usage),
        "failures": split.failures,
    }


def _read_split(path: Path, document: Document) -> SplitDocument | None:
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        chunks = []
        for start, end, *text in row["chunks"]:
            span = Span(start, end)
            chunks.append(Chunk(document.name, span, text[0] if text else span.of(document.text)))
        usage = Usage(**row["usage"])
        return SplitDocument(document.name, tuple(chunks), row["seconds"], usage, row["failures"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


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
