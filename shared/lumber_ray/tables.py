"""Documents in tables: JSON Lines and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from io import BufferedReader
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from lumber_core.text.source import NAME_KEYS, TYPE_KEYS, Source
from lumber_core.text.unicode import writable
from lumber_ray.documents import Entry, FailedDocument

_IDS_AT_ONCE = 65_536
_ROWS_AT_ONCE = 64
_BUFFER = 1 << 20  # bytes
_STRINGS = ("string", "large_string", "string_view")  # pyarrow 15 has no check for the last


class Columns(NamedTuple):
    """The columns of the ids and of the texts."""

    id: str
    text: str

    def check(self, names: Sequence[str], file: str) -> None:
        """Raise if a column is missing.

        Raises:
            ValueError: It is.
        """
        for argument, name in (("id_column", self.id), ("text_column", self.text)):
            if name not in names:
                raise ValueError(
                    f"{file} has no column {name!r}, only {', '.join(names)}: pass {argument}="
                )


class JsonLines:
    """Files with a JSON object on each line.

    A line that is not an object with an id is a failed document, named by file and line.

    Args:
        system: The file system.
        files: The files.
        columns: The keys of the ids and of the texts.

    Raises:
        ValueError: The first line of a file is not an object with these keys.
    """

    def __init__(self, system: pa.fs.FileSystem, files: Sequence[str], columns: Columns) -> None:
        self._system = system
        self._files = files
        self._columns = columns
        for file in files:
            first = next(self._lines(file), None)
            if first is not None:
                row = _parsed(first[1])
                if isinstance(row, str):
                    raise ValueError(f"{file} is not JSON Lines: {row}")
                columns.check([*row], file)

    def entries(self) -> Iterator[Entry]:
        """Yield a document for each line that is not blank."""
        for file in self._files:
            for number, (position, line) in enumerate(self._lines(file), start=1):
                row = _parsed(line)
                found = None if isinstance(row, str) else row.get(self._columns.id)
                named = _id_of(found)
                yield Entry(f"{file} line {number}" if named is None else named, file, position)

    def read(self, entries: Sequence[Entry]) -> Iterator[Source | FailedDocument]:
        """Read lines."""
        for file, group in groupby(entries, key=attrgetter("file")):
            with self._opened(file) as stream:
                for entry in group:
                    stream.seek(entry.position)
                    row = _parsed(stream.readline())
                    if isinstance(row, str):
                        yield FailedDocument(entry.document, row)
                    elif _id_of(row.get(self._columns.id)) is None:
                        yield FailedDocument(
                            entry.document,
                            f"{self._columns.id!r} is missing, or is not a string or an integer",
                        )
                    else:
                        yield document_of(entry.document, row, self._columns.text)

    def _opened(self, file: str) -> BufferedReader:
        return BufferedReader(self._system.open_input_file(file), _BUFFER)

    def _lines(self, file: str) -> Iterator[tuple[int, bytes]]:
        """Yield the offset and the content of each line; blank lines are left out."""
        position = 0
        with self._opened(file) as stream:
            for line in stream:
                if line.strip():
                    yield position, line
                position += len(line)


class ParquetRows:
    """Rows of Parquet files.

    Args:
        system: The file system.
        files: The files.
        columns: The columns of the ids and of the texts.

    Raises:
        ValueError: A file lacks a column, or one has the wrong type.
    """

    def __init__(self, system: pa.fs.FileSystem, files: Sequence[str], columns: Columns) -> None:
        self._system = system
        self._files = files
        self._columns = columns
        self._reading: _Reading | None = None
        for file in files:
            schema = pa.parquet.read_schema(self._system.open_input_file(file))
            columns.check(schema.names, file)
            kind = _values_of(schema, columns.text)
            if not _is_text(kind):
                raise ValueError(f"{file}: the column {columns.text!r} has {kind}, not strings")
            kind = _values_of(schema, columns.id)
            if not (_is_text(kind) or pa.types.is_integer(kind)):
                raise ValueError(
                    f"{file}: the column {columns.id!r} has {kind}, not strings or integers"
                )

    def entries(self) -> Iterator[Entry]:
        """Yield a document for each row.

        Raises:
            ValueError: A row has no id.
        """
        for file in self._files:
            row = 0
            parquet = pa.parquet.ParquetFile(self._system.open_input_file(file))
            for batch in parquet.iter_batches(_IDS_AT_ONCE, columns=[self._columns.id]):
                for value in batch.column(0).to_pylist():
                    named = _id_of(value)
                    if named is None:
                        raise ValueError(
                            f"{file}: row {row} has no {self._columns.id!r}; every document needs "
                            "an id"
                        )
                    yield Entry(named, file, row)
                    row += 1

    def read(self, entries: Sequence[Entry]) -> Iterator[Source | FailedDocument]:
        """Read rows. Reading on from the last row that was read is fast, going back is slow."""
        for entry in entries:
            reading = self._reading
            if reading is None or reading.file != entry.file or reading.start > entry.position:
                reading = self._reading = _Reading(self._system, entry.file, self._columns)
            yield document_of(entry.document, reading.row(entry.position), self._columns.text)

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_files": (), "_reading": None}


class _Reading:
    """A Parquet file that is read forwards, in small batches."""

    def __init__(self, system: pa.fs.FileSystem, file: str, columns: Columns) -> None:
        self.file = file
        self.start = 0
        self._parquet = pa.parquet.ParquetFile(system.open_input_file(file))
        names = self._parquet.schema_arrow.names
        self._columns = [n for n in (columns.text, *NAME_KEYS, *TYPE_KEYS) if n in names]
        self._group = -1
        self._group_end = 0
        self._batches: Iterator[Any] = iter(())
        self._batch: Any = None

    def row(self, position: int) -> dict[str, object]:
        """Return a row, which must not lie before `start`."""
        while position >= self._group_end:  # whole row groups are skipped without reading them
            self._group += 1
            self.start = self._group_end
            self._group_end += self._parquet.metadata.row_group(self._group).num_rows
            self._batches = self._parquet.iter_batches(
                _ROWS_AT_ONCE, row_groups=[self._group], columns=self._columns
            )
            self._batch = None
        while self._batch is None or position >= self.start + self._batch.num_rows:
            self.start += 0 if self._batch is None else self._batch.num_rows
            self._batch = next(self._batches)
        found: list[dict[str, object]] = self._batch.slice(position - self.start, 1).to_pylist()
        return found[0]


def document_of(name: str, row: dict[str, Any], text_column: str) -> Source | FailedDocument:
    """Return the document in a row of a table.

    Args:
        name: Its id.
        row: The row; it is Markdown if it says so as the metadata of loaders does.
        text_column: The column of the text.
    """
    text = row.get(text_column)
    if not isinstance(text, str):
        return FailedDocument(name, f"{text_column!r} is {type(text).__name__}, not a text")
    known = {key: row[key] for key in (*NAME_KEYS, *TYPE_KEYS) if key in row}
    return Source(text, name=name, metadata=known)


def _values_of(schema: pa.Schema, column: str) -> pa.DataType:
    """Return the type of a column's values, also of one with a dictionary."""
    kind = schema.field(column).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return str(kind) in _STRINGS


def _id_of(value: object) -> str | None:
    """Return an id as a string; None if it is none, or cannot be encoded."""
    if isinstance(value, str):
        return value if value == writable(value) else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _parsed(line: bytes) -> dict[str, Any] | str:
    """Return the object on a line, or what is wrong with it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"the line is not JSON: {error}"
    if not isinstance(row, dict):
        return f"the line holds {type(row).__name__}, not an object"
    return row
