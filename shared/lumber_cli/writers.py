"""Writes chunks as JSON lines, text, Markdown or Parquet, one document at a time."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO

import typer

from lumber_core.chunking.delivery import Chunk
from lumber_core.support.extras import require
from lumber_core.text.markdown import HEADING_SEPARATOR
from lumber_core.text.unicode import printable, writable
from lumber_files import replacing

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class OutputFormat(str, Enum):
    """What chunks are written as."""

    JSONL = "jsonl"
    TEXT = "text"
    MD = "md"
    PARQUET = "parquet"


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk of a document, as it is written.

    Attributes:
        document: Name of the document.
        chunk: The chunk.
        embedding: Its vector, if it has one.
    """

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
            # As exact as numbers of 32 bits about 1 are.
            row["embedding"] = [round(number, 8) for number in self.embedding]
        return row

    def title(self) -> str:
        """Return a line that identifies the chunk."""
        chunk = self.chunk
        start, end = chunk.span
        parts = [f"{self.document} #{chunk.index}", f"characters {start} to {end}"]
        if chunk.pages is not None:
            first, last = chunk.pages
            parts.append(f"page {first}" if first == last else f"pages {first} to {last}")
        parts.append(f"{chunk.tokens} tokens")
        if chunk.headings:
            parts.append(HEADING_SEPARATOR.join(chunk.headings))
        return " | ".join(printable(" ".join(part.split())) for part in parts)


class Writer(ABC):
    """Writes the chunks of documents.

    Attributes:
        begun: Whether the chunks of a document have been written.
    """

    begun = False

    def write(self, rows: Sequence[ChunkRow]) -> None:
        """Write the chunks of one document."""
        self.begun = True
        self._write(rows)

    @abstractmethod
    def _write(self, rows: Sequence[ChunkRow]) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""


def check_format(kind: OutputFormat, output: Path | None) -> None:
    """Raise unless a format can be written.

    Raises:
        ValueError: The format is Parquet and the output is stdout.
        MissingExtraError: Parquet, and pyarrow is not installed.
    """
    if kind is OutputFormat.PARQUET:
        if output is None:
            raise ValueError("--format parquet needs a file: pass --output FILE")
        require("pyarrow", package="pyarrow", extra="evaluation")


@contextmanager
def writer(kind: OutputFormat, output: Path | None, *, embedding: bool = False) -> Iterator[Writer]:
    """Yield a writer.

    An existing file is replaced when the block ends. If it ends with an error, or with Ctrl-C, the
    documents that are finished replace the file; if there are none, the file is left as it was.

    Args:
        kind: The format.
        output: The file; None: stdout.
        embedding: Whether rows have vectors.

    Raises:
        OSError: The file cannot be written.
    """
    if output is None:
        yield _Lines(typer.get_binary_stream("stdout"), _SHOWN_AS[kind])
        return
    error: BaseException | None = None
    with replacing(output) as part, closing(_file_writer(kind, part, embedding)) as made:
        try:
            yield made
        except BaseException as raised:
            if not made.begun:
                raise
            error = raised
    if error is not None:
        raise error


def _file_writer(kind: OutputFormat, path: Path, embedding: bool) -> Writer:
    if kind is OutputFormat.PARQUET:
        return _Parquet(path, embedding)
    return _Lines(path.open("wb"), _SHOWN_AS[kind])


def write_utf8(stream: BinaryIO, text: str) -> None:
    """Write a text, and flush it; on a terminal without what could control it."""
    if stream.isatty():
        text = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))
    # In one call, because of Ctrl-C; but an unbuffered stdout may take only a part.
    rest = memoryview(text.encode("utf-8", "backslashreplace"))
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def as_text(title: str, text: str) -> str:
    """Return a text below its title, for reading."""
    return f"===== {title}\n{_ended(text)}"


def as_markdown(title: str, text: str) -> str:
    """Return a text below its title, which is a comment, as Markdown."""
    # In a comment, "--" could end it.
    hidden = re.sub("-(?=-)", "- ", title)
    return f"<!-- {hidden} -->\n\n{_ended(text)}\n---\n\n"


class _Lines(Writer):
    """Writes UTF-8, whatever the terminal's encoding; each document is flushed."""

    def __init__(self, stream: BinaryIO, show: Callable[[ChunkRow], str]) -> None:
        self._stream = stream
        self._show = show

    def _write(self, rows: Sequence[ChunkRow]) -> None:
        write_utf8(self._stream, "".join(map(self._show, rows)))

    def close(self) -> None:
        self._stream.close()


class _Parquet(Writer):
    """Writes a row group for each document."""

    def __init__(self, output: Path, embedding: bool) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self._make = pa.Table.from_pylist
        columns = [
            ("document", pa.string()),
            ("index", pa.int64()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("tokens", pa.int64()),
            ("headings", pa.list_(pa.string())),
            ("headings_inside", pa.list_(pa.string())),
            ("context", pa.string()),
            ("pages", pa.list_(pa.int64())),
            ("text", pa.string()),
        ]
        vectors = [("embedding", pa.list_(pa.float32()))] if embedding else []
        self._schema = pa.schema([*columns, *vectors])
        self._file: Any = parquet.ParquetWriter(output, self._schema)

    def _write(self, rows: Sequence[ChunkRow]) -> None:
        if rows:
            made = [{**row.as_json(), "document": writable(row.document)} for row in rows]
            self._file.write_table(self._make(made, schema=self._schema))

    def close(self) -> None:
        self._file.close()


def _json_line(row: ChunkRow) -> str:
    return json.dumps(row.as_json(), ensure_ascii=False) + "\n"


def _ended(text: str) -> str:
    return text if text.endswith(("\n", "\r")) else f"{text}\n"


_SHOWN_AS: dict[OutputFormat, Callable[[ChunkRow], str]] = {
    OutputFormat.JSONL: _json_line,
    OutputFormat.TEXT: lambda row: as_text(row.title(), row.chunk.text),
    OutputFormat.MD: lambda row: as_markdown(row.title(), row.chunk.text),
}
