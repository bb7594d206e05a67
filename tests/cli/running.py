"""Runs `lumber-splitters` as a user does."""

from __future__ import annotations

from typer.testing import CliRunner

from lumber_cli.app import app


def run(*arguments: object, **environment: str) -> tuple[int, str]:
    """Return the exit status and all that was said."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)
    return result.exit_code, result.output
