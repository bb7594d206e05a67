"""`lumber-splitters view`: a page that shows texts with their chunks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from lumber_cli.html_pages.page import write_page
from lumber_cli.html_pages.view_page import chunk_page
from lumber_cli.inputs import Inputs, Paths
from lumber_cli.options import FileOptions, fail, with_options, wrong_options
from lumber_cli.splitter_options import SplitterOptions
from lumber_core.chunking.delivery import Delivery
from lumber_files import check_output


@with_options(FileOptions, SplitterOptions)
def view_command(
    file_options: FileOptions,
    options: SplitterOptions,
    paths: Paths,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")] = Path(
        "view.html"
    ),
) -> None:
    """Show texts with their chunks on one HTML page.

    The chunks are those of `split` with the same options, in alternating colours, with their sizes
    and headings beside them. The page needs no other file, no script and no network.

    Prints the path of the page.
    """
    with wrong_options():
        chunker = options.chunker()
    inputs = Inputs(paths, file_options)
    with wrong_options():
        check_output(output, [*inputs.files, *options.files])
    texts = []
    for file in tqdm(inputs, unit="file", disable=None if len(inputs) > 1 else True):
        show_bar = options.asks_model and sys.stderr.isatty()
        delivery = Delivery(options.chunk_overlap)
        (chunks,) = chunker.split_all([file], delivery, show_progress=show_bar)
        texts.append((file.name, chunks))
    inputs.report_unread()
    if not texts:
        fail("nothing to show: no document could be read")
    write_page(output, chunk_page(texts))
    typer.echo(output)
    if inputs.failed:
        raise typer.Exit(1)
