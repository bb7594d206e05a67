"""`lumber-splitters split`: split files and write the chunks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from tqdm import tqdm

from lumber_cli.chunk_formats import ChunkRow, OutputFormat, writer
from lumber_cli.inputs import Inputs, Paths
from lumber_cli.options import (
    EMBEDDINGS,
    INTERRUPTED,
    FileOptions,
    say,
    with_options,
    wrong_options,
)
from lumber_cli.splitter_options import SplitterOptions
from lumber_core import BertChunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.support.extras import require
from lumber_core.support.wording import with_noun
from lumber_files import check_output
from lumber_retrieval.index.surroundings import split_and_embed

if TYPE_CHECKING:
    from lumber_retrieval.index.vectors import Vectors

_LARGE_TEXT_CHARACTERS = 50_000
"""Minimum characters of a file for a progress bar of Bert, which then takes some seconds."""


@with_options(FileOptions, SplitterOptions)
def split_command(
    file_options: FileOptions,
    options: SplitterOptions,
    paths: Paths,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; by default stdout.")
    ] = None,
    kind: Annotated[
        OutputFormat,
        typer.Option(
            "--format",
            help="jsonl: an object for each chunk; text: for reading; parquet: a table, "
            "which needs --output and the extra `evaluation`.",
        ),
    ] = "jsonl",
    embed: Annotated[
        bool,
        typer.Option(
            "--embed",
            help="Also write a vector of each chunk, in the field or column `embedding`. With "
            "--format jsonl or parquet.",
        ),
    ] = False,
    embedder: Annotated[str | None, EMBEDDINGS] = None,
) -> None:
    """Split texts into chunks, and print or write them.

    Without --chunk-overlap, the chunks of a document joined together are its text. A JSON line of a
    chunk has document, index, start, end, tokens, headings, headings_inside, context (title,
    headings, and header of the table that it continues), text, pages for a PDF, and with --embed a
    vector. Each document is written as soon as it is split. The file of --output is replaced at the
    end: after Ctrl-C it has the documents that were finished, and a run that read nothing leaves
    the old file. With --store, a language model's answers are kept as well.

    Exits with 0 after success, 1 after an error or if a file could not be read (the others are
    written), 2 for a wrong option, 130 after Ctrl-C.
    """
    with wrong_options():
        embed_documents = _embed_function(embed, embedder, kind)
        chunker = options.chunker()
        if kind == "parquet":
            if output is None:
                raise ValueError("--format parquet needs a file: pass --output FILE")
            require("pyarrow", package="pyarrow", extra="evaluation")
    inputs = Inputs(paths, file_options)
    if output is not None:
        with wrong_options():
            check_output(output, [*inputs.files, *options.files])
    finished = 0
    terminal = sys.stderr.isatty()
    with writer(kind, output, embedding=embed) as write:
        try:
            for file in tqdm(inputs, unit="file", disable=None if len(inputs) > 1 else True):
                alone = len(inputs) == 1 or len(file.text) > _LARGE_TEXT_CHARACTERS
                slow = options.asks_model or (isinstance(chunker, BertChunker) and alone)
                delivery = Delivery(options.chunk_overlap)
                show_bar = slow and terminal
                if embed_documents is None:
                    (chunks,) = chunker.split_all([file], delivery, show_progress=show_bar)
                    write([ChunkRow(file.name, chunk) for chunk in chunks])
                else:
                    (chunks,), (vectors,) = split_and_embed(
                        chunker, [file], embed_documents, delivery, show_progress=show_bar
                    )
                    pairs = zip(chunks, vectors.tolist(), strict=True)
                    write([ChunkRow(file.name, *pair) for pair in pairs])
                finished += 1
        except KeyboardInterrupt:
            say(f"interrupted; {finished} of {with_noun(len(inputs), 'document')} written")
            raise typer.Exit(INTERRUPTED) from None
        inputs.report_unread()
        if inputs.failed:
            raise typer.Exit(1)


def _embed_function(
    embed: bool, embedder: str | None, kind: OutputFormat
) -> Callable[[list[str]], Vectors] | None:
    """Return the function that embeds texts; None if no vectors are wanted."""
    if not embed:
        if embedder is not None:
            raise ValueError("--embeddings has no effect: pass --embed")
        return None
    if kind == "text":
        raise ValueError(
            "--embed writes vectors, for which --format text has no place: pass --format jsonl or "
            "parquet"
        )
    from lumber_retrieval.embedders import embedder as named  # deferred: only --embed needs it

    return named(embedder or "bundled").embed_documents
