"""The options for vectors of chunks, and the vectors that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import typer

from lumber_cli.options import EMBEDDERS
from lumber_cli.panels import OUTPUT, VECTORS
from lumber_cli.writers import ChunkRow, OutputFormat
from lumber_core import Chunker, Delivery, Source
from lumber_retrieval.embedding import split_and_embed

if TYPE_CHECKING:
    from lumber_retrieval.surroundings import Vectors


@dataclass(frozen=True, kw_only=True)
class Embedding:
    """The values of the options: whether and how chunks are embedded."""

    embed: Annotated[
        bool,
        typer.Option(
            "--embed",
            help="Write a vector of each chunk, too: the field or column embedding. With --format "
            "jsonl or parquet.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    embedder: Annotated[
        str | None,
        typer.Option(
            help=f"{EMBEDDERS} Default: bundled.",
            rich_help_panel=VECTORS,
        ),
    ] = None
    context: Annotated[
        bool,
        typer.Option(
            help="Embed a chunk below its context: title, headings, header of a table.",
            rich_help_panel=VECTORS,
        ),
    ] = True
    surroundings: Annotated[
        bool,
        typer.Option(
            help="Add the vectors of its neighbours, which helps to find chunks of about 50 "
            "tokens.",
            rich_help_panel=VECTORS,
        ),
    ] = True

    def check(self, kind: OutputFormat) -> None:
        """Raise unless the options fit together, and to the format.

        Raises:
            ValueError: They do not; the message says what to change.
        """
        given = {
            "--embedder": self.embedder is not None,
            "--no-context": not self.context,
            "--no-surroundings": not self.surroundings,
        }
        for option, is_given in given.items():
            if is_given and not self.embed:
                raise ValueError(f"{option} has no effect: pass --embed")
        if self.embed and kind not in (OutputFormat.JSONL, OutputFormat.PARQUET):
            raise ValueError(
                f"--embed writes vectors, for which --format {kind.value} has no place: pass "
                "--format jsonl or parquet"
            )
        if self.embed:
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
        if not self.embed:
            (chunks,) = chunker.split_all([source], delivery, show_progress=show_progress)
            return [ChunkRow(source.name, chunk) for chunk in chunks]
        (chunks,), (vectors,) = split_and_embed(
            chunker,
            [source],
            self._embed_documents,
            delivery,
            context=self.context,
            surroundings=self.surroundings,
            show_progress=show_progress,
        )
        return [
            ChunkRow(source.name, chunk, vector)
            for chunk, vector in zip(chunks, vectors.tolist(), strict=True)
        ]

    @cached_property
    def _embed_documents(self) -> Callable[[list[str]], Vectors]:
        from lumber_evaluation.embedders import embedder  # deferred: only --embed needs it

        return embedder(self.embedder or "bundled").embed_documents
