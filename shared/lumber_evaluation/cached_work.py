"""Cached splits and vectors, so that an interrupted or repeated evaluation resumes.

The key of a split is the splitter's identity and the document's text; the key of an embedding is
the embedder's identity and the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from lumber_core import __version__
from lumber_core.calls.threads import batches
from lumber_core.checks import check_texts
from lumber_core.errors import StoreError
from lumber_core.segmentation import read_usage
from lumber_core.spans import Span
from lumber_core.storage.cache import Cache, read_row
from lumber_core.support.identity import digest
from lumber_evaluation.dataset import Document, EvaluatedChunk, EvaluatedSplitter, SplitDocument
from lumber_retrieval.embedders import Embedder, Similarity
from lumber_retrieval.embedders import embedder as make_embedder
from lumber_retrieval.index.vectors import Vectors, matrix

WORK_FILE = "work.db"
"""Name of the file in a cache folder."""

# Texts embedded between two writes; an interruption loses at most these.
_MAX_BATCH_TEXTS = 64


class CachedEmbedder:
    """An embedder whose vectors are cached in an SQLite file.

    A vector is stored under the embedder's identity, whether its text is a document or a query,
    and the text; so one file serves any number of embedders.

    Args:
        embedder: Embeds texts that are not stored: a name, a model or an `Embedder`; see
            `embedders.embedder`.
        path: The file; created on first use if it does not exist.

    Raises:
        ValueError: There is no embedder of that name.
        TypeError: `embedder` cannot embed.
        StoreError: On first use, if the file cannot be read and written, belongs to another program
            or has another format version.
    """

    def __init__(self, embedder: object, path: str | Path) -> None:
        self._embedder: Embedder = make_embedder(embedder)
        self._cache = Cache(path, "vectors")

    @property
    def identity(self) -> str:
        """The embedder's identity."""
        return self._embedder.identity

    @property
    def similarity(self) -> Similarity:
        """How the embedder's vectors are compared."""
        return self._embedder.similarity

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the embedder's vector for each text."""
        return self._embed("document", self._embedder.embed_documents, check_texts(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each query, as for texts."""
        return self._embed("query", self._embedder.embed_queries, check_texts(texts))

    def __repr__(self) -> str:
        return f"CachedEmbedder({self.identity!r}, {self._cache.name!r})"

    def _embed(
        self, kind: str, embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]
    ) -> Vectors:
        identity = self.identity
        key_of = {text: digest(identity, kind, text) for text in texts}

        def read() -> dict[str, Vectors]:
            stored = self._cache.get_many(key_of.values())
            return {key: np.frombuffer(value, dtype="<f4") for key, value in stored.items()}

        vectors = self._cache.read("vector", read)
        due = [text for text, key in key_of.items() if key not in vectors]
        for batch in batches(due, _MAX_BATCH_TEXTS):
            new = dict(zip(batch, matrix(embed(batch), len(batch)), strict=True))
            self._cache.put_many({key_of[t]: v.astype("<f4").tobytes() for t, v in new.items()})
            vectors.update((key_of[text], vector) for text, vector in new.items())
        return matrix([vectors[key_of[text]] for text in texts], len(texts))


class CachedWork:
    """The splits and vectors of evaluations, in one file of a folder. None caches nothing.

    Raises:
        StoreError: The folder cannot be created, or the file cannot be used.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self._path: Path | None = None
        if folder is None:
            return
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder {folder} for finished work cannot be created: {error.strerror}"
            ) from error
        self._path = Path(folder) / WORK_FILE
        self._splits = Cache(self._path, "splits")
        self._splits.open()

    def split(self, splitter: EvaluatedSplitter, document: Document) -> SplitDocument:
        """Return the stored split of a document, or split it and store the result.

        A stored split has the time, calls and cost of the run that made it. A split is not stored
        if the splitter has no identity, or if a model's answer was unusable.
        """
        if self._path is None or splitter.identity is None:
            return splitter.split(document)
        key = digest(__version__, splitter.identity, document.name, document.format, document.text)

        def read() -> SplitDocument | None:
            if (stored := self._splits.get(key)) is None:
                return None
            row, text = read_row(stored), document.text
            spans = [Span(*ends) for ends in row["spans"]]
            chunks = tuple(EvaluatedChunk(document.name, span, span.of(text)) for span in spans)
            return SplitDocument(document.name, chunks, row["seconds"], read_usage(row["usage"]))

        if known_split := self._splits.read("split", read):
            return known_split
        split = splitter.split(document)
        if not split.failures:
            row = {
                "spans": [chunk.span for chunk in split.chunks],
                "seconds": split.seconds,
                "usage": asdict(split.usage),
            }
            self._splits.put(key, json.dumps(row).encode())
        return split

    def embedder(self, embedder: Embedder) -> Embedder:
        """Return an embedder that embeds each text once; without a folder, `embedder` itself."""
        return embedder if self._path is None else CachedEmbedder(embedder, self._path)
