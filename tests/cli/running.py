"""Runs `lumber-splitters` as a user does."""

import os
import shlex
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from lumber_cli.app import app

EACH = """
import shlex, sys
from lumber_cli import main
for line in sys.argv[1:]:
    sys.argv = ["lumber-splitters", *shlex.split(line)]
    try: status = main() or 0
    except SystemExit as end: status = end.code or 0
    print("", status, " ".join(sys.modules), sep="\\0", end="\\0", flush=True)
"""
"""A program that runs one command after the other, because a process takes a second to start.

Behind the output of each are its exit status and the names of all imported modules.
"""
SAMPLE = Path(__file__).parents[2] / "examples" / "data" / "the_tide_clock.txt"


class Outcome(NamedTuple):
    """The result of a command: its exit status, its stdout and its stderr."""

    code: int
    out: str
    err: str


def run(*arguments: object, **environment: str) -> tuple[int, str]:
    """Return the exit status and the output."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)
    return result.exit_code, result.output


def output_of(*arguments: object, **environment: str) -> str:
    """Return the output of a command that must succeed."""
    code, output = run(*arguments, **environment)
    assert code == 0, output
    return output


def run_apart(*arguments: object, stdin: bytes = b"", code: int | None = None) -> Outcome:
    """Return the exit status, which must be `code` if given, the results and the messages."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert code in (None, result.exit_code), result.stderr
    return Outcome(result.exit_code, result.stdout_bytes.decode(), result.stderr)


def start(*arguments: object, program: str = "", **options: Any) -> subprocess.Popen[bytes]:
    """Start the command, or a program that runs it, as a process, with pipes."""
    pipe = subprocess.PIPE
    run = ("-c", program) if program else ("-m", "lumber_cli")
    return subprocess.Popen(
        [sys.executable, *run, *map(str, arguments)],
        **{"stdin": pipe, "stdout": pipe, "stderr": pipe, **options},
    )


def show_each_on_terminal(*commands: Iterable[object], before: str = "") -> list[str]:
    """Return the terminal output of each command; all must succeed in one process, in turn."""
    lines = [shlex.join(map(str, command)) for command in commands]
    output = show_on_terminal(*lines, program=before + EACH).split("\0")
    assert output[1::3] == ["0"] * len(lines), output
    return output[:-1:3]


def show_on_terminal(
    *arguments: object, program: str = "", until: str = "\0", then: Callable[[], object] = print
) -> str:
    """Return the terminal output of a command; `then` is called when `until` is printed."""
    pty = pytest.importorskip("pty", reason="no pseudo terminals on this system")
    import fcntl
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    output = b""
    with start(*arguments, program=program, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        with suppress(OSError):  # Linux raises at the end of the output
            while read := os.read(ours, 1 << 16):
                output += read
                if until.encode() in output:
                    then()
    os.close(ours)
    assert process.returncode == 0, output.decode()
    return output.decode().replace("\r\n", "\n")
