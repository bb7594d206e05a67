"""Runs Python in a separate process."""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest


def run_python(
    code: str, *arguments: object, check: bool = True, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program in a new interpreter, and return its output."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def run_alone(script: str, *arguments: str, seconds: float) -> None:
    """Run a script in a new session, which is ended with its forks if it hangs."""
    command = [sys.executable, "-W", "ignore", "-c", script, *arguments]
    with subprocess.Popen(
        command, start_new_session=True, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            _, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail("a forked process hangs")
    assert process.returncode == 0, errors
