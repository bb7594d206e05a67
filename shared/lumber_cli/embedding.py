"""The options for vectors of chunks, and the vectors that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import typer

from lumber_cli.options import EMBEDDERS
from lumber_cli.panels import OUTPUT, VECTORS
from lumber_cli.writers import ChunkRow, OutputFormat
from lumber_core import Chunker, Delivery, Source
from lumber_retrieval.embedding import (
    ALL_CONTEXT,
    ContextPart,
    check_context_and_scales,
    split_and_embed,
)

if TYPE_CHECKING:
    from lumber_retrieval.surroundings import Vectors

_NOTHING = "none"


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
        str | None,
        typer.Option(
            help="What vectors know beside the text of a chunk, separated by commas: headings, "
            "which are embedded before it; surroundings, vectors of its neighbours, which helps to "
            "find chunks of about 50 tokens; or none. Default: headings,surroundings.",
            rich_help_panel=VECTORS,
        ),
    ] = None
    scales: Annotated[
        str | None,
        typer.Option(
            help="Sizes in tokens, such as 80,160,320: the text is cut to each, too, and what a "
            "chunk lies in is embedded instead of its neighbours.",
            rich_help_panel=VECTORS,
        ),
    ] = None

    def check(self, kind: OutputFormat) -> None:
        """Raise unless the options fit together, and to the format.

        Raises:
            ValueError: They do not; the message says what to change.
        """
        for name in ("embedder", "context", "scales"):
            if getattr(self, name) is not None and not self.embed:
                raise ValueError(f"--{name} has no effect: pass --embed")
        if self.embed and kind not in (OutputFormat.JSONL, OutputFormat.PARQUET):
            raise ValueError(
                f"--embed writes vectors, for which --format {kind.value} has no place: pass "
                "--format jsonl or parquet"
            )
        check_context_and_scales(self._context, self._scales)
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
            context=self._context,
            scales=self._scales,
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

    @property
    def _context(self) -> Sequence[ContextPart]:
        if self.context is None:
            return ALL_CONTEXT
        given = [part.strip() for part in self.context.split(",")]
        parts = [part for part in ALL_CONTEXT if part in given]
        if len(parts) < len(given) and given != [_NOTHING]:
            raise ValueError(
                f"--context takes {','.join(ALL_CONTEXT)}, one of them or {_NOTHING}, not "
                f"{self.context!r}"
            )
        return parts

    @property
    def _scales(self) -> list[int]:
        if self.scales is None:
            return []
        try:
            return [int(size) for size in self.scales.split(",")]
        except ValueError:
            raise ValueError(
                f"--scales takes whole numbers separated by commas, such as 80,160,320, not "
                f"{self.scales!r}"
            ) from None
