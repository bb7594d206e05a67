"""Writing the small files that tests of loaders read."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


def write(path: Path, text: str) -> Path:
    """Write a file as it is, with the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """Write JSON lines."""
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))


def write_table(path: Path, rows: Sequence[dict[str, Any]], *, encoding: str = "utf-8") -> Path:
    """Write rows in the format of the file's name; the encoding is that of CSV."""
    if path.suffix == ".jsonl":
        return write_lines(path, rows)
    flat = [
        {key: json.dumps(cell) if isinstance(cell, list) else cell for key, cell in row.items()}
        for row in rows
    ]
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(flat[0]))
        writer.writeheader()
        writer.writerows(flat)
    return path
