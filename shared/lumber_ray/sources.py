"""Finds the documents of a corpus, and reads them: text files, JSON Lines and Parquet.

The driver lists the documents without their texts, and the workers read the texts. So each worker
gets exactly the documents that are not finished, and no text passes through the driver.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from io import BufferedReader
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from lumber_core.errors import UnreadableFileError
from lumber_core.files import (
    READABLE,
    TextFile,
    check_encoding,
    check_readable,
    find_files,
    read_file,
)
from lumber_core.text.markdown import NAME_KEYS, TYPE_KEYS, is_markdown
from lumber_ray.rows import FailedDocument

logger = logging.getLogger(__name__)

_PARQUET = (".parquet",)
_LINES = (".jsonl", ".ndjson")
_SHOWN = 5
_IDS_AT_ONCE = 65_536
_ROWS_AT_ONCE = 64
_BUFFER = 1 << 20  # bytes


class Entry(NamedTuple):
    """Where a document is.

    Attributes:
        document: Its id.
        file: The file that has it.
        position: Row of a Parquet file, or offset in bytes of a line; 0 for a text file.
    """

    document: str
    file: str
    position: int


class Source(Protocol):
    """Documents that can be listed and read. It is pickled for the workers."""

    def entries(self) -> Iterator[Entry]:
        """Yield every document, without reading texts.

        Raises:
            ValueError: A document has no id.
        """

    def read(self, entries: Sequence[Entry]) -> Iterator[TextFile | FailedDocument]:
        """Read documents, in order."""


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


def find_source(
    paths: str | Path | Sequence[str | Path],
    *,
    columns: Columns,
    encoding: str | None = None,
) -> Source:
    """Find the documents of a corpus.

    Args:
        paths: Files, folders, glob patterns, or URIs of Parquet and JSON Lines files and folders
            (s3://...), all of one kind.
        columns: The columns of tables.
        encoding: Encoding of text files.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There are several kinds of files, or a table lacks a column.
        MissingExtraError: A PDF or DOCX, and its reader is not installed.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise ValueError("source is empty: expected a path or several")
    found = [_tables_at(place) for place in given]
    tables = list(chain.from_iterable(found))
    kinds = {PurePosixPath(file).suffix in _PARQUET for file in tables}
    if not tables:
        return TextFiles(given, encoding)
    if len(kinds) > 1 or not all(found):
        raise ValueError(
            "source has files of several kinds: split Parquet, JSON Lines and text files one after "
            "the other, for example with a pattern such as 'corpus/*.parquet'"
        )
    if encoding is not None:
        raise ValueError("encoding is for text files: JSON Lines and Parquet are always in UTF-8")
    return ParquetRows(tables, columns) if kinds == {True} else JsonLines(tables, columns)


def open_location(location: str) -> tuple[pa.fs.FileSystem, str]:
    """Return the file system and the path in it of a path or URI."""
    if "://" in location:
        found: tuple[pa.fs.FileSystem, str] = pa.fs.FileSystem.from_uri(location)
        return found
    return pa.fs.LocalFileSystem(), location


def _tables_at(given: str | Path) -> list[str]:
    """Return the Parquet and JSON Lines files at a place, in order."""
    suffixes = (*_PARQUET, *_LINES)
    if "://" in str(given):
        system, path = open_location(str(given))
        info = system.get_file_info(path)
        found = [info]
        if info.type == pa.fs.FileType.Directory:
            found = system.get_file_info(pa.fs.FileSelector(path, recursive=True))
        scheme = str(given).partition("://")[0]
        names = sorted(f"{scheme}://{file.path}" for file in found if file.path.endswith(suffixes))
        if not names or info.type == pa.fs.FileType.NotFound:
            raise FileNotFoundError(
                f"{given} holds no file in {', '.join(suffixes)}; text files are read from paths"
            )
        return names
    folder = Path(given)
    if not folder.is_dir():
        files = [named.path for named in find_files([given]).files]
    else:
        inside = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        files = [p for p in inside if not any(n[0] == "." for n in p.relative_to(folder).parts)]
        files = [path for path in files if path.suffix.lower() in (*suffixes, *READABLE)]
    names = [str(path.absolute()) for path in files if path.suffix in suffixes]
    if names and len(names) < len(files):
        raise ValueError(
            f"{given} has text files beside Parquet or JSON Lines: split them one after the other, "
            f"for example with the pattern '{folder.as_posix()}/*{Path(names[0]).suffix}'"
        )
    return names


class TextFiles:
    """Text files; a document's id is the path as it was given, with forward slashes.

    Args:
        paths: Files, folders and glob patterns.
        encoding: Their encoding; None detects it.
    """

    def __init__(self, paths: Sequence[str | Path], encoding: str | None) -> None:
        if encoding is not None:
            check_encoding(encoding)
        found = find_files(paths)
        for _, path in found.files:
            check_readable(path)
        if found.skipped:
            logger.warning(
                "left out %d files that cannot be read as text, such as %s: name them to read them",
                len(found.skipped),
                ", ".join(named.name for named in found.skipped[:_SHOWN]),
            )
        self._entries = [
            Entry(_writable(name), str(path.absolute()), 0) for name, path in found.files
        ]
        self._encoding = encoding

    def entries(self) -> Iterator[Entry]:
        """Yield every file."""
        yield from self._entries

    def read(self, entries: Sequence[Entry]) -> Iterator[TextFile | FailedDocument]:
        """Read files."""
        for entry in entries:
            try:
                file = read_file(entry.file, name=entry.document, encoding=self._encoding)
            except (UnreadableFileError, OSError) as error:
                yield FailedDocument(entry.document, _writable(str(error)))
                continue
            if file.detected:
                logger.warning("%s is not UTF-8: read as %s", file.name, file.encoding)
            yield file

    def __getstate__(self) -> dict[str, object]:
        return {"_encoding": self._encoding}  # workers are told which files to read


class JsonLines:
    """Files with a JSON object on each line.

    A line that is no object with an id is a failed document, named by file and line.

    Args:
        files: The files.
        columns: The keys of the ids and of the texts.

    Raises:
        ValueError: The first line of a file is not an object with these keys.
    """

    def __init__(self, files: Sequence[str], columns: Columns) -> None:
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

    def read(self, entries: Sequence[Entry]) -> Iterator[TextFile | FailedDocument]:
        """Read lines."""
        for file, group in groupby(entries, key=attrgetter("file")):
            with _opened(file) as stream:
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

    def _lines(self, file: str) -> Iterator[tuple[int, bytes]]:
        """Yield the offset and the content of each line; blank lines are left out."""
        position = 0
        with _opened(file) as stream:
            for line in stream:
                if line.strip():
                    yield position, line
                position += len(line)


class ParquetRows:
    """Rows of Parquet files.

    Args:
        files: The files.
        columns: The columns of the ids and of the texts.

    Raises:
        ValueError: A file lacks a column, or one has the wrong type.
    """

    def __init__(self, files: Sequence[str], columns: Columns) -> None:
        self._files = files
        self._columns = columns
        self._reading: _Reading | None = None
        for file in files:
            schema = pa.parquet.read_schema(_native(file))
            columns.check(schema.names, file)
            kind = schema.field(columns.text).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                raise ValueError(f"{file}: the column {columns.text!r} has {kind}, not strings")
            kind = schema.field(columns.id).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if not any(
                check(kind)
                for check in (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer)
            ):
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
            parquet = pa.parquet.ParquetFile(_native(file))
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

    def read(self, entries: Sequence[Entry]) -> Iterator[TextFile | FailedDocument]:
        """Read rows. Reading on from the last row that was read is fast, going back is slow."""
        for entry in entries:
            reading = self._reading
            if reading is None or reading.file != entry.file or reading.start > entry.position:
                reading = self._reading = _Reading(entry.file, self._columns)
            yield document_of(entry.document, reading.row(entry.position), self._columns.text)

    def __getstate__(self) -> dict[str, object]:
        return {"_files": (), "_columns": self._columns, "_reading": None}


class _Reading:
    """A Parquet file that is read forwards, in small batches."""

    def __init__(self, file: str, columns: Columns) -> None:
        self.file = file
        self.start = 0
        self._parquet = pa.parquet.ParquetFile(_native(file))
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


def document_of(name: str, row: dict[str, Any], text_column: str) -> TextFile | FailedDocument:
    """Return the document in a row of a table.

    Args:
        name: Its id.
        row: The row; it is Markdown if it says so as the metadata of loaders does.
        text_column: The column of the text.
    """
    text = row.get(text_column)
    if not isinstance(text, str):
        return FailedDocument(name, f"{text_column!r} is {type(text).__name__}, not a text")
    return TextFile(name, text, is_markdown(row))


def _id_of(value: object) -> str | None:
    if isinstance(value, str):
        return value if value == _writable(value) else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _writable(name: str) -> str:
    """Return a name without lone surrogates, which file names may hold but UTF-8 may not."""
    return name.encode("utf-8", "backslashreplace").decode()


def _parsed(line: bytes) -> dict[str, Any] | str:
    """Return the object on a line, or what is wrong with it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"the line is not JSON: {error}"
    if not isinstance(row, dict):
        return f"the line holds {type(row).__name__}, not an object"
    return row


def _native(file: str) -> Any:
    system, path = open_location(file)
    return system.open_input_file(path)


def _opened(file: str) -> BufferedReader:
    return BufferedReader(_native(file), _BUFFER)
