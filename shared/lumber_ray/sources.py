"""Finds the documents of a corpus: text files, JSON Lines or Parquet."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from lumber_core.support.secrets import public_url
from lumber_core.text.source import Source
from lumber_core.text.unicode import writable
from lumber_files import (
    MAX_UNPACKED,
    READABLE,
    UnreadableFileError,
    check_encoding,
    check_readable,
    files_in,
    find_files,
    read_file,
)
from lumber_ray.documents import DocumentSource, Entry, FailedDocument
from lumber_ray.tables import Columns, JsonLines, ParquetRows

logger = logging.getLogger(__name__)

_PARQUET = (".parquet",)
_TABLES = (*_PARQUET, ".jsonl", ".ndjson")
_SHOWN = 5


def find_source(
    paths: str | Path | Sequence[str | Path],
    *,
    columns: Columns,
    encoding: str | None = None,
    max_unpacked: int = MAX_UNPACKED,
) -> DocumentSource:
    """Find the documents of a corpus.

    Args:
        paths: Files, folders, glob patterns, or URIs of Parquet and JSON Lines files and folders
            (s3://...), all of one kind.
        columns: The columns of tables.
        encoding: Encoding of text files.
        max_unpacked: Maximum size in bytes that a DOCX or PDF unpacks to.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There are several kinds of files, or a table lacks a column.
        MissingExtraError: There is HTML, PDF or DOCX, and its reader is not installed.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise ValueError("source is empty: expected a path or several")
    located = [_tables_at(str(place)) for place in given]
    system = located[0][0]
    tables = list(chain.from_iterable(files for _, files in located))
    if not tables:
        return TextFiles(given, encoding, max_unpacked)
    kinds = {_suffix(file) in _PARQUET for file in tables}
    if len(kinds) > 1 or not all(files for _, files in located):
        raise ValueError(
            "source has files of several kinds: split Parquet, JSON Lines and text files one after "
            "the other, for example with a pattern such as 'corpus/*.parquet'"
        )
    if any(not other.equals(system) for other, _ in located):
        raise ValueError("source has files on several file systems: split them one after the other")
    if encoding is not None:
        raise ValueError("encoding is for text files: JSON Lines and Parquet are always in UTF-8")
    kind = ParquetRows if kinds == {True} else JsonLines
    return kind(system, tables, columns)


def open_location(location: str) -> tuple[pa.fs.FileSystem, str]:
    """Return the file system and the path in it of a path or URI.

    Raises:
        ValueError: It is not a URI that pyarrow can open; the message has no credentials.
    """
    if "://" not in location:
        return pa.fs.LocalFileSystem(), location
    try:
        found: tuple[pa.fs.FileSystem, str] = pa.fs.FileSystem.from_uri(location)
    except ValueError as error:
        reason = str(error).replace(location, "it")
        raise ValueError(f"{public_url(location)} cannot be opened: {reason}") from None
    return found


def _tables_at(given: str) -> tuple[pa.fs.FileSystem, list[str]]:
    """Return the Parquet and JSON Lines files at a place, in order, and their file system."""
    system, path = open_location(given)
    return system, _remote_tables(system, path) if "://" in given else _local_tables(Path(given))


def _remote_tables(system: pa.fs.FileSystem, path: str) -> list[str]:
    info = system.get_file_info(path)
    found = [info]
    if info.type == pa.fs.FileType.Directory:
        found = system.get_file_info(pa.fs.FileSelector(path, recursive=True))
    files = [file.path for file in found if file.type == pa.fs.FileType.File]
    tables = sorted(file for file in files if _suffix(file) in _TABLES)
    if not tables:
        raise FileNotFoundError(
            f"{path} holds no file in {', '.join(_TABLES)}; text files are read from paths, not "
            "from URIs"
        )
    return tables


def _local_tables(given: Path) -> list[str]:
    if not given.is_dir():
        files = [named.path for named in find_files([given]).files]
    else:
        inside = sorted(files_in(given))
        files = [path for path in inside if _suffix(path) in (*_TABLES, *READABLE)]
    tables = [str(path.absolute()) for path in files if _suffix(path) in _TABLES]
    if tables and len(tables) < len(files):
        raise ValueError(
            f"{given} has text files beside Parquet or JSON Lines: split them one after the other, "
            f"for example with the pattern '{given.as_posix()}/*{Path(tables[0]).suffix}'"
        )
    return tables


def _suffix(file: str | Path) -> str:
    return PurePosixPath(file).suffix.lower()


class TextFiles:
    """Text files; a document's id is the path as it was given, with forward slashes.

    Args:
        paths: Files, folders and glob patterns.
        encoding: Their encoding; None detects it.
        max_unpacked: Maximum size in bytes that one unpacks to.
    """

    def __init__(
        self, paths: Sequence[str | Path], encoding: str | None, max_unpacked: int
    ) -> None:
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
            Entry(writable(name), str(path.absolute()), 0) for name, path in found.files
        ]
        self._reading: dict[str, Any] = {"encoding": encoding, "max_unpacked": max_unpacked}

    def entries(self) -> Iterator[Entry]:
        """Yield every file."""
        yield from self._entries

    def read(self, entries: Sequence[Entry]) -> Iterator[Source | FailedDocument]:
        """Read files."""
        for entry in entries:
            try:
                file = read_file(entry.file, name=entry.document, **self._reading)
            except (UnreadableFileError, OSError) as error:
                yield FailedDocument(entry.document, writable(str(error)))
                continue
            if file.detected:
                logger.warning("%s is not UTF-8: read as %s", file.name, file.encoding)
            yield file

    def __getstate__(self) -> dict[str, object]:
        return {"_reading": self._reading}  # workers are told which files to read
