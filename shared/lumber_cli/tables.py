"""Tables as aligned text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import typer

from lumber_core.text.unicode import printable


def without_common_folder(names: Sequence[str]) -> list[str]:
    """Return names of files without the folders that all of them begin with, but the last.

    Args:
        names: Paths with forward slashes.
    """
    levels = zip(*(name.split("/")[:-1] for name in names), strict=False)
    common = sum(1 for _ in takewhile(lambda level: len({*level}) == 1, levels))
    dropped = max(0, common - 1) if len(names) > 1 else 0
    return ["/".join(name.split("/")[dropped:]) for name in names]


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
