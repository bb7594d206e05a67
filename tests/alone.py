"""Running scripts that may hang, and whose forks then would stay."""

import os
import signal
import subprocess
import sys

import pytest


def run_alone(script: str, *arguments: str, seconds: float) -> None:
    """Run a script in a session of its own, which ends with its forks if it hangs."""
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
