"""Finding and reading the files of a corpus, with errors that say what was expected there."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from pathlib import Path


def existing(path: Path, what: str) -> Path:
    """Return `path` if it exists, else say what was expected there.

    Raises:
        FileNotFoundError: If it does not exist.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; expected {what} there")
    return path


def existing_folder(path: str | Path, what: str) -> Path:
    """Return `path` if it is a folder, else say what was expected there.

    Raises:
        FileNotFoundError: If it does not exist.
        NotADirectoryError: If it is a file.
    """
    root = existing(Path(path), what)
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is a file; expected a folder with {what}")
    return root


def matching_files(folder: str | Path, patterns: Iterable[str], what: str) -> list[Path]:
    """Return the files of a folder, at any depth, that match a pattern, in order of path.

    Raises:
        FileNotFoundError: If the folder is missing or no file in it matches.
        NotADirectoryError: If it is a file.
    """
    root = existing_folder(folder, what)
    wanted = tuple(patterns)
    found = {path for pattern in wanted for path in root.rglob(pattern) if path.is_file()}
    if not found:
        raise FileNotFoundError(
            f"{root} holds no file {' or '.join(map(repr, wanted))}; expected {what} there"
        )
    return sorted(found)


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Read a file; line ends stay as they are, so that offsets do too.

    Raises:
        ValueError: If the file is not in that encoding; names the file and the byte.
    """
    try:
        return path.read_bytes().decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not {encoding}: byte {error.start} ({error.object[error.start]:#04x}) "
            f"cannot be read ({error.reason}). Save it as UTF-8, or name its encoding where the "
            "loader takes one"
        ) from error


def check_encoding(encoding: str) -> None:
    """Raise unless Python knows an encoding of that name.

    Raises:
        ValueError: If it does not.
    """
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise ValueError(
            f"unknown encoding {encoding!r}: expected a name that Python knows, such as 'utf-8', "
            "'cp1252' or 'latin-1'"
        ) from None
