"""Atomic file writes."""

from __future__ import annotations

import os
from pathlib import Path


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file atomically: to a temporary file beside it, which then replaces it."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    temporary.write_bytes(content)
    temporary.replace(path)
