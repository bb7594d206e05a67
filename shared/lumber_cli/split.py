"""`lumber-splitters split`: split files and write the chunks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from lumber_cli.inputs import Inputs, Paths, output_file
from lumber_cli.options import INTERRUPTED, EncodingOption, errors_in_one_line, say
from lumber_cli.splitting import Splitting, takes_splitting
from lumber_cli.writers import ChunkRow, Format, writer
from lumber_core import BertChunker, Segmentation
from lumber_core.chunking.base import Chunker
from lumber_core.files import TextFile
from lumber_core.text.markdown import heading_paths


@takes_splitting()
def split_command(
    paths: Paths,
    splitting: Splitting,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write. Default: stdout.")
    ] = None,
    kind: Annotated[
        Format,
        typer.Option(
            "--format",
            help="jsonl: an object for each chunk; text and md: for reading; parquet: a table, "
            "which needs --output and the extra `evaluation`.",
        ),
    ] = Format.JSONL,
    encoding: EncodingOption = None,
) -> None:
    """Split texts into chunks, and print or write them.

    The chunks of a document join to its text. As JSON lines each has document, index, start, end,
    tokens, headings, text, and pages for a PDF. Each document is written as soon as it is split, so
    Ctrl-C keeps those that are finished; with --store, a language model's answers are kept as well.

    Exits with 0 if all went well, 1 after an error or if a file could not be read (the others are
    written), 2 for a wrong option, 130 after Ctrl-C.
    """
    with errors_in_one_line():
        chunker = splitting.chunker()
        if isinstance(chunker, BertChunker):
            chunker.load()  # a missing model is an error before any work
        inputs = Inputs(paths, encoding)
        slow = splitting.asks_model or (isinstance(chunker, BertChunker) and len(inputs) == 1)
        done = 0
        with writer(kind, None if output is None else output_file(output)) as out:
            try:
                for file in tqdm(inputs, unit="file", disable=None if len(inputs) > 1 else True):
                    out.write(
                        split_file(
                            file,
                            chunker,
                            splitting.chunk_overlap,
                            show_progress=slow and sys.stderr.isatty(),
                        )
                    )
                    done += 1
            except KeyboardInterrupt:
                say(f"interrupted; {done} of {len(inputs)} documents are written")
                raise typer.Exit(INTERRUPTED) from None
    if inputs.failed:
        say(f"{len(inputs.failed)} of {len(inputs)} documents could not be read")
        raise typer.Exit(1)


def split_file(
    file: TextFile, chunker: Chunker, overlap: int = 0, *, show_progress: bool = False
) -> list[ChunkRow]:
    """Split one text.

    Args:
        file: The text.
        chunker: The splitter. Markdown is split as such unless it has other units.
        overlap: Tokens to repeat from the chunk before.
        show_progress: Show the progress within the text.
    """
    markdown = chunker.reads_as_markdown(file.metadata)
    (made,) = chunker.segment_all(
        [file.text],
        reserved=[overlap],
        markdown=[markdown],
        show_progress=show_progress,
    )
    return rows_of(file, chunker, made, overlap)


def rows_of(
    file: TextFile, chunker: Chunker, segmentation: Segmentation, overlap: int = 0
) -> list[ChunkRow]:
    """Return the chunks of a text that is split.

    Args:
        file: The text.
        chunker: The splitter.
        segmentation: The segmentation of the text, with `overlap` tokens reserved.
        overlap: Tokens to repeat from the chunk before.
    """
    markdown = chunker.reads_as_markdown(file.metadata)
    spans = chunker.overlap(file.text, segmentation.spans, overlap, markdown=markdown)
    paths = heading_paths(file.text, spans) if markdown else [()] * len(spans)
    texts = [span.of(file.text) for span in spans]
    tokens = chunker.counter.count(texts)
    return [
        ChunkRow(file.name, number, span.start, span.end, count, path, file.pages_of(span), text)
        for number, (span, count, path, text) in enumerate(
            zip(spans, tokens, paths, texts, strict=True)
        )
    ]
