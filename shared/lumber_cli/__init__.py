"""The command `lumber-splitters`.

In the order in which a call passes through them:

1. `app` lists the commands; each is imported from `commands` or `agents` when it runs.
2. `options` has messages, exit statuses, errors in one line and help texts for all commands.
   `model_options`, `splitter_options` and `corpus_options` are the options for models, splitters
   and collections; `language_models` finds models by name, and `named_settings` parses --set.
3. `inputs` reads the files, `file_index` indexes their passages and judges whether one fits the
   question, `file_records` finds files that have changed, `index_cache` manages the indexes in the
   user's cache folder, and `answering` asks a model to answer from passages.
4. `chunk_formats`, `passage_formats` and `html_pages` write the results.

Wrong options and arguments raise a ValueError, and files, indexes and models an OSError or a
LumberError. The command prints the message in one line.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; without the extra `cli`, exit with status 1 and name it."""
    try:
        from lumber_cli.app import app
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        from lumber_core.errors import MissingExtraError  # deferred: `-h` works without the core

        sys.exit(f"lumber-splitters: {MissingExtraError('typer', 'cli')}")
    app()
