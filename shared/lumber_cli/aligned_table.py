"""Tables as aligned text."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from lumber_core.text.unicode import printable


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table to stdout: the first column is text, the others are numbers.

    Args:
        columns: Titles.
        rows: Cells; as many as there are columns.
    """
    cells = [[printable(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        aligned = [
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        typer.echo("  ".join(aligned).rstrip())
