"""Small corpora and readers of results for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

TALE = (
    "# Tale {0}\n\nAda {0} found a clock. It had stopped.\n\n## Night {0}\n\nShe wound it twice. "
)


def tales(count: int) -> list[dict[str, Any]]:
    """Return documents that are all different; each third one says that it is Markdown."""
    return [
        {
            "id": f"tale-{number}",
            "text": TALE.format(number) * 3,
            "file_type": "text/markdown" if number % 3 == 0 else "text/plain",
        }
        for number in range(count)
    ]


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_table(path: Path, rows: list[dict[str, Any]], *, row_group_size: int = 5) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=row_group_size)
    return path


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of the part files in a folder, by document and index."""
    rows: list[dict[str, Any]] = []
    for path in folder.iterdir():
        if path.suffix == ".parquet":
            rows += pq.read_table(path).to_pylist()
        else:
            rows += map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return sorted(rows, key=lambda row: (row["document"], row.get("index", 0)))


def texts_of(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return the text of each document, joined from its chunks."""
    texts: dict[str, str] = {}
    for row in rows:
        texts[row["document"]] = texts.get(row["document"], "") + row["text"]
    return texts
