"""How commands end where something is wrong: one line that says what, and exit status 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from lumber_core.errors import LumberError


def fail(message: str) -> NoReturn:
    """Say what is wrong in one line, and end."""
    typer.echo(f"lumber: {' '.join(message.split())}", err=True)
    raise typer.Exit(1)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Tell errors that a user can mend as `fail` does; others are bugs and keep their traceback."""
    try:
        yield
    except (LumberError, ValueError, OSError) as error:
        fail(str(error))
