"""`lumber-splitters view`: a page that shows texts with their chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from lumber_cli.inputs import Inputs, Paths
from lumber_cli.options import (
    EncodingOption,
    MaxUnpackedOption,
    errors_in_one_line,
    fail,
    wrong_options,
)
from lumber_cli.splitting import Splitting, takes_splitting
from lumber_cli.view_page import chunk_page, shown_text
from lumber_cli.view_sides import BESIDE, own_side, side_beside
from lumber_files import MAX_UNPACKED, check_output, replacing


@takes_splitting()
def view_command(
    paths: Paths,
    splitting: Splitting,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")] = Path(
        "view.html"
    ),
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="SPLITTER",
            help=f"A second splitter, shown side by side: {BESIDE}.",
        ),
    ] = None,
    encoding: EncodingOption = None,
    max_unpacked: MaxUnpackedOption = MAX_UNPACKED,
) -> None:
    """Show texts with their chunks on one HTML page.

    The page needs no other file and no network. Chunks have alternating colours, with their sizes,
    headings and scores beside them. For bert and greedy a slider tries other target sizes (or
    thresholds, with --threshold); each position shows exactly what `split` gives with that option.

    Prints the path of the page.
    """
    with errors_in_one_line():
        with wrong_options():
            sides = [own_side(splitting)]
            if beside is not None:
                sides.append(side_beside(beside))
        inputs = Inputs(paths, encoding, max_unpacked)
        with wrong_options():
            check_output(output, [*inputs.files, *splitting.files])
        texts = [
            shown_text(file, sides)
            for file in tqdm(inputs, unit="file", disable=None if len(inputs) > 1 else True)
        ]
        inputs.tell_skipped()
        if not texts:
            fail("nothing to show: no document could be read")
        with replacing(output) as part:
            part.write_text(chunk_page(texts, sides), encoding="utf-8", errors="replace")
    typer.echo(output)
    if inputs.failed:
        raise typer.Exit(1)
