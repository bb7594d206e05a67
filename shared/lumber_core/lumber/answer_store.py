"""Stores verdicts, so that no group is paid for twice.

The key of a verdict contains all that determines it: the judge, the choices and the texts of the
group. It does not contain unit numbers, so answers survive edits elsewhere in a document, and equal
groups in different documents share an answer.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import as_verdict
from lumber_core.segmentation import FAILURES, OUTCOMES, Usage, Verdict, read_usage
from lumber_core.storage.cache import Cache, KeyValueCache, read_row
from lumber_core.storage.shared_cache import SharedCache, SharedStore
from lumber_core.support.identity import digest

_KIND = "verdicts"


class AnswerStore:
    """Verdicts in an SQLite file or a shared store, safe to share between threads and processes.

    Args:
        store: The path of a file, created on first use if it does not exist; or a store that
            several machines share: a `BaseStore` of LangChain, a `BaseKVStore` of LlamaIndex, or a
            function that returns one (see `SharedCache`).

    Raises:
        TypeError: `store` is none of these.
        StoreError: On any use, if the store cannot be read and written, or the file belongs to
            another program or has another format version.
    """

    def __init__(self, store: str | Path | SharedStore) -> None:
        self._cache: KeyValueCache = (
            Cache(store, _KIND) if isinstance(store, str | Path) else SharedCache(store, _KIND)
        )
        self._opened = False

    def open(self) -> None:
        """Open the store now, so that a problem raises before any work."""
        self._cache.open()
        self._opened = True

    def close(self) -> None:
        """Close the store. The next use opens it again."""
        self._cache.close()

    def get(self, judge: str, group: Group) -> Verdict | None:
        """Return the verdict of the judge with this identity on a group, without usage, or None.

        Raises:
            StoreError: The store or the entry cannot be read.
        """
        if not self._opened:  # a store that cannot be opened raises before a model is paid
            self.open()

        def read() -> Verdict | None:
            value = self._cache.get(key(judge, group))
            return None if value is None else _decode(read_row(value), group)

        return self._cache.read("verdict", read)

    def put(self, judge: str, group: Group, verdict: Verdict) -> None:
        """Store a verdict; it is on disk afterwards.

        Raises:
            StoreError: The store cannot be written.
        """
        row = {
            "judge": judge,
            "start": group.start,
            "offset": None if verdict.unit is None else verdict.unit - group.start,
            "outcome": verdict.outcome,
            "reason": verdict.reason,
            "answer": verdict.answer,
            "usage": asdict(verdict.usage),
        }
        if verdict.starts:
            row["starts"] = [unit - group.start for unit in verdict.starts]
        self._cache.put(key(judge, group), json.dumps(row).encode())

    def forget_failures(self) -> int:
        """Remove the verdicts without a usable answer, so that the judge is asked again.

        Returns:
            The number of verdicts removed.
        """

        def read() -> list[str]:
            rows = [(name, read_row(value)) for name, value in self._cache.items()]
            return [name for name, row in rows if row["outcome"] in FAILURES]

        failed = self._cache.read("verdict", read)
        self._cache.delete(failed)
        return len(failed)

    def usage(self) -> Usage:
        """Return the total cost of all stored answers when they were requested."""

        def read() -> Usage:
            rows = (read_row(value) for _, value in self._cache.items())
            return sum((read_usage(row["usage"]) for row in rows), Usage())

        return self._cache.read("verdict", read)

    def __len__(self) -> int:
        return len(self._cache)

    def __repr__(self) -> str:
        return f"AnswerStore({self._cache.name!r})"


def key(judge: str, group: Group) -> str:
    """Return the key under which the verdict on a group is stored."""
    first = group.choices.start - group.start
    kind = ["window"] if group.several else []
    return digest(judge, *kind, str(first), str(len(group.choices)), *group.texts)


def _decode(row: dict[str, Any], group: Group) -> Verdict:
    """Return the verdict in a row; raise a ValueError, TypeError or KeyError if it is damaged."""
    start, offset, outcome, reason, answer = (
        row[name] for name in ("start", "offset", "outcome", "reason", "answer")
    )
    starts = row.get("starts", [])
    if any(type(number) is not int for number in (start, offset or 0, *starts)):
        raise TypeError("start, offset and starts must be whole numbers")
    if outcome not in OUTCOMES or any(type(text) is not str for text in (reason, answer or "")):
        raise ValueError("the outcome is unknown, or a text has the wrong type")
    unit = None if offset is None else start + offset
    start_units = tuple(start + place for place in starts)
    stored = Verdict(start, start + len(group), unit, outcome, reason, answer, starts=start_units)
    verdict = move_verdict(stored, group)
    if as_verdict(group, verdict) != verdict:
        raise ValueError("it does not fit the group")
    return verdict


def move_verdict(verdict: Verdict, group: Group) -> Verdict:
    """Return the verdict on an equal group with this group's unit numbers, without usage."""
    shift, unit, reason = group.start - verdict.start, verdict.unit, verdict.reason
    if reason and shift:
        reason += f" (of an equal group, which starts at unit {verdict.start} of its text)"
    unit = None if unit is None else unit + shift
    starts = tuple(start + shift for start in verdict.starts)
    moved = replace(verdict, start=group.start, stop=group.stop, unit=unit, starts=starts)
    return replace(moved, reason=reason, usage=Usage())
