"""Keeping answers on disk, so that none is paid for twice (one SQLite file, one row a verdict).

A verdict is stored under what determines it: who judges, what is asked, and the texts of the
group. The numbers of the group's units do not count, so answers survive edits elsewhere in a
document, and equal groups in different documents share one.
"""

from __future__ import annotations

import time
from typing import ClassVar, cast

from lumber_core.lumber.grouping import Group
from lumber_core.segmentation import FAILURES, Outcome, Usage, Verdict
from lumber_core.sqlite_file import SqliteFile, digest


class AnswerStore(SqliteFile):
    """Verdicts in an SQLite file, safe under several threads and processes.

    Args:
        path: The file; it is made where it does not exist.

    Raises:
        StoreError: On first use: the file is damaged, was made by a newer version, or belongs to
            another program. It is left as it was.
    """

    _table: ClassVar[str] = "verdicts"
    _columns: ClassVar[str] = """
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
    """

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


def key(judge: str, group: Group) -> str:
    """Return the digest of what determines the verdict on a group."""
    first = group.choices.start - group.start
    return digest((judge, str(first), str(len(group.choices)), *group.texts))
