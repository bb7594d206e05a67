"""Tables on a terminal: drawn with rich there, plain aligned text in pipes and files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import takewhile

import typer

from lumber_core.text.unicode import printable

_UNBOUNDED = 10_000  # columns in a pipe, so that no cell is wrapped or cut


def without_common_folder(names: Sequence[str]) -> list[str]:
    """Return names of files without the folders that all of them begin with, but the last.

    Args:
        names: Paths with forward slashes.
    """
    levels = zip(*(name.split("/")[:-1] for name in names), strict=False)
    common = sum(1 for _ in takewhile(lambda level: len({*level}) == 1, levels))
    dropped = max(0, common - 1) if len(names) > 1 else 0
    return ["/".join(name.split("/")[dropped:]) for name in names]


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """Print a table to stdout.

    Args:
        columns: Titles.
        rows: Cells; as many as there are columns.
        left: Number of columns from the left that hold text; the others are aligned to the right.
    """
    # Deferred: most commands print no table.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    on_terminal = sys.stdout.isatty()
    table = Table(box=box.SIMPLE_HEAD if on_terminal else None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(
            Text(column), justify="left" if number < left else "right", overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(file=sys.stdout, width=None if on_terminal else _UNBOUNDED)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())
