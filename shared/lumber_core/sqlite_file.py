"""The SQLite files that answers are kept in: opened with care, and never spoiled.

Verdicts of splitters and completions of evaluations are tables of such a file; both may share one.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from lumber_core.errors import StoreError

_APPLICATION = 0x4C554D42  # "LUMB", in the header of every file of ours
_VERSION = 2
_BUSY_SECONDS = 60.0


class SqliteFile:
    """A table in a file of this library, safe under several threads and processes.

    Args:
        path: The file; it is made where it does not exist, and so is the table.

    Raises:
        StoreError: On first use: the file is damaged, was made by a newer version, or belongs to
            another program. It is left as it was.
    """

    _table: ClassVar[str]
    _columns: ClassVar[str]

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def __len__(self) -> int:
        with self._open() as connection:
            (count,) = connection.execute(f"SELECT count(*) FROM {self._table}").fetchone()
        return int(count)

    def open(self) -> None:
        """Open the file now, so that trouble with it shows before any work is done.

        Raises:
            StoreError: As on first use.
        """
        with self._open():
            pass

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_path": self._path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_path"])  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._path)!r})"

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                yield self._connection
            except sqlite3.DatabaseError as error:
                raise StoreError(
                    f"the store {self._path} cannot be used: {error}. Move it away, or pass "
                    "another path"
                ) from error

    def _connect(self) -> sqlite3.Connection:
        self._check()
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            known = connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = ?", (self._table,)
            )
            if known.fetchone() == (0,):
                connection.executescript(
                    "BEGIN IMMEDIATE;"
                    f"CREATE TABLE IF NOT EXISTS {self._table} ({self._columns}) WITHOUT ROWID;"
                    f"PRAGMA application_id = {_APPLICATION};"
                    f"PRAGMA user_version = {_VERSION};"
                    "COMMIT;"
                )
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def _check(self) -> None:
        """Look at the file without writing to it.

        Raises:
            StoreError: It is not a file that this version can use.
        """
        folder = self._path.parent
        if not folder.is_dir():
            raise StoreError(f"the store {self._path} cannot be made: there is no folder {folder}")
        if not self._path.exists() or self._path.stat().st_size == 0:
            return
        uri = f"{self._path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (healthy,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if healthy != "ok":
            raise sqlite3.DatabaseError(healthy)
        if application != _APPLICATION and tables:
            raise StoreError(f"{self._path} is a database of another program: pass another path")
        if version > _VERSION:
            raise StoreError(
                f"the store {self._path} was made by a newer version of lumber-splitters (format "
                f"{version}, this one knows {_VERSION}): update, or pass another path"
            )


def digest(parts: Iterable[str]) -> str:
    """Return a digest of texts, to store under; texts that only run together differ in it."""
    made = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        made.update(len(encoded).to_bytes(8, "big"))
        made.update(encoded)
    return made.hexdigest()
