"""`lumber-splitters index`: copy an index of passages."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from lumber_cli.options import wrong_options
from lumber_retrieval.copying import copy_index


class IndexAction(str, Enum):
    """What is done with an index."""

    COPY = "copy"


def index_command(
    action: Annotated[IndexAction, typer.Argument(help="What to do: copy.", show_default=False)],
    source: Annotated[
        str, typer.Argument(help="File or URL of the index.", metavar="FROM", show_default=False)
    ],
    target: Annotated[
        str,
        typer.Argument(
            help="File that does not exist yet, or URL of a collection without documents.",
            metavar="TO",
            show_default=False,
        ),
    ],
) -> None:
    """Copy an index from file to file or database, also while it is searched.

    Nothing is split or embedded again. A URL is that of a collection in PostgreSQL:
    postgresql://user@host/database?collection=name.

    Exits with 0, 1 after an error, 2 if there is nothing to copy or something at the target.
    """
    del action  # there is one
    with wrong_options():
        copy_index(source, target)
