"""A test that does not end ends the run within the limit, and is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

HANGING = {
    "a thread that is joined": """
import threading

def test_it():
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()
    thread.join()
""",
    "an event loop": """
import asyncio

async def test_it():
    await asyncio.Event().wait()
""",
}


@pytest.mark.parametrize("code", HANGING.values(), ids=HANGING)
def test_a_test_that_hangs_is_named(tmp_path: Path, code: str) -> None:
    (tmp_path / "test_hanging.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.time_limits", "--timeout=1"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    command += ["-p", "no:cacheprovider", str(tmp_path)]
    # Other plugins take seconds to import.
    command += ["-p", "pytest_timeout", "-p", "pytest_asyncio.plugin"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 1
    assert "test_hanging.py::test_it" in done.stdout + done.stderr
