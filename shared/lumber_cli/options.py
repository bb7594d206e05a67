"""What several commands share: messages, errors, exit statuses, and the values of some options."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from lumber_cli.panels import FILES
from lumber_core.errors import LumberError, ModelSettingsError
from lumber_core.text.unicode import printable

if TYPE_CHECKING:  # deferred: servers of tools are listed only after they have started
    from lumber_core import Prices, PromptTemplate

EncodingOption = Annotated[
    str | None,
    typer.Option(
        help="Encoding of the files. Default: UTF-8, or one that is detected and named on stderr.",
        rich_help_panel=FILES,
    ),
]

EMBEDDERS = (
    "Embedding model: bundled; a folder or hub id of sentence-transformers; openai:NAME, or the "
    "URL of a server with OpenAI's API, as in http://127.0.0.1:8000/v1#NAME (extra `openai`)."
)
"""Help text of --embedder."""

WRONG_OPTION = 2
"""The exit status for a wrong option or a path that does not exist, as of most programs."""
MaxUnpackedOption = Annotated[
    int,
    typer.Option(
        min=1,
        help="Maximum size in bytes that a DOCX or PDF unpacks to; larger files are not read.",
        rich_help_panel=FILES,
    ),
]

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells expect it."""
_BROKEN_PIPE = 141
"""The exit status of a program that SIGPIPE ends."""


def say(message: str) -> None:
    """Print a line to stderr."""
    typer.echo(printable(f"lumber-splitters: {' '.join(message.split())}"), err=True)


def fail(message: str, *, status: int = 1) -> NoReturn:
    """Print an error in one line to stderr and exit."""
    say(message)
    raise typer.Exit(status)


@contextmanager
def wrong_options() -> Iterator[None]:
    """Exit with status 2 if a value of an option is wrong."""
    try:
        yield
    except ModelSettingsError as error:  # such as a key that is missing
        fail(str(error), status=WRONG_OPTION)
    except LumberError:  # such as damaged weights or a missing extra
        raise
    except ValueError as error:
        fail(str(error), status=WRONG_OPTION)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Show errors that users can fix, and Ctrl-C, in one line; bugs keep their traceback."""
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough, as in `... | head`
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - or flushing at exit fails again
        raise typer.Exit(_BROKEN_PIPE) from None
    except KeyboardInterrupt:
        say("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except (LumberError, ValueError, OSError) as error:
        missing = isinstance(error, FileNotFoundError)
        fail(str(error), status=WRONG_OPTION if missing else 1)


def numbers_in(option: str, text: str) -> list[float]:
    """Parse comma-separated numbers."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option} takes comma-separated numbers, not {text!r}") from None


def prices_in(text: str | None) -> Prices | None:
    """Parse the prices of a million input and output tokens."""
    if text is None:
        return None
    from lumber_core import Prices

    numbers = numbers_in("--prices", text)
    if len(numbers) != 2 or not all(0 <= number < math.inf for number in numbers):
        raise ValueError(
            f"--prices takes two numbers, for a million input and output tokens, not {text!r}"
        )
    return Prices(*numbers)


def prompt_in(path: Path | None) -> PromptTemplate | None:
    """Read a prompt from a file: the user text, below a line --- if there is a system text.

    Raises:
        ValueError: The file is not UTF-8, or does not say where the paragraphs go.
        OSError: It cannot be read.
    """
    if path is None:
        return None
    from lumber_core import PromptTemplate

    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error}") from None
    system, line, user = text.strip().partition("\n---\n")
    try:
        return PromptTemplate(system.strip(), user.strip()) if line else PromptTemplate(user=system)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
