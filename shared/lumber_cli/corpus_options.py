"""Options for a corpus, for `compare` and `questions`, and a check of the files they write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lumber_cli.options import WRONG_OPTION, FileOptions, fail, wrong_options
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.dataset import Corpus, Document
from lumber_evaluation.splitters import PRESETS
from lumber_files import check_output

SPLITTER_NAMES = f"{', '.join(PRESETS)}; with a number, as in greedy:400"
"""The named splitters, for help texts."""

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        help="A folder, read as by `split`, or a single file of any type.",
    ),
]
PatternOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Read only the files in the folder that match this, such as '*.md'; may be repeated. "
        "Default: all files in a supported format, and those of --also."
    ),
]
Concurrency = Annotated[int, typer.Option(min=1, help="Maximum number of model calls in flight.")]


def load_corpus(
    folder: Path, pattern: Sequence[str] | None, options: FileOptions, **settings: Any
) -> Corpus:
    """Load the files of a folder as the options state; see `load_folder` for the settings."""
    if pattern and options.also:
        fail("--also has no effect with --pattern: pass another --pattern", status=WRONG_OPTION)
    return load_folder(
        folder,
        pattern=pattern or None,
        also=options.also or (),
        encoding=options.encoding,
        max_unpacked=options.max_unpacked,
        **settings,
    )


def check_outputs(
    outputs: Iterable[Path],
    folder: Path,
    documents: Iterable[Document],
    others: Iterable[Path] = (),
) -> None:
    """Exit if a file to write is one that was read: a document of the folder, or one of `others`.

    `folder` may be a single file. Raises an Exit.
    """
    root = folder.parent if folder.is_file() else folder
    inputs = [*(root / document.name for document in documents), *others]
    for output in outputs:
        if output.exists():
            with wrong_options():
                check_output(output, inputs)
