"""Writes chunks as JSON lines, text or Parquet, one document at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import typer

from lumber_core.chunking.delivery import Chunk
from lumber_core.support.wording import range_with_noun, with_noun
from lumber_core.text.markdown import HEADING_SEPARATOR
from lumber_core.text.unicode import printable, writable
from lumber_files import replacing

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


OutputFormat = Literal["jsonl", "text", "parquet"]
"""The formats in which chunks are written."""


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk of a document, as it is written: with the document's name, and perhaps a vector."""

    document: str
    chunk: Chunk
    embedding: Sequence[float] | None = None

    def as_json(self) -> dict[str, object]:
        """Return the row as an object; without `pages` and `embedding` if there are none."""
        chunk = self.chunk
        row: dict[str, object] = {
            "document": self.document,
            "index": chunk.index,
            "start": chunk.span.start,
            "end": chunk.span.end,
            "tokens": chunk.tokens,
            "headings": list(chunk.headings),
            "headings_inside": list(chunk.headings_inside),
            "context": chunk.context,
        }
        if chunk.pages is not None:
            row["pages"] = list(chunk.pages)
        row["text"] = chunk.text
        if self.embedding is not None:
            # Further decimals would be noise: these numbers were 32-bit floats up to 1.
            row["embedding"] = [round(number, 8) for number in self.embedding]
        return row

    def title(self) -> str:
        """Return a line that identifies the chunk."""
        chunk = self.chunk
        start, end = chunk.span
        parts = [f"{self.document} #{chunk.index}", f"characters {start} to {end}"]
        if chunk.pages is not None:
            parts.append(range_with_noun("page", *chunk.pages))
        parts.append(with_noun(chunk.tokens, "token"))
        if chunk.headings:
            parts.append(HEADING_SEPARATOR.join(chunk.headings))
        return " | ".join(printable(" ".join(part.split())) for part in parts)


Write = Callable[[Sequence[ChunkRow]], None]
"""Writes the chunks of one document."""


@contextmanager
def writer(kind: OutputFormat, output: Path | None, *, embedding: bool = False) -> Iterator[Write]:
    """Yield a function that writes the chunks of a document to a file, or to stdout without one.

    An existing file is replaced when the block ends. After an error or Ctrl-C, the finished
    documents replace the file; if there are none, the file stays as it was. `embedding` is whether
    rows have vectors.
    """
    if output is None:
        yield _line_writer(typer.get_binary_stream("stdout"), kind)
        return
    has_begun, error = False, None
    with replacing(output) as part, _open_writer(kind, part, embedding) as write:

        def write_rows(rows: Sequence[ChunkRow]) -> None:
            nonlocal has_begun
            has_begun = True
            write(rows)

        try:
            yield write_rows
        except BaseException as raised:
            if not has_begun:
                raise
            error = raised
    if error is not None:
        raise error


def write_utf8(stream: BinaryIO, text: str) -> None:
    """Write a text and flush it; on a terminal, escape characters that would control it."""
    if stream.isatty():
        text = _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\r\n", "\n"))
    # One call, which Ctrl-C does not divide. An unbuffered stdout may write only a part.
    rest = memoryview(text.encode("utf-8", "backslashreplace"))
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def as_text(title: str, text: str) -> str:
    """Return a text below its title, for reading."""
    end = "" if text.endswith(("\n", "\r")) else "\n"
    return f"===== {title}\n{text}{end}"


def _line_writer(stream: BinaryIO, kind: OutputFormat) -> Write:
    """Return a function that writes UTF-8, whatever the terminal's encoding, and flushes it."""

    def format_row(row: ChunkRow) -> str:
        if kind == "text":
            return as_text(row.title(), row.chunk.text)
        return json.dumps(row.as_json(), ensure_ascii=False) + "\n"

    return lambda rows: write_utf8(stream, "".join(map(format_row, rows)))


@contextmanager
def _open_writer(kind: OutputFormat, path: Path, embedding: bool) -> Iterator[Write]:
    """Yield a function that writes to a file; Parquet has a row group for each document."""
    if kind != "parquet":
        with path.open("wb") as stream:
            yield _line_writer(stream, kind)
        return
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, Any] = {
        "document": pa.string(),
        **dict.fromkeys(("index", "start", "end", "tokens"), pa.int64()),
        **dict.fromkeys(("headings", "headings_inside"), pa.list_(pa.string())),
        "context": pa.string(),
        "pages": pa.list_(pa.int64()),
        "text": pa.string(),
        **({"embedding": pa.list_(pa.float32())} if embedding else {}),
    }
    schema = pa.schema([*columns.items()])
    with parquet.ParquetWriter(path, schema) as file:

        def write(rows: Sequence[ChunkRow]) -> None:
            if rows:
                cells = [{**row.as_json(), "document": writable(row.document)} for row in rows]
                file.write_table(pa.Table.from_pylist(cells, schema=schema))

        yield write
