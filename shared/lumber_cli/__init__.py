"""The command `lumber-splitters`."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from lumber_cli.app import app

    app()
