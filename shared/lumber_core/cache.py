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
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Lock, get_ident
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from lumber_core.errors import StoreError
from lumber_core.forks import renew_after_fork

logger = logging.getLogger(__name__)

_APPLICATION = 0x4C554D42  # "LUMB", in the header of every file of this library
CACHE_FORMAT = 2
"""The version of what caches hold; another one is not read."""
_BUSY_SECONDS = 60.0
_RETRY_SECONDS = 0.01
_FORK_SECONDS = 1.0
# SQLite's messages about a damaged file quote its bytes, which may not be valid text.
_FAULTS = (sqlite3.Error, UnicodeDecodeError)
_SMALLEST_PAGE = 512  # bytes
_KEYS_AT_ONCE = 500  # SQLite accepts at least 999 parameters in a statement


_FileId: TypeAlias = tuple[int, int]


class _State(NamedTuple):
    """What changes when another process creates, writes or closes a file."""

    has_log: bool
    modified: int
    size: int


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
        self._file: _FileId | None = None
        renew_after_fork(self, _renew)
        _caches[self] = None

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
            except _FAULTS as error:
                raise StoreError(
                    f"the store {self._path} cannot be used: {error}. Move it away, or pass "
                    "another path"
                ) from error

    def _current(self) -> sqlite3.Connection:
        """Return a connection to the file that is at the path now."""
        old, file = self._connection, _file_at(self._path)
        if old is not None and file == self._file:
            return old
        rows: list[tuple[str, bytes, float]] = []
        if old is not None:
            # Read before connecting: a new database resets the files that SQLite keeps beside it.
            rows = old.execute(f"SELECT key, value, stored_at FROM {self._kind}").fetchall()
        new, now = self._connect()
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

    def _connect(self) -> tuple[sqlite3.Connection, _FileId]:
        """Check the file and connect to it, creating it if it does not exist."""
        deadline = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                before = _file_at(self._path)
                connection = self._created() if before is None else self._checked()
            except sqlite3.OperationalError as error:
                # SQLite reports a lock at once, without its usual wait, where two processes that
                # create a file would wait for each other.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_SECONDS)
                continue
            # If the file was created or replaced meanwhile, it is unknown which one is open.
            if before is not None and before == _file_at(self._path):
                return connection, before
            connection.close()

    def _created(self) -> sqlite3.Connection:
        with _locked(self._path.parent) as locked:
            if locked and not self._path.exists():
                self._remove_leftovers()
            return self._checked()

    def _checked(self) -> sqlite3.Connection:
        self._check()
        return self._prepared()

    def _remove_leftovers(self) -> None:
        """Remove what SQLite kept beside a file that was deleted.

        Processes that have that file open keep theirs. If they and a new file shared them, SQLite
        would fail, or end the process.
        """
        for suffix in ("-wal", "-shm"):
            self._path.with_name(f"{self._path.name}{suffix}").unlink(missing_ok=True)

    def _prepared(self) -> sqlite3.Connection:
        """Return a connection to the file, which then has a table for this kind of value."""
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            known = connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = ?", (self._kind,)
            )
            if known.fetchone() == (0,):
                connection.executescript(
                    "BEGIN IMMEDIATE;"
                    f"CREATE TABLE IF NOT EXISTS {self._kind} "
                    "(key TEXT PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL);"
                    f"PRAGMA application_id = {_APPLICATION};"
                    f"PRAGMA user_version = {CACHE_FORMAT};"
                    "COMMIT;"
                )
        except _FAULTS:
            connection.close()
            raise
        return connection

    def _check(self) -> None:
        """Inspect the file without writing to it.

        Raises:
            StoreError: This version cannot use the file.
        """
        folder = self._path.parent
        if not folder.is_dir():
            raise StoreError(
                f"the store {self._path} cannot be created: the folder {folder} does not exist"
            )
        # Never opened except by SQLite: closing a file drops the locks that SQLite's connections in
        # this process have on it, and other processes then delete what is still in use.
        size = self._path.stat().st_size if self._path.exists() else 0
        if size == 0:
            return
        if size < _SMALLEST_PAGE:  # SQLite takes it for an empty database, and overwrites it
            raise sqlite3.DatabaseError("file is not a database")
        while True:
            # SQLite creates files beside a database in WAL mode even to read it, unless the
            # database is opened as immutable; that is safe if no process writes to it at the same
            # time.
            before = self._state()
            try:
                self._inspect(immutable=not before.has_log)
            except (*_FAULTS, StoreError):
                if self._state() == before:
                    raise
            else:
                return

    def _state(self) -> _State:
        """Return what changes when another process creates, writes or closes the file."""
        found = self._path.stat()
        log = self._path.with_name(f"{self._path.name}-wal")
        return _State(log.exists(), found.st_mtime_ns, found.st_size)

    def _inspect(self, *, immutable: bool) -> None:
        uri = f"{self._path.absolute().as_uri()}?mode=ro&immutable={int(immutable)}"
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
            raise StoreError(f"{self._path} is a database of another program: pass another path")
        if version != CACHE_FORMAT:
            age = "a newer" if version > CACHE_FORMAT else "an older"
            raise StoreError(
                f"the store {self._path} was written by {age} version of lumber-splitters (format "
                f"{version}; this version reads format {CACHE_FORMAT}): pass another path"
            )


def _file_at(path: Path) -> _FileId | None:
    """Return what identifies the file at a path, or None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


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
    except BlockingIOError:  # `_connect` tries again
        raise sqlite3.OperationalError("its folder is locked by another process") from None
    except OSError:
        return False
    return True


_caches: WeakKeyDictionary[Cache, None] = WeakKeyDictionary()
_held: dict[int, list[Lock]] = {}  # by thread, while it forks
_inherited: list[sqlite3.Connection] = []


def _before_fork() -> None:
    """Close all files, and keep them closed during the fork.

    SQLite in the child would take the locks of the connections it inherits for its own. Then other
    processes delete files that the child uses, and what it puts is lost.
    """
    held = _held.setdefault(get_ident(), [])
    for reference in _caches.keyrefs():  # a copy: other threads make caches meanwhile
        cache = reference()
        if cache is not None and (lock := cache._lock).acquire(timeout=_FORK_SECONDS):
            held.append(lock)
            cache._disconnect()


def _after_fork_in_parent() -> None:
    for lock in _held.pop(get_ident()):
        lock.release()


def _renew(cache: Cache) -> None:
    """Give a cache a lock and, on next use, a connection of its own.

    A connection that another thread kept in use during the fork is kept alive untouched: SQLite
    forbids closing it in the child.
    """
    if cache._connection is not None:
        _inherited.append(cache._connection)
    cache._lock = Lock()
    cache._connection = None


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_held.clear,
    )


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
