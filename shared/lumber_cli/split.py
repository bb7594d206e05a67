"""`lumber-splitters split`: split files and write the chunks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from lumber_cli.embedding import Embedding
from lumber_cli.groups import takes_fields
from lumber_cli.inputs import Inputs, Paths
from lumber_cli.options import (
    INTERRUPTED,
    EncodingOption,
    MaxUnpackedOption,
    errors_in_one_line,
    fail,
    say,
    wrong_options,
)
from lumber_cli.splitting import Splitting, takes_splitting
from lumber_cli.writers import OutputFormat, check_format, writer
from lumber_core import BertChunker
from lumber_core.chunking.delivery import Delivery
from lumber_files import MAX_UNPACKED, check_output


@takes_splitting()
@takes_fields("embedding", Embedding)
def split_command(
    paths: Paths,
    splitting: Splitting,
    embedding: Embedding,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write. Default: stdout.")
    ] = None,
    kind: Annotated[
        OutputFormat,
        typer.Option(
            "--format",
            help="jsonl: an object for each chunk; text and md: for reading; parquet: a table, "
            "which needs --output and the extra `evaluation`.",
        ),
    ] = OutputFormat.JSONL,
    encoding: EncodingOption = None,
    max_unpacked: MaxUnpackedOption = MAX_UNPACKED,
) -> None:
    """Split texts into chunks, and print or write them.

    The chunks of a document join to its text. As JSON lines each has document, index, start, end,
    tokens, headings, headings_inside, context (title, headings, and header of the table that it
    continues), text, pages for a PDF, and with --embed a vector. Each document is written as soon
    as it is split. A file is written beside --output, and takes its place at the end: Ctrl-C keeps
    the documents that are finished, and a run that read nothing replaces nothing. With --store, a
    language model's answers are kept as well.

    Exits with 0 if all went well, 1 after an error or if a file could not be read (the others are
    written), 2 for a wrong option, 130 after Ctrl-C.
    """
    with errors_in_one_line():
        with wrong_options():
            embedding.check(kind)
            chunker = splitting.chunker()
            if isinstance(chunker, BertChunker):
                chunker.load()  # a missing model is an error before any work
            check_format(kind, output)
        inputs = Inputs(paths, encoding, max_unpacked)
        if output is not None:
            with wrong_options():
                check_output(output, [*inputs.files, *splitting.files])
        slow = splitting.asks_model or (isinstance(chunker, BertChunker) and len(inputs) == 1)
        done = 0
        shown = slow and sys.stderr.isatty()
        with writer(kind, output, embedding=embedding.embed) as out:
            try:
                for file in tqdm(inputs, unit="file", disable=None if len(inputs) > 1 else True):
                    rows = embedding.split(
                        chunker, file, Delivery(splitting.chunk_overlap), show_progress=shown
                    )
                    out.write(rows)
                    done += 1
            except KeyboardInterrupt:
                say(f"interrupted; {done} of {len(inputs)} documents are written")
                raise typer.Exit(INTERRUPTED) from None
            if inputs.failed:
                fail(f"{len(inputs.failed)} of {len(inputs)} documents could not be read")
