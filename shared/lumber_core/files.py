"""Files that are there whole or not at all, however a run ends."""

from __future__ import annotations

import os
from pathlib import Path


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there; one that is there is replaced."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    beside.write_bytes(content)
    beside.replace(path)
