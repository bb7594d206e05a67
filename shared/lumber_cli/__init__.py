"""The command `lumber`: one module for each group of commands."""

from __future__ import annotations

import sys

from lumber_core.errors import MissingExtraError


def main() -> None:
    """Run the command line; say in one line what is wrong where a user can mend it."""
    try:
        from lumber_cli.app import app
    except ModuleNotFoundError as error:
        extra = "train" if {"train", "export"} & set(sys.argv[1:2]) else "evaluation"
        sys.stderr.write(f"lumber: {MissingExtraError(error.name or 'typer', extra)}\n")
        raise SystemExit(1) from error
    app()
