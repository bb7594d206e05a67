"""`lumber-splitters conform`: whether a splitter keeps the contracts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from lumber_cli.options import WRONG_OPTION, errors_in_one_line, fail, wrong_options
from lumber_conformance import CONTRACTS, check_conformance


def conform_command(
    splitter: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:CLASS",
            help="A LangChain TextSplitter, a LlamaIndex NodeParser or a chonkie chunker, such as "
            "langchain_text_splitters:RecursiveCharacterTextSplitter; or a function that returns "
            "one.",
        ),
    ],
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A constructor argument; may be repeated: --set chunk_size=200. "
            "Values are JSON, or else text.",
        ),
    ] = None,
    chunk_size: Annotated[
        int | None,
        typer.Option(
            min=1, help="Maximum size of a chunk. Default: the splitter's own chunk size."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="A contract to check; may be repeated. Default: all. One of: "
            + ", ".join(contract.key for contract in CONTRACTS)
            + ".",
        ),
    ] = None,
) -> None:
    """Check whether a splitter keeps text, offsets and size limits.

    It splits difficult texts, each within a time limit. Exits with status 1 if a contract is
    broken, and 2 for a wrong argument.
    """
    with errors_in_one_line():
        make = _factory(splitter, dict(map(_setting, setting or ())))
        try:
            with wrong_options():
                report = check_conformance(make, chunk_size=chunk_size, only=only or None)
        except TypeError as error:
            fail(str(error), status=WRONG_OPTION)
    typer.echo(str(report))
    if not report.passed:
        raise typer.Exit(1)


def _factory(name: str, settings: dict[str, Any]) -> Callable[[], Any]:
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        fail(
            f"expected module:Class, such as my_package.splitters:MySplitter, not {name!r}",
            status=WRONG_OPTION,
        )
    here = str(Path.cwd())
    if here not in sys.path:  # as `python -m` does, so that a splitter in this folder is found
        sys.path.insert(0, here)
    try:
        found = import_module(module)
    except ImportError as error:
        fail(f"cannot import {module!r}: {error}", status=WRONG_OPTION)
    target = getattr(found, attribute, None)
    if target is None:
        fail(f"module {module!r} has no {attribute!r}", status=WRONG_OPTION)
    return lambda: target(**settings)


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        fail(f"--set takes NAME=VALUE, such as chunk_size=200, not {text!r}", status=WRONG_OPTION)
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
