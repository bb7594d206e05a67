"""The options for vectors of chunks, and the vectors that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lumber_cli.writers import ChunkRow, OutputFormat
from lumber_core import Chunker, Delivery, Source
from lumber_retrieval.embedding import split_and_embed

if TYPE_CHECKING:
    from lumber_retrieval.surroundings import Vectors


@dataclass(frozen=True)
class Embedding:
    """Whether and how chunks are embedded.

    Attributes:
        wanted: Whether they are.
        embedder: The embedding model; None: the bundled one.
    """

    wanted: bool
    embedder: str | None

    def check(self, kind: OutputFormat) -> None:
        """Raise unless the options fit together, and to the format.

        Raises:
            ValueError: They do not; the message says what to change.
        """
        if self.embedder is not None and not self.wanted:
            raise ValueError("--embedder has no effect: pass --embed")
        if self.wanted and kind not in (OutputFormat.JSONL, OutputFormat.PARQUET):
            raise ValueError(
                f"--embed writes vectors, for which --format {kind.value} has no place: pass "
                "--format jsonl or parquet"
            )
        if self.wanted:
            _ = self._embed_documents

    def split(
        self, chunker: Chunker, source: Source, delivery: Delivery, *, show_progress: bool
    ) -> list[ChunkRow]:
        """Return the rows of a document, with vectors if they are wanted.

        Args:
            chunker: The splitter.
            source: The document.
            delivery: How chunks are cut out of it.
            show_progress: Show progress bars.
        """
        if not self.wanted:
            (chunks,) = chunker.split_all([source], delivery, show_progress=show_progress)
            return [ChunkRow(source.name, chunk) for chunk in chunks]
        (chunks,), (vectors,) = split_and_embed(
            chunker, [source], self._embed_documents, delivery, show_progress=show_progress
        )
        return [
            ChunkRow(source.name, chunk, vector)
            for chunk, vector in zip(chunks, vectors.tolist(), strict=True)
        ]

    @cached_property
    def _embed_documents(self) -> Callable[[list[str]], Vectors]:
        from lumber_evaluation.embedders import embedder  # deferred: only --embed needs it

        return embedder(self.embedder or "bundled").embed_documents
