"""The command `lumber-splitters`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; without the extra `cli`, say so and exit with status 1."""
    try:
        from lumber_cli.app import app
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        from lumber_core.errors import MissingExtraError  # deferred: `-h` does without the core

        sys.exit(f"lumber-splitters: {MissingExtraError('typer', 'cli')}")
    app()
