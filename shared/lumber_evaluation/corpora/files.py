"""Finds and reads the files of a corpus; errors state what was expected."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from lumber_files.encodings import decode
from lumber_files.file_search import refuse_links_out


def existing_path(path: Path, what: str) -> Path:
    """Return `path` if it exists; the error states what was expected."""
    try:
        exists = path.exists()
    except OSError:  # the system refuses the name, for example because it is too long
        exists = False
    if not exists:
        raise FileNotFoundError(f"{path} does not exist; expected {what} there")
    return path


def existing_folder(path: str | Path) -> Path:
    """Return `path` if it is a folder; the error states that texts were expected."""
    root = existing_path(Path(path), "texts")
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is a file; expected a folder with texts")
    return root


def matching_files(folder: str | Path, patterns: Iterable[str]) -> list[Path]:
    """Return the files of a folder, at any depth, that match a pattern, in order of path.

    Raises:
        FileNotFoundError: The folder is missing or no file in it matches.
        NotADirectoryError: It is a file.
        ValueError: A file is a link to a place outside the folder.
    """
    root = existing_folder(folder)
    globs = tuple(patterns)
    matches = {path for pattern in globs for path in root.rglob(pattern) if path.is_file()}
    if not matches:
        raise FileNotFoundError(
            f"{root} contains no file {' or '.join(map(repr, globs))}; expected texts there"
        )
    refuse_links_out(root, sorted(matches))
    return sorted(matches)


def read_text(path: Path) -> str:
    """Return a text in UTF-8 with its own line ends, so that offsets stay valid."""
    return decode(path.read_bytes(), str(path), "utf-8").text


Row = dict[str, object]
_T = TypeVar("_T")


def table_rows(path: str | Path) -> Iterator[tuple[str, Row]]:
    """Yield each row of a table of questions with its place in the file, for error messages.

    The name of the file ends in .jsonl (an object on each line) or .csv (with a header, UTF-8).

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is in neither of these formats, or malformed.
    """
    file = existing_path(Path(path), "questions")
    kind = file.suffix.lower()
    if not file.is_file() or kind not in (".jsonl", ".csv"):
        raise ValueError(f"{file}: expected questions as a file in .jsonl or .csv")
    return json_lines(file, "questions") if kind == ".jsonl" else _csv_rows(file)


def json_lines(path: Path, what: str) -> Iterator[tuple[str, Row]]:
    """Yield each JSON line with its place in the file, for error messages."""
    text = read_text(existing_path(path, what))
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{where}: not JSON ({json_fault(error)})") from error
            if not isinstance(row, dict):
                raise ValueError(f"{where}: expected a JSON object, found {type(row).__name__}")
            yield where, row


def field(row: Row, key: str, kind: type[_T], where: str) -> _T:
    """Return a field of a row after checking its type."""
    value = row.get(key)
    if not isinstance(value, kind):
        raise ValueError(
            f"{where}: expected {key!r} as {kind.__name__}, found {type(value).__name__}"
        )
    return value


def _csv_rows(path: Path) -> Iterator[tuple[str, Row]]:
    # Not pandas: it guesses types (a question "1984" becomes a number), and fills short rows and
    # joins long ones without an error that has a line number.
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            if None in row:
                raise ValueError(
                    f"{where}: more cells than the {len(reader.fieldnames or ())} of the header; "
                    'put cells that contain commas in double quotes ("...")'
                )
            yield where, {**row}
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.reader.line_num}: not CSV ({error})") from error


def json_fault(error: ValueError | RecursionError) -> str:
    """Return what is wrong with a JSON text, in a few words."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return (
        "nested too deeply" if isinstance(error, RecursionError) else "a number of too many digits"
    )
