"""`lumber-splitters models`: the models that --model takes, and what each still needs."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from lumber_cli.language_models import PROVIDERS, Provider, served_by
from lumber_cli.options import errors_in_one_line, wrong_options
from lumber_cli.tables import show_table
from lumber_core.bert.model_folder import OWN_FOLDERS
from lumber_core.errors import MissingExtraError
from lumber_core.support.extras import require
from lumber_core.text.unicode import printable


def models_command(
    server: Annotated[
        str | None,
        typer.Argument(
            metavar="[SERVER]",
            help="List the models of a server: openai, ollama, or the URL of an OpenAI-compatible "
            "server. Each line is a value for --model.",
        ),
    ] = None,
) -> None:
    """List the models that --model takes, and what each still needs."""
    with errors_in_one_line():
        if server is not None:
            with wrong_options():
                served = served_by(server)
            for name in served:
                typer.echo(printable(name))
            return
        rows = [[name, "bert, lumber", "yes", ""] for name in OWN_FOLDERS]
        for name, provider in PROVIDERS.items():
            missing = _missing(provider)
            rows.append([f"{name}:NAME", "lumber", "no" if missing else "yes", missing])
        rows.append(["http://HOST:PORT/v1#NAME", "lumber", *_of_servers()])
        rows.append(
            ["FOLDER or hub id", "bert, lumber", "yes", "weights that `export` has written"]
        )
        show_table(["--model", "--method", "ready", "needs"], rows, left=4)


def _of_servers() -> list[str]:
    missing = _missing(PROVIDERS["ollama"])
    return ["no" if missing else "yes", missing or "a running server"]


def _missing(provider: Provider) -> str:
    """Return what a provider's models lack on this machine; "" if nothing."""
    lacks = []
    try:
        require(provider.module, package=provider.package, extra=provider.extra)
    except MissingExtraError:
        lacks.append(f"pip install 'lumber-splitters[{provider.extra}]'")
    if provider.keys and not any(map(os.environ.get, provider.keys)):
        lacks.append(f"the variable {' or '.join(provider.keys)}")
    return " and ".join(lacks)
