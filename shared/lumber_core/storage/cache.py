"""A cache for results that are expensive or slow: verdicts, completions, vectors, splits.

One SQLite file holds any number of caches, one table each. The contract:

- `get` returns the value that `put` stored under a key; when `put` returns, the value is on disk.
  (If the power fails at that moment, SQLite may undo the last `put`, but no other.)
- Threads, processes and forked children may share a file.
- A file that is damaged, or of another program or format version, is refused and never modified.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from lumber_core.errors import StoreError
from lumber_core.storage.database import TableFormat, read_twice
from lumber_core.storage.sqlite import SqliteDatabase

CACHE_FORMAT = 2
"""The version of the format of cached values; other versions are not read."""
_APPLICATION = 0x4C554D42  # "LUMB"
T = TypeVar("T")


class KeyValueCache(ABC):
    """Bytes under string keys, in a file (`Cache`) or elsewhere; messages contain its `name`."""

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
        """Use the store now, so that a problem raises before any work."""
        self.get("open")

    def close(self) -> None:  # noqa: B027 - there may be nothing to close
        """Close the store. The next use opens it again."""

    def read(self, what: str, use: Callable[[], T]) -> T:
        """Return the result of `use`, which reads stored values; if it raises, call it once more.

        If it raises a ValueError, TypeError or KeyError both times, that becomes a StoreError.
        `what` is the noun for a value in messages, such as "verdict".
        """
        try:
            return use()
        except (ValueError, TypeError, KeyError):
            self.close()  # the error of a disk or a network may be transient
        try:
            return use()
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
    """Bytes under string keys, in one table of an SQLite file, which is created on first use.

    `kind` is the kind of the values, such as "verdicts": the name of the table. The errors of any
    use are those of `Database.transaction`.
    """

    def __init__(self, path: str | Path, kind: str) -> None:
        self.name = str(path)
        self._kind = kind
        columns = "key TEXT PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL"
        schema = f"CREATE TABLE IF NOT EXISTS {kind} ({columns})"
        expected = TableFormat(CACHE_FORMAT, _APPLICATION, kind, schema, check_pages=True)
        self.database = SqliteDatabase(path, expected)

    @read_twice
    def open(self) -> None:
        """Write to the file now, so that a problem raises before any work."""
        with self.database.transaction(write=True) as connection:
            connection.execute(f"PRAGMA user_version = {CACHE_FORMAT}")

    @read_twice
    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the values stored under some of `keys`; unknown keys are left out."""
        query = f"SELECT value FROM {self._kind} WHERE key = ?"
        names = [*keys]
        with self.database.transaction() as connection:
            rows = ((key, connection.execute(query, (key,)).fetchone()) for key in names)
            return {key: row[0] for key, row in rows if row is not None}

    @read_twice
    def put_many(self, values: Mapping[str, bytes]) -> None:
        """Store values in one transaction, replacing earlier ones; they are on disk afterwards."""
        rows = [(key, value, time.time()) for key, value in values.items()]
        with self.database.transaction(write=True) as connection:
            connection.executemany(f"INSERT OR REPLACE INTO {self._kind} VALUES (?, ?, ?)", rows)

    @read_twice
    def delete(self, keys: Iterable[str]) -> None:
        """Remove the values stored under `keys`, if there are any."""
        rows = [(key,) for key in keys]
        with self.database.transaction(write=True) as connection:
            connection.executemany(f"DELETE FROM {self._kind} WHERE key = ?", rows)

    @read_twice
    def items(self) -> list[tuple[str, bytes]]:
        """Return all keys with their values, in no particular order."""
        with self.database.transaction() as connection:
            return connection.execute(f"SELECT key, value FROM {self._kind}").fetchall()

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        self.database.close()

    @read_twice
    def __len__(self) -> int:
        with self.database.transaction() as connection:
            return int(connection.execute(f"SELECT count(*) FROM {self._kind}").fetchone()[0])


def read_row(value: bytes) -> dict[str, Any]:
    """Return the JSON object in a value; raise a ValueError if it is something else."""
    try:
        row = json.loads(value)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError(f"expected a JSON object, found {type(row).__name__}")
    return row
