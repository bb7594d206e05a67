"""Runs `lumber-splitters` as a user does."""

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from lumber_cli.app import app

SAMPLE = Path(__file__).parents[2] / "examples" / "data" / "the_tide_clock.txt"


class Outcome(NamedTuple):
    """What a command did: its exit status, what it printed to stdout, and to stderr."""

    code: int
    out: str
    err: str


def run(*arguments: object, **environment: str) -> tuple[int, str]:
    """Return the exit status and the output."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)
    return result.exit_code, result.output


def run_apart(*arguments: object, stdin: bytes = b"") -> Outcome:
    """Return the exit status, the results and the messages."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    return Outcome(result.exit_code, result.stdout_bytes.decode(), result.stderr)


def started(*arguments: object, program: str = "", **options: Any) -> subprocess.Popen[bytes]:
    """Start the command, or a program that runs it, as a process, with pipes."""
    pipe = subprocess.PIPE
    run = ("-c", program) if program else ("-m", "lumber_cli")
    return subprocess.Popen(
        [sys.executable, *run, *map(str, arguments)],
        **{"stdin": pipe, "stdout": pipe, "stderr": pipe, **options},
    )
