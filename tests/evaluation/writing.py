"""Writing the small files that tests of loaders read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path


def write(path: Path, text: str) -> Path:
    """Write a file as it is, with the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """Write JSON lines."""
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))
