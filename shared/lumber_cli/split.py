"""`lumber-splitters split`: split files and write the chunks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from lumber_cli.embedding import Embedding
from lumber_cli.groups import takes_fields
from lumber_cli.inputs import Inputs, Paths, output_file
from lumber_cli.options import INTERRUPTED, EncodingOption, errors_in_one_line, say
from lumber_cli.splitting import Splitting, takes_splitting
from lumber_cli.writers import OutputFormat, writer
from lumber_core import BertChunker
from lumber_core.chunking.delivery import Delivery


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
) -> None:
    """Split texts into chunks, and print or write them.

    The chunks of a document join to its text. As JSON lines each has document, index, start, end,
    tokens, headings, headings_inside, context (title, headings, and header of the table that it
    continues), text, pages for a PDF, and with --embed a vector. Each document is written as soon
    as it is split, so Ctrl-C keeps those that are finished; with --store, a language model's
    answers are kept as well.

    Exits with 0 if all went well, 1 after an error or if a file could not be read (the others are
    written), 2 for a wrong option, 130 after Ctrl-C.
    """
    with errors_in_one_line():
        embedding.check(kind)
        chunker = splitting.chunker()
        if isinstance(chunker, BertChunker):
            chunker.load()  # a missing model is an error before any work
        inputs = Inputs(paths, encoding)
        slow = splitting.asks_model or (isinstance(chunker, BertChunker) and len(inputs) == 1)
        done = 0
        shown = slow and sys.stderr.isatty()
        file_written = None if output is None else output_file(output)
        with writer(kind, file_written, embedding=embedding.embed) as out:
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
        say(f"{len(inputs.failed)} of {len(inputs)} documents could not be read")
        raise typer.Exit(1)
