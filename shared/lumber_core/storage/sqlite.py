"""Opens and checks SQLite files, and shares them between threads, processes and forks.

Files use a rollback journal, not a write-ahead log. So an idle connection holds no lock, and SQLite
notices if the file is deleted or replaced.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Condition, Lock
from typing import Any, TypeVar

from lumber_core.errors import StoreError
from lumber_core.storage.database import (
    Database,
    ReadError,
    TableFormat,
    UnusableError,
    VersionError,
    warn_of_older_format,
)

_MIN_PAGE_BYTES = 512  # every SQLite file has at least one page
_MAX_BUSY_SECONDS = 60.0  # how long a file may stay locked
_SQLITE_WAIT_SECONDS = 0.1  # how long SQLite waits for a lock; forks wait for that time, too
_RETRY_SECONDS = 0.01  # between two attempts to lock a file

# SQLite's messages about a damaged file quote its bytes, which may not be valid text.
_FILE_FAULTS = (sqlite3.Error, UnicodeDecodeError)
_FAULTS = (*_FILE_FAULTS, OSError)
_TYPES = {"integer": "INTEGER", "text": "TEXT", "bytes": "BLOB", "only_in_postgres": "--"}
# Parts of SQLite's messages about damaged content, and its message about a failing disk.
_DAMAGE = re.compile("malformed|no such (?:table|column)|decode|constraint failed|mismatch")
_FAILING_DISK = "disk I/O error"
_NO_DATABASE, _FOREIGN_DATABASE = "file is not a database", "it is a database of another program"
T = TypeVar("T")


class _Gate:
    """Keeps forks and transactions apart.

    SQLite counts a process's locks in memory. A child that is forked during a transaction would
    treat its parent's locks as its own.
    """

    def __init__(self) -> None:
        self._turn = Condition(Lock())
        self._open = self._forks = 0

    def enter(self) -> None:
        """Begin a transaction, once no fork is waiting."""
        with self._turn:
            self._turn.wait_for(lambda: not self._forks)
            self._open += 1

    def leave(self) -> None:
        with self._turn:
            self._open -= 1
            self._turn.notify_all()

    def before_fork(self) -> None:
        """Wait for the end of all transactions, and block new ones."""
        self._turn.acquire()
        self._forks += 1
        self._turn.wait_for(lambda: not self._open)

    def after_fork(self, *, child: bool) -> None:
        self._forks = 0 if child else self._forks - 1
        self._turn.notify_all()
        self._turn.release()


_gate = _Gate()
if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(
        before=_gate.before_fork,
        after_in_parent=lambda: _gate.after_fork(child=False),
        after_in_child=lambda: _gate.after_fork(child=True),
    )
_parents_connections: list[sqlite3.Connection] = []  # SQLite forbids even closing them


class _Connection(sqlite3.Connection):
    file: tuple[int, int] | None = None  # see `_file_id`: the file at the path when it was opened

    @property
    def about(self) -> dict[str, bytes]:
        return {name: bytes(value) for name, value in self.execute("SELECT name, value FROM about")}

    def __del__(self) -> None:
        with suppress(sqlite3.Error):  # if the file could not be opened
            self.close()  # Python 3.13 and later warn of unclosed connections


class SqliteDatabase(Database):
    """An SQLite file with the tables of one format.

    Connections are kept open, and a file is checked once in each process. If the file is deleted or
    replaced meanwhile, later transactions use the new file at the path. With `create`, a file that
    does not exist is created. The path of a folder, or of a database in memory, which cannot be
    shared, raises a ValueError.
    """

    path: Path

    def __init__(self, path: str | Path, expected: TableFormat, *, create: bool = True) -> None:
        if str(path) == ":memory:" or "\0" in str(path):
            raise ValueError(f"the path of a store must be that of a file, not {str(path)!r}")
        if os.path.isdir(Path(path)):  # False for a name that is too long
            raise ValueError(f"{str(path)!r} is a folder: pass the path of a file")
        self.path = Path(path).absolute()  # the process may change its folder
        self.name = str(self.path)
        self._format = expected
        self._creates = create
        self._lock = Lock()
        self._process = os.getpid()
        self._free: list[_Connection] = []
        self._file: tuple[int, int] | None = None  # the file that was checked; see `_file_id`

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[_Connection]:
        """Open a transaction. Until it ends, its thread must not open another one or fork."""
        faults: tuple[type[Exception], ...] = _FAULTS
        try:
            connection = _wait_while_busy(partial(self._begin, write))
            try:
                faults = _FILE_FAULTS  # an OSError of the caller is not the file's
                yield connection
                faults = _FAULTS
                if write:  # after waiting for readers in other processes
                    _wait_while_busy(partial(connection.execute, "COMMIT"))
            finally:
                self._end(connection)
        except faults as error:
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> StoreError:
        message = f"the database {self.path} cannot be used: {error}. "
        if isinstance(error, VersionError):
            return UnusableError(message + error.remedy)
        if str(error) in (_NO_DATABASE, _FOREIGN_DATABASE):
            message += "Pass another path, or the path of a file of this library"
            return ReadError(message, UnusableError(message))
        if str(error) == _FAILING_DISK:
            return ReadError(f"{message}Check the disk, and repeat the call")
        if isinstance(error, UnicodeDecodeError) or _DAMAGE.search(str(error)):
            return self.damage_error(error)
        if not self.path.parent.is_dir():
            return StoreError(f"{message}Create it, or pass another path")
        return StoreError(
            f"{message}Free some space or allow writing to the file and its folder, whichever is "
            "missing, or pass another path"
        )

    @property
    def _advice(self) -> str:
        return f"copy it to {self.path}.damaged first, then delete it, and it is built again"

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        _gate.enter()
        try:
            with self._lock:
                self._drop_connections()
        finally:
            _gate.leave()

    def delete(self) -> None:
        """Delete the file; no other object may use it."""
        self._free.clear()
        for path in (self.path, Path(f"{self.path}-journal")):  # a full disk may leave a journal
            with suppress(OSError):
                path.unlink()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(SqliteDatabase, create=self._creates), (self.path, self._format)

    def _begin(self, write: bool) -> _Connection:
        """Return a connection with an open transaction."""
        _gate.enter()
        connection = None
        try:
            connection = self._take_connection()
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            return connection
        except BaseException:
            if connection is None:
                _gate.leave()
            else:
                self._end(connection)
            raise

    def _end(self, connection: _Connection) -> None:
        """Roll back what was not committed, and keep the connection for reuse."""
        try:
            with suppress(*_FAULTS):
                connection.rollback()
            with self._lock:
                if connection.file == self._file and not connection.in_transaction:
                    self._free.append(connection)
                else:
                    connection.close()
        finally:
            _gate.leave()

    def _take_connection(self) -> _Connection:
        with self._lock:
            file = _file_id(self.path)
            if file is None or file != self._file or self._process != os.getpid():
                self._drop_connections()
            if self._free:
                return self._free.pop()
            connection = self._connect()
            try:
                if self._file is None:
                    self._check(connection)
                self._file = connection.file = _file_id(self.path)
            except BaseException:
                connection.close()
                raise
            return connection

    def _drop_connections(self) -> None:
        if self._process == os.getpid():
            for connection in self._free:
                connection.close()
        else:
            _parents_connections.extend(self._free)
        self._free, self._file, self._process = [], None, os.getpid()

    def _connect(self) -> _Connection:
        if not self.path.parent.is_dir():
            raise OSError(f"the folder {self.path.parent} does not exist")
        if self.path.exists():
            # Its content is not read here: closing the file would end the locks of this process.
            if 0 < self.path.stat().st_size < _MIN_PAGE_BYTES:
                # SQLite would read it as an empty database, and overwrite it.
                raise sqlite3.DatabaseError(_NO_DATABASE)
            if Path(f"{self.path}-wal").exists():  # no file of this library has a write-ahead log
                # SQLite would write the log into the file when closing it.
                raise sqlite3.DatabaseError(_FOREIGN_DATABASE)
        elif not self._creates:
            raise OSError(
                "it is temporary, and was deleted with the object that created it, in this process "
                "or in its parent"
            )
        connection = sqlite3.connect(
            self.path,
            timeout=_SQLITE_WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            factory=_Connection,
        )
        # EXTRA also syncs the folder. Otherwise, after a loss of power, it may still contain the
        # journal of a finished transaction, which SQLite would then roll back.
        connection.execute("PRAGMA synchronous = EXTRA")
        # Writing pages before the end of a transaction would block readers until then.
        connection.execute("PRAGMA cache_spill = OFF")
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        """Check, without writing, that this version can use the file; create missing tables."""
        expected = self._format
        connection.execute("BEGIN")  # read one state of the file
        (file_application,) = connection.execute("PRAGMA application_id").fetchone()
        (file_version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        if expected.check_pages:
            (healthy,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if healthy != "ok":
                raise sqlite3.DatabaseError(f"malformed: {healthy}")
        connection.execute("COMMIT")
        if tables and file_application != expected.application:
            raise sqlite3.DatabaseError(_FOREIGN_DATABASE)
        if tables and file_version < expected.version and self._replaces_outdated:
            warn_of_older_format(self.name)
            _drop_tables(connection, expected.version)
            tables = []
        elif tables and file_version != expected.version:
            raise VersionError(file_version, expected)
        if expected.table not in tables:
            connection.executescript(
                f"BEGIN EXCLUSIVE; {expected.schema.format(**_TYPES)}; "
                f"PRAGMA application_id = {expected.application}; "
                f"PRAGMA user_version = {expected.version}; COMMIT;"
            )


def _drop_tables(connection: sqlite3.Connection, version: int) -> None:
    """Drop all tables of a file, unless another process has just written it in this version."""
    connection.execute("BEGIN EXCLUSIVE")
    if connection.execute("PRAGMA user_version").fetchone()[0] < version:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        for (name,) in connection.execute(query).fetchall():
            connection.execute(f'DROP TABLE "{name}"')
        connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("COMMIT")


def _wait_while_busy(action: Callable[[], T]) -> T:
    """Return the result of an action, which is repeated while others hold the lock of the file."""
    deadline = time.monotonic() + _MAX_BUSY_SECONDS
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(_RETRY_SECONDS)


def _file_id(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of the file at a path; None if there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None
