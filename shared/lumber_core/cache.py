"""A cache on disk for results that are expensive or slow: verdicts, completions, vectors, splits.

One SQLite file holds any number of caches, one table each. The contract:

- `get` returns what `put` stored under a key; when `put` returns, the value is on disk. (If the
  power fails at that moment, SQLite may undo the last `put`, but no other.)
- Threads, processes and forked children may share a file.
- A file that is damaged, foreign or of another format version is refused and never modified.

The file has a rollback journal, not a write-ahead log: then a connection at rest holds no lock,
which forked processes would inherit, and SQLite notices if the file was deleted or replaced.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from lumber_core.errors import StoreError

T = TypeVar("T")

CACHE_FORMAT = 2
"""The version of what caches hold; another one is not read."""
_APPLICATION = 0x4C554D42  # "LUMB", in the header of every file of this library
_COLUMNS = ["key", "value", "stored_at"]
_SMALLEST_PAGE = 512  # bytes
_BUSY_SECONDS = 60.0  # how long a file may stay locked
_WAIT_SECONDS = 0.1  # how long SQLite waits for a lock; a fork waits with it
_RETRY_SECONDS = 0.01

# SQLite's messages about a damaged file quote its bytes, which may not be valid text.
_FAULTS = (sqlite3.Error, UnicodeDecodeError, OSError)

# SQLite counts a process's locks in memory. A child that is forked in the middle of a transaction
# would take the locks of its parent for its own, so there is no fork then.
_transaction = Lock()
if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(
        before=_transaction.acquire,
        after_in_parent=_transaction.release,
        after_in_child=_transaction.release,
    )
_inherited: list[sqlite3.Connection] = []  # SQLite forbids even closing them


class KeyValueCache(ABC):
    """Bytes under string keys: in a file, as `Cache` keeps them, or elsewhere.

    Attributes:
        name: What messages call it.
    """

    name: str

    @abstractmethod
    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the values stored under some of `keys`; unknown keys are left out."""

    @abstractmethod
    def put_many(self, values: Mapping[str, bytes]) -> None:
        """Store values, replacing earlier ones."""

    @abstractmethod
    def delete(self, keys: Iterable[str]) -> None:
        """Remove the values stored under `keys`, if there are any."""

    @abstractmethod
    def items(self) -> Iterable[tuple[str, bytes]]:
        """Return all keys with their values, in no particular order."""

    def get(self, key: str) -> bytes | None:
        """Return the value stored under `key`, or None."""
        return self.get_many([key]).get(key)

    def put(self, key: str, value: bytes) -> None:
        """Store a value, replacing an earlier one."""
        self.put_many({key: value})

    def open(self) -> None:
        """Use it now, so that a problem with it raises before any work."""
        self.get("open")

    def close(self) -> None:  # noqa: B027 - there may be nothing to close
        """Close what was opened. The next use opens it again."""

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turn errors about a stored value, such as "verdict", into a StoreError."""
        try:
            yield
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"the store {self.name} contains a damaged {what}: {error!r}. Move the store "
                "away, or pass another one"
            ) from error

    def __len__(self) -> int:
        return len([*self.items()])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Cache(KeyValueCache):
    """Bytes under string keys, in one table of an SQLite file.

    If the file is deleted or replaced while it is in use, later values are put into the file that
    is then at the path.

    Args:
        path: The file; created on first use if it does not exist.
        kind: Kind of the values, such as "verdicts": the name of the table.

    Raises:
        StoreError: On any use, if the file cannot be read and written, belongs to another program
            or has another format version, or if its folder does not exist.
    """

    def __init__(self, path: str | Path, kind: str) -> None:
        if not kind.isidentifier():
            raise ValueError(f"kind must be an identifier such as 'verdicts', not {kind!r}")
        self.name = str(path)
        self._path = Path(path)
        self._kind = kind
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the values stored under some of `keys`; unknown keys are left out."""
        wanted = [*keys]
        query = f"SELECT value FROM {self._kind} WHERE key = ?"

        def read(connection: sqlite3.Connection) -> dict[str, bytes]:
            rows = ((key, connection.execute(query, (key,)).fetchone()) for key in wanted)
            return {key: row[0] for key, row in rows if row is not None}

        return self._run("DEFERRED", read)

    def put_many(self, values: Mapping[str, bytes]) -> None:
        """Store values in one transaction, replacing earlier ones; then they are on disk."""
        rows = [(key, value, time.time()) for key, value in values.items()]
        statement = f"INSERT OR REPLACE INTO {self._kind} VALUES (?, ?, ?)"
        self._run("EXCLUSIVE", lambda connection: connection.executemany(statement, rows))

    def delete(self, keys: Iterable[str]) -> None:
        """Remove the values stored under `keys`, if there are any."""
        rows = [(key,) for key in keys]
        statement = f"DELETE FROM {self._kind} WHERE key = ?"
        self._run("EXCLUSIVE", lambda connection: connection.executemany(statement, rows))

    def items(self) -> list[tuple[str, bytes]]:
        """Return all keys with their values, in no particular order."""
        query = f"SELECT key, value FROM {self._kind}"
        return self._run("DEFERRED", lambda connection: connection.execute(query).fetchall())

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        with _transaction:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
                self._connection = None

    def __len__(self) -> int:
        query = f"SELECT count(*) FROM {self._kind}"
        return int(self._run("DEFERRED", lambda c: c.execute(query).fetchone()[0]))

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process may run in another folder.
        return Cache, (self._path.absolute(), self._kind)

    def _run(self, mode: str, action: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of an action in a transaction.

        It is tried again while the file is locked, and once with a new connection on any other
        fault: a file that was deleted or replaced can no longer be written.
        """
        deadline, failed = time.monotonic() + _BUSY_SECONDS, False
        while True:
            with _transaction:
                try:
                    with self._connected(renew=failed) as connection:
                        connection.execute(f"BEGIN {mode}")
                        return action(connection)
                except _FAULTS as error:
                    busy = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
                    given_up = time.monotonic() > deadline if busy else failed
                    if given_up:
                        raise StoreError(
                            f"the store {self.name} cannot be used: {error}. Make room or allow "
                            "writing to the file and its folder if that is what is missing, or "
                            "pass another path"
                        ) from error
                    failed = failed or not busy
            time.sleep(_RETRY_SECONDS)

    def _connected(self, *, renew: bool) -> sqlite3.Connection:
        """Return the connection of this process to the file."""
        if self._connection is not None and self._process != os.getpid():
            _inherited.append(self._connection)
            self._connection = None
        known = self._connection
        if known is not None and not renew:
            return known
        # If this fails, the known one stays: on a full disk it can still read.
        self._connection, self._process = _connect(self._path, self._kind), os.getpid()
        if known is not None:
            known.close()
        return self._connection


def _connect(path: Path, table: str) -> sqlite3.Connection:
    """Check a file, and return a connection to it that can write."""
    if not path.parent.is_dir():
        raise OSError(f"the folder {path.parent} does not exist")
    if path.exists() and 0 < path.stat().st_size < _SMALLEST_PAGE:
        # SQLite takes it for an empty database, and overwrites it.
        raise sqlite3.DatabaseError("file is not a database")
    connection = sqlite3.connect(
        path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _check(connection, table)
        # Turns files of earlier versions, which had a write-ahead log, into ones with a journal.
        connection.execute("PRAGMA journal_mode = DELETE")
        # Writes even if nothing changes, so that a file that cannot be written is refused now.
        connection.executescript(
            "BEGIN EXCLUSIVE;"
            f"CREATE TABLE IF NOT EXISTS {table} "
            "(key TEXT PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL);"
            f"PRAGMA application_id = {_APPLICATION};"
            f"PRAGMA user_version = {CACHE_FORMAT};"
            "COMMIT;"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, table: str) -> None:
    """Check, without writing, that this version can use the file."""
    connection.execute("BEGIN")  # all of these are read from one state of the file
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    (healthy,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    connection.execute("COMMIT")
    if healthy != "ok":
        raise sqlite3.DatabaseError(healthy)
    if tables and application != _APPLICATION:
        raise sqlite3.DatabaseError("it is a database of another program")
    if tables and version != CACHE_FORMAT:
        age = "a newer" if version > CACHE_FORMAT else "an older"
        raise sqlite3.DatabaseError(
            f"it was written by {age} version of lumber-splitters (format {version}; this version "
            f"reads format {CACHE_FORMAT})"
        )
    if columns not in ([], _COLUMNS):
        raise sqlite3.DatabaseError(f"its table {table} has the columns {', '.join(columns)}")


def digest(*parts: str) -> str:
    """Return a SHA-256 over texts, for use as a key; ("ab", "c") and ("a", "bc") differ."""
    made = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        made.update(len(encoded).to_bytes(8, "big"))
        made.update(encoded)
    return made.hexdigest()


def read_row(value: bytes) -> dict[str, Any]:
    """Return the JSON object in a value.

    Raises:
        ValueError: It is something else.
    """
    try:
        row = json.loads(value)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError(f"expected a JSON object, found {type(row).__name__}")
    return row
