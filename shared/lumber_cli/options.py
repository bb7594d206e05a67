"""Messages, errors, exit statuses and options that several commands share."""

from __future__ import annotations

import inspect
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from lumber_core.errors import LumberError, ModelSettingsError
from lumber_core.text.unicode import printable
from lumber_files import MAX_UNPACKED, check_encoding

if TYPE_CHECKING:  # deferred, so that commands start sooner
    from lumber_core import Prices

Command = Callable[..., None]

EMBEDDINGS = typer.Option(
    "--embeddings",
    "--embedder",
    help="Embedding model: bundled; a folder or Hugging Face ID of sentence-transformers; "
    "openai:NAME, or the URL of a server with OpenAI's API, as in http://127.0.0.1:8000/v1#NAME "
    "(extra `openai`).",
)
EmbeddingsOption = Annotated[str, EMBEDDINGS]
PricesOption = Annotated[
    str | None,
    typer.Option(help="Prices of a million input and output tokens, for example 0.15,0.60."),
]

WRONG_OPTION = 2
"""The exit status for a wrong option or a path that does not exist, as in most programs."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells expect it."""
_BROKEN_PIPE = 141
"""The exit status of a program that SIGPIPE ends."""


# Messages name settings of Python; commands have options of the same names.
_SETTING = re.compile(r"\b(also|no_ignore|max_unpacked|pattern|chunk_size)=(?:True\b)?")


@dataclass(frozen=True)
class FileOptions:
    """How files are read. The fields are options of every command that reads files."""

    encoding: Annotated[
        str | None,
        typer.Option(
            help="Encoding of the files. Default: UTF-8, or one that is detected and named on "
            "stderr."
        ),
    ] = None
    max_unpacked: Annotated[
        int,
        typer.Option(
            min=1,
            help="Maximum bytes of a file once it is unpacked; larger files are not read.",
        ),
    ] = MAX_UNPACKED
    no_ignore: Annotated[
        bool,
        typer.Option(
            "--no-ignore",
            help="In folders, also read node_modules, virtual environments, caches, and files that "
            "a .gitignore names.",
        ),
    ] = False
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="PATTERN",
            help="In folders, also read files of other types that match this, such as '*.log', as "
            "text; may be repeated.",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            check_encoding(self.encoding)


def say(message: str) -> None:
    """Print a line to stderr, with settings such as also='*.log' as options: --also '*.log'."""
    line = _SETTING.sub(lambda match: f"--{match[1].replace('_', '-')} ", message)
    typer.echo(printable(f"lumber-splitters: {' '.join(line.split())}"), err=True)


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
    logging.lastResort = warnings = logging.Handler(logging.WARNING)
    warnings.emit = lambda record: say(record.getMessage())  # type: ignore[method-assign]
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - or flushing at exit fails again
        raise typer.Exit(_BROKEN_PIPE) from None
    except KeyboardInterrupt:
        say("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except (LumberError, ValueError, OSError) as error:
        missing = isinstance(error, FileNotFoundError)
        fail(str(error), status=WRONG_OPTION if missing else 1)


def with_options(*makers: Callable[..., object], **fixed: object) -> Callable[[Command], Command]:
    """Add the parameters of functions to the options of a command.

    The command receives the results of the functions, `makers`, as its first arguments. They raise
    a ValueError if an option is wrong. Parameters in `fixed` do not become options.
    """

    def decorate(command: Command) -> Command:
        of_makers = [inspect.signature(make, eval_str=True).parameters for make in makers]
        params = [*inspect.signature(command, eval_str=True).parameters.values()][len(makers) :]
        shared = [p for parameters in of_makers for p in parameters.values() if p.name not in fixed]

        def run(**arguments: Any) -> None:
            with wrong_options():
                values = [
                    make(**{n: fixed[n] if n in fixed else arguments.pop(n) for n in names})
                    for make, names in zip(makers, of_makers, strict=True)
                ]
            command(*values, **arguments)

        options = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in sorted([*params, *shared], key=lambda p: p.default is not p.empty)
        ]
        run.__doc__ = command.__doc__
        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in options}
        return run

    return decorate


def prices_in(text: str | None) -> Prices | None:
    """Parse the prices of a million input and output tokens."""
    if text is None:
        return None
    from lumber_core import Prices

    try:
        prompt, completion = map(float, text.split(","))
        return Prices(prompt, completion)
    except ValueError:
        raise ValueError(
            f"--prices takes two numbers, for a million input and output tokens, not {text!r}"
        ) from None
