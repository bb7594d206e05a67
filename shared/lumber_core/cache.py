"""A cache on disk for results that are expensive or slow: verdicts, completions, vectors, splits.

One SQLite file holds any number of caches, one table each. The contract:

- `get` returns what `put` stored under a key; when `put` returns, the value is on disk.
- Threads, processes and forked children may share a file.
- If the file is deleted or replaced while it is in use, its values are carried over to the new
  file, with a warning.
- A file that is damaged, foreign or of another format version is refused and never modified.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from lumber_core.cache_file import FAULTS, FileId, connect, file_at
from lumber_core.errors import StoreError
from lumber_core.forks import pause_during_fork, renew_after_fork

logger = logging.getLogger(__name__)

_FORK_SECONDS = 1.0
_KEYS_AT_ONCE = 500  # SQLite accepts at least 999 parameters in a statement

_inherited: list[sqlite3.Connection] = []


class Cache:
    """Bytes under string keys, in one table of an SQLite file.

    Args:
        path: The file; created on first use if it does not exist.
        kind: Kind of the values, such as "verdicts": the name of the table.

    Raises:
        StoreError: On first use, if the file is damaged, belongs to another program or has another
            format version, or if its folder does not exist. The file is left unchanged.
    """

    def __init__(self, path: str | Path, kind: str) -> None:
        if not kind.isidentifier():
            raise ValueError(f"kind must be an identifier such as 'verdicts', not {kind!r}")
        self._path = Path(path)
        self._kind = kind
        self._start()

    def _start(self) -> None:
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: FileId | None = None
        pause_during_fork(self, Cache._pause)
        renew_after_fork(self, Cache._renew)

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def name(self) -> str:
        """The path of the file, for messages."""
        return str(self._path)

    def get(self, key: str) -> bytes | None:
        """Return the value stored under `key`, or None."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the values stored under some of `keys`; unknown keys are left out."""
        found: dict[str, bytes] = {}
        with self._open() as connection:
            for some in _batches(keys):
                marks = ", ".join("?" * len(some))
                found.update(
                    connection.execute(
                        f"SELECT key, value FROM {self._kind} WHERE key IN ({marks})", some
                    )
                )
        return found

    def put(self, key: str, value: bytes) -> None:
        """Store a value, replacing an earlier one; when this returns, it is on disk."""
        self.put_many({key: value})

    def put_many(self, values: Mapping[str, bytes]) -> None:
        """Store several values in one transaction."""
        now = time.time()
        rows = [(key, value, now) for key, value in values.items()]
        with self._open() as connection:
            with connection:
                statement = f"INSERT OR REPLACE INTO {self._kind} VALUES (?, ?, ?)"
                connection.executemany(statement, rows)
            self._current()  # if the file was deleted meanwhile, the values are in the new one

    def delete(self, keys: Iterable[str]) -> int:
        """Remove the values stored under `keys`.

        Returns:
            The number of values removed.
        """
        removed = 0
        with self._open() as connection, connection:
            for some in _batches(keys):
                marks = ", ".join("?" * len(some))
                statement = f"DELETE FROM {self._kind} WHERE key IN ({marks})"
                removed += connection.execute(statement, some).rowcount
        return removed

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Yield all keys with their values, in no particular order."""
        with self._open() as connection:
            keys = [key for (key,) in connection.execute(f"SELECT key FROM {self._kind}")]
        for some in _batches(keys):
            yield from self.get_many(some).items()

    def open(self) -> None:
        """Open the file now, so that a problem with it raises before any work.

        Raises:
            StoreError: As on first use.
        """
        with self._open():
            pass

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        with self._lock:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _pause(self) -> Callable[[], None] | None:
        """Close the file, and keep it closed during a fork.

        SQLite in the child would take the locks of the connections it inherits for its own. Then
        other processes delete files that the child uses, and what it puts is lost.
        """
        lock = self._lock
        if not lock.acquire(timeout=_FORK_SECONDS):
            return None
        self._disconnect()
        return lock.release

    def _renew(self) -> None:
        """Give the cache a lock and, on next use, a connection of its own.

        A connection that another thread kept in use during the fork is kept alive untouched: SQLite
        forbids closing it in the child.
        """
        if self._connection is not None:
            _inherited.append(self._connection)
        self._lock = Lock()
        self._connection = None

    def __len__(self) -> int:
        with self._open() as connection:
            (count,) = connection.execute(f"SELECT count(*) FROM {self._kind}").fetchone()
        return int(count)

    def __getstate__(self) -> dict[str, Any]:
        # Another process may run in another folder.
        return {"_path": self._path.absolute(), "_kind": self._kind}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def __repr__(self) -> str:
        return f"Cache({str(self._path)!r}, {self._kind!r})"

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._current()
            except FAULTS as error:
                raise StoreError(
                    f"the store {self._path} cannot be used: {error}. Move it away, or pass "
                    "another path"
                ) from error

    def _current(self) -> sqlite3.Connection:
        """Return a connection to the file that is at the path now."""
        old, file = self._connection, file_at(self._path)
        if old is not None and file == self._file:
            return old
        rows: list[tuple[str, bytes, float]] = []
        if old is not None:
            # Read before connecting: a new database resets the files that SQLite keeps beside it.
            rows = old.execute(f"SELECT key, value, stored_at FROM {self._kind}").fetchall()
        new, now = connect(self._path, self._kind)
        if old is not None:
            logger.warning(
                "the store %s was %s while it was in use: its values are carried over to the new "
                "file",
                self._path,
                "deleted" if file is None else "replaced",
            )
            with closing(old), new:
                new.executemany(f"INSERT OR IGNORE INTO {self._kind} VALUES (?, ?, ?)", rows)
        self._connection, self._file = new, now
        return new


def digest(*parts: str) -> str:
    """Return a SHA-256 over texts, for use as a key; ("ab", "c") and ("a", "bc") differ."""
    made = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        made.update(len(encoded).to_bytes(8, "big"))
        made.update(encoded)
    return made.hexdigest()


def _batches(keys: Iterable[str]) -> Iterator[list[str]]:
    left = iter(keys)
    while some := list(islice(left, _KEYS_AT_ONCE)):
        yield some
