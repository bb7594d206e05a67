"""What an evaluation keeps while it works, so that a run cut short goes on where it was.

How a splitter splits a document is filed under the splitter's settings and the document's text, an
embedding under the embedder's identity and the text embedded. A file that cannot be read counts as
missing: its content is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from tqdm import tqdm

from lumber_core.errors import StoreError
from lumber_core.evaluation.chunks import Chunk, SplitDocument
from lumber_core.evaluation.documents import Document
from lumber_core.segmentation import Usage
from lumber_core.spans import Span

if TYPE_CHECKING:
    import numpy.typing as npt

    from lumber_core.evaluation.embedders import Embedder
    from lumber_core.evaluation.splitters import Subject

_BLOCK = 256  # texts embedded between two writes


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

        A splitter without settings to file its work under is asked every time.
        """
        if self.folder is None or not subject.settings:
            return subject.split(document)
        path = self.folder / "splits" / f"{_split_key(subject, document)}.json"
        kept = _read_split(path, document)
        if kept is None:
            kept = subject.split(document)
            _write_atomically(path, _split_rows(kept, document))
        return kept

    def embedder(self, embedder: Embedder, *, show_progress: bool = False) -> Embedder:
        """Return an embedder that embeds every text once."""
        path = None if self.folder is None else self.folder / "embeddings.sqlite"
        return OnceEmbedder(embedder, path, show_progress=show_progress)


class OnceEmbedder:
    """An embedder that embeds every text once: equal texts share a vector.

    Args:
        embedder: Who embeds what is new.
        path: The SQLite file of vectors; None keeps them in memory.
        show_progress: Show a bar while texts are embedded.
    """

    def __init__(
        self, embedder: Embedder, path: Path | None, *, show_progress: bool = False
    ) -> None:
        self._embedder = embedder
        self._path = ":memory:" if path is None else str(path)
        self._show_progress = show_progress
        self._connection: sqlite3.Connection | None = None
        self.identity = embedder.identity
        self.similarity: Literal["cosine", "dot"] = embedder.similarity

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector for each text, shape (texts, dimensions)."""
        return self._embed("documents", texts, self._embedder.embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector for each query, shape (queries, dimensions)."""
        return self._embed("queries", texts, self._embedder.embed_queries)

    def _embed(
        self,
        kind: str,
        texts: Sequence[str],
        embed: Callable[[Sequence[str]], npt.NDArray[np.float32]],
    ) -> npt.NDArray[np.float32]:
        keys = {text: _key(self.identity, kind, text) for text in texts}
        try:
            found = self._find(keys.values())
            missing = [text for text, key in keys.items() if key not in found]
            with tqdm(
                total=len(missing),
                desc=f"embedding {kind}",
                unit="text",
                disable=not (self._show_progress and missing),
                leave=False,
            ) as bar:
                for first in range(0, len(missing), _BLOCK):
                    block = missing[first : first + _BLOCK]
                    vectors = np.asarray(embed(block), dtype=np.float32)
                    rows = {keys[t]: v for t, v in zip(block, vectors, strict=True)}
                    self._keep(rows)
                    found |= rows
                    bar.update(len(block))
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the kept embeddings {self._path} cannot be used: {error}. Move the file away"
            ) from error
        return np.stack([found[keys[text]] for text in texts])

    def _find(self, keys: Iterable[str]) -> dict[str, npt.NDArray[np.float32]]:
        connection = self._open()
        statement = "SELECT vector FROM vectors WHERE key = ?"
        rows = ((key, connection.execute(statement, (key,)).fetchone()) for key in keys)
        return {key: np.frombuffer(row[0], dtype="<f4") for key, row in rows if row}

    def _keep(self, rows: dict[str, npt.NDArray[np.float32]]) -> None:
        with self._open() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                [(key, vector.astype("<f4").tobytes()) for key, vector in rows.items()],
            )

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self._path, timeout=60)
            with connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB)"
                )
            self._connection = connection
        return self._connection

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None:
            with closing(self._connection):
                self._connection = None


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _key(*parts: str) -> str:
    return text_digest("\n".join(map(text_digest, parts)))


def _split_key(subject: Subject, document: Document) -> str:
    return _key(version("lumber-splitters"), subject.settings, document.name, document.text)


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


def _write_atomically(path: Path, rows: dict[str, Any]) -> None:
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps(rows, ensure_ascii=True), encoding="utf-8")
    beside.replace(path)
