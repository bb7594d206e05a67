"""Keeping answers on disk, so that none is paid for twice (one SQLite file, one row a verdict).

A verdict is stored under what determines it: who judges, what is asked, and the texts of the
group. The numbers of the group's units do not count, so answers survive edits elsewhere in a
document, and equal groups in different documents share one.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, cast

from lumber_core.errors import StoreError
from lumber_core.lumber.groups import Group
from lumber_core.segmentation import FAILURES, Outcome, Usage, Verdict

_APPLICATION = 0x4C554D42  # "LUMB", in the header of every file of ours
_VERSION = 1
_BUSY_SECONDS = 60.0
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS verdicts (
    key TEXT PRIMARY KEY,
    judge TEXT NOT NULL,
    offset INTEGER,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    answer TEXT,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    stored_at REAL NOT NULL
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
"""


class AnswerStore:
    """Verdicts in an SQLite file, safe under several threads and processes.

    Args:
        path: The file; it is made where it does not exist.

    Raises:
        StoreError: On first use: the file is damaged, was made by a newer version, or is no store
            of answers. It is left as it was.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, judge: str, group: Group) -> Verdict | None:
        """Return the stored verdict on a group, costing nothing; None where there is none."""
        with self._open() as connection:
            row = connection.execute(
                "SELECT offset, outcome, reason, answer FROM verdicts WHERE key = ?",
                (key(judge, group),),
            ).fetchone()
        if row is None:
            return None
        offset, outcome, reason, answer = row
        unit = None if offset is None else group.start + offset
        return Verdict(
            group.start, group.stop, unit, cast(Outcome, outcome), reason, answer, Usage()
        )

    def put(self, judge: str, group: Group, verdict: Verdict) -> None:
        """Store a verdict; when this returns, it is on disk."""
        offset = None if verdict.unit is None else verdict.unit - group.start
        usage = verdict.usage
        with self._open() as connection, connection:
            connection.execute(
                "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key(judge, group),
                    judge,
                    offset,
                    verdict.outcome,
                    verdict.reason,
                    verdict.answer,
                    usage.prompt_tokens,
                    usage.completion_tokens,
                    usage.calls,
                    time.time(),
                ),
            )

    def forget_failures(self) -> int:
        """Drop the verdicts that hold no usable answer, so that they are asked for again.

        Returns:
            How many there were.
        """
        marks = ", ".join("?" * len(FAILURES))
        with self._open() as connection, connection:
            statement = f"DELETE FROM verdicts WHERE outcome IN ({marks})"
            return connection.execute(statement, sorted(FAILURES)).rowcount

    def usage(self) -> Usage:
        """Return what all stored answers cost when they were given."""
        with self._open() as connection:
            row = connection.execute(
                "SELECT total(calls), total(prompt_tokens), total(completion_tokens) FROM verdicts"
            ).fetchone()
        return Usage(*(int(value) for value in row))

    def __len__(self) -> int:
        with self._open() as connection:
            (count,) = connection.execute("SELECT count(*) FROM verdicts").fetchone()
        return int(count)

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
        return f"AnswerStore({str(self._path)!r})"

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
            if connection.execute("PRAGMA user_version").fetchone() == (0,):
                connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def _check(self) -> None:
        """Look at the file without writing to it.

        Raises:
            StoreError: It is not a store that this version can use.
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


def key(judge: str, group: Group) -> str:
    """Return the digest of what determines the verdict on a group."""
    digest = hashlib.sha256()
    first = group.choices.start - group.start
    for part in (judge, str(first), str(len(group.choices)), *group.texts):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()
