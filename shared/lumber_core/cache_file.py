"""The SQLite file of a cache: creating it, checking it and connecting to it.

All of this is safe while other threads and processes do the same, and a file that is damaged,
foreign or of another format version is never modified.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from lumber_core.errors import StoreError

CACHE_FORMAT = 2
"""The version of what caches hold; another one is not read."""
# SQLite's messages about a damaged file quote its bytes, which may not be valid text.
FAULTS = (sqlite3.Error, UnicodeDecodeError, OSError)
"""What is raised if a file cannot be used."""
_APPLICATION = 0x4C554D42  # "LUMB", in the header of every file of this library
_BUSY_SECONDS = 60.0
_RETRY_SECONDS = 0.01
_SMALLEST_PAGE = 512  # bytes

FileId: TypeAlias = tuple[int, int]
"""What identifies a file, under whatever path: its device and its inode."""


class _State(NamedTuple):
    """What changes when another process creates, writes or closes a file."""

    has_log: bool
    modified: int
    size: int


def file_at(path: Path) -> FileId | None:
    """Return what identifies the file at a path, or None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def connect(path: Path, table: str) -> tuple[sqlite3.Connection, FileId]:
    """Check a file and connect to it, creating it if it does not exist.

    Args:
        path: The file.
        table: The table the caller needs: `key`, `value` and `stored_at`; created if it is missing.

    Returns:
        The connection, and which file it is to.

    Raises:
        StoreError: The file belongs to another program or has another format version, or its folder
            does not exist.
        sqlite3.Error: The file is damaged, or stays locked for a minute.
        OSError: The system refuses the path.
    """
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            before = file_at(path)
            connection = _created(path, table) if before is None else _checked(path, table)
        except (sqlite3.OperationalError, FileNotFoundError) as error:
            # SQLite reports a lock at once, without its usual wait, where two processes that create
            # a file would wait for each other. A file that is not found was deleted just now.
            deleted = isinstance(error, FileNotFoundError)
            if not (deleted or "locked" in str(error)) or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
            continue
        # If the file was created or replaced meanwhile, it is unknown which one is open.
        if before is not None and before == file_at(path):
            return connection, before
        connection.close()


def _created(path: Path, table: str) -> sqlite3.Connection:
    folder = path.parent
    if not folder.is_dir():
        raise StoreError(f"the store {path} cannot be created: the folder {folder} does not exist")
    with _locked(path.parent) as locked:
        if locked and not path.exists():
            _remove_leftovers(path)
        return _checked(path, table)


def _checked(path: Path, table: str) -> sqlite3.Connection:
    _check(path)
    return _prepared(path, table)


def _remove_leftovers(path: Path) -> None:
    """Remove what SQLite kept beside a file that was deleted.

    Processes that have that file open keep theirs. If they and a new file shared them, SQLite
    would fail, or end the process.
    """
    for suffix in ("-wal", "-shm"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)


def _prepared(path: Path, table: str) -> sqlite3.Connection:
    """Return a connection to the file, which then has a table for this kind of value."""
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        known = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,))
        if known.fetchone() == (0,):
            connection.executescript(
                "BEGIN IMMEDIATE;"
                f"CREATE TABLE IF NOT EXISTS {table} "
                "(key TEXT PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL);"
                f"PRAGMA application_id = {_APPLICATION};"
                f"PRAGMA user_version = {CACHE_FORMAT};"
                "COMMIT;"
            )
    except FAULTS:
        connection.close()
        raise
    return connection


def _check(path: Path) -> None:
    """Inspect the file without writing to it.

    Raises:
        StoreError: This version cannot use the file.
    """
    # Never opened except by SQLite: closing a file drops the locks that SQLite's connections in
    # this process have on it, and other processes then delete what is still in use.
    size = path.stat().st_size if path.exists() else 0
    if size == 0:
        return
    if size < _SMALLEST_PAGE:  # SQLite takes it for an empty database, and overwrites it
        raise sqlite3.DatabaseError("file is not a database")
    while True:
        # SQLite creates files beside a database in WAL mode even to read it, unless the database is
        # opened as immutable; that is safe if no process writes to it at the same time.
        before = _state(path)
        try:
            _inspect(path, immutable=not before.has_log)
        except (*FAULTS, StoreError):
            if _state(path) == before:
                raise
        else:
            return


def _state(path: Path) -> _State:
    """Return what changes when another process creates, writes or closes the file."""
    found = path.stat()
    log = path.with_name(f"{path.name}-wal")
    return _State(log.exists(), found.st_mtime_ns, found.st_size)


def _inspect(path: Path, *, immutable: bool) -> None:
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable={int(immutable)}"
    with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as connection:
        connection.execute("BEGIN")  # all of these are read from one state of the file
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (healthy,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if healthy != "ok":
        raise sqlite3.DatabaseError(healthy)
    if not tables:
        return
    if application != _APPLICATION:
        raise StoreError(f"{path} is a database of another program: pass another path")
    if version != CACHE_FORMAT:
        age = "a newer" if version > CACHE_FORMAT else "an older"
        raise StoreError(
            f"the store {path} was written by {age} version of lumber-splitters (format "
            f"{version}; this version reads format {CACHE_FORMAT}): pass another path"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Keep other processes from creating a file in a folder at the same time.

    Yields:
        Whether the folder is locked. It is not if the system or the disk has no such locks; Windows
        has none, and none are needed there: a file that is in use cannot be deleted.

    Raises:
        sqlite3.OperationalError: Another process keeps the lock.
    """
    try:
        import fcntl

        opened = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield False
        return
    try:
        yield _lock(opened)
    finally:
        # Closing does not unlock it while a child process has a copy of the descriptor.
        with suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_UN)
        os.close(opened)


def _lock(opened: int) -> bool:
    import fcntl

    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:  # `connect` tries again
        raise sqlite3.OperationalError("its folder is locked by another process") from None
    except OSError:
        return False
    return True
