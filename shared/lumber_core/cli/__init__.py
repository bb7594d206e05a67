"""The command `lumber`: one module for each group of commands."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; say in one line what is wrong where a user can mend it."""
    try:
        from lumber_core.cli.app import app
    except ImportError as error:
        sys.stderr.write(
            f"lumber: {error.name} is not installed. Install it with: "
            "pip install 'lumber-splitters[evaluation]'\n"
        )
        raise SystemExit(1) from error
    app()
