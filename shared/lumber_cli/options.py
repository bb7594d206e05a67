"""Arguments and options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lumber_evaluation.splitters import PRESETS

SPLITTERS = f"{', '.join(PRESETS)}, with a number as in greedy:400"
"""What may be named as a splitter, for help."""

Folder = Annotated[Path, typer.Argument(help="Folder of the documents: .txt and .md files.")]
BaseUrl = Annotated[
    str | None, typer.Option(help="A server that speaks OpenAI's API: http://127.0.0.1:8000/v1.")
]
KeyVariable = Annotated[
    str | None,
    typer.Option(help="Environment variable with the key, instead of the provider's own."),
]
Concurrency = Annotated[int, typer.Option(help="Most calls of the model in flight.")]
PerMinute = Annotated[
    float | None, typer.Option(help="Most calls of the model a minute; no limit by default.")
]
