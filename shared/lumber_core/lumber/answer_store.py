"""Stored verdicts: a group that was judged is never paid for again.

The key of a verdict is what determines it: the judge, the choices and the texts of the group. Unit
numbers are not part of it, so answers survive edits elsewhere in a document, and equal groups in
different documents share an answer.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from glob import escape
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from lumber_core.errors import StoreError
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import as_verdict
from lumber_core.lumber.shared_store import SharedCache, SharedStore
from lumber_core.lumber.unit_windows import UnitWindow
from lumber_core.segmentation import FAILURES, Usage, Verdict, read_usage
from lumber_core.support.cache import Cache, KeyValueCache, digest, read_row
from lumber_core.support.forks import renew_after_fork

logger = logging.getLogger(__name__)

_KIND = "verdicts"
_UNSAVED = ".unsaved-"
_ID_LENGTH = 12
_PAUSE = 10.0  # times as long as a failed attempt took
_LONGEST_PAUSE = 60.0


class AnswerStore:
    """Verdicts in an SQLite file or a shared store, safe to share between threads and processes.

    Args:
        store: The path of a file, created on first use if it does not exist; or a store that
            several machines share: a `BaseStore` of LangChain, a `BaseKVStore` of LlamaIndex, or a
            function that returns one (see `SharedCache`).

    Answers that could not be written to a file when a run ended are beside it, in a file whose name
    goes on with `.unsaved-`; they are read in, and that file removed, on first use.

    Raises:
        TypeError: `store` is none of these.
        StoreError: On first use, if the store cannot be reached, or the file cannot be read and
            written, belongs to another program or has another format version.
    """

    def __init__(self, store: str | Path | SharedStore) -> None:
        self._cache: KeyValueCache = (
            Cache(store, _KIND) if isinstance(store, str | Path) else SharedCache(store, _KIND)
        )
        self._start()

    def _start(self) -> None:
        self._writing = Lock()
        self._unsaved: dict[str, bytes] = {}
        self._reads = _Attempts("the model is asked again for answers that are stored")
        self._writes = _Attempts("answers are kept in memory")
        self._worked = False
        self._id = uuid4().hex[:_ID_LENGTH]
        self._aside: Path | None = None
        renew_after_fork(self, AnswerStore._start)

    def open(self) -> None:
        """Open the store now, so that a problem with it raises before any work.

        Raises:
            StoreError: As on first use.
        """
        self._cache.open()
        self._take_over()

    def close(self) -> None:
        """Close the file, if it is one. The next use opens it again."""
        self._cache.close()

    def get(self, judge: str, group: Group) -> Verdict | None:
        """Return the stored verdict on a group, with no usage, or None.

        If the store has worked before and cannot be read now, a warning says so, and what is in it
        counts as unknown for ten times as long as the failed attempt took, a minute at most.

        Args:
            judge: The judge's identity.
            group: The group.

        Raises:
            StoreError: The store has never worked, or the entry cannot be read.
        """
        value = self._value(key(judge, group))
        if value is None:
            return None
        with self._cache.reading("verdict"):
            return _read(read_row(value), group)

    def _value(self, name: str) -> bytes | None:
        if (value := self._unsaved.get(name)) is not None:
            return value
        if not self._worked and not self._unsaved:
            self.open()
            value = self._cache.get(name)
            self._worked = True
        elif self._reads.due:
            with self._reads.attempt():
                value = self._cache.get(name)
        return value

    def keep(self, judge: str, group: Group, verdict: Verdict) -> None:
        """Store a verdict, or keep it in memory while the store cannot be written.

        So no answer of this run is lost to a full disk, to another program that locks the file, or
        to a store that cannot be reached. The first failure is logged as a warning; the store is
        tried again after ten times as long as the attempt took, a minute at most, and by `flush`.
        """
        self._unsaved[key(judge, group)] = _row(judge, group, verdict)
        self._write()

    def flush(self) -> None:
        """Write the verdicts that are kept in memory.

        If that fails, they are written to a file beside the store, which the next run reads in, and
        a warning names it. If that fails too, or the store is no file, a warning says so.
        """
        if self._unsaved:
            self._writes.next = 0.0
            self._write()
        if not self._unsaved:
            return
        with self._writing:
            values = self._unsaved.copy()
            kept = self._put_aside(values)
        logger.warning(
            "%d answers could not be written to %s%s", len(values), self._cache.name, kept
        )

    def _put_aside(self, values: Mapping[str, bytes]) -> str:
        """Write values to a file beside the store, and return what becomes of them."""
        lost = ": the next run will ask for them again"
        if not isinstance(self._cache, Cache):
            return lost
        path = self._cache.path.with_name(f"{self._cache.path.name}{_UNSAVED}{self._id}")
        beside = Cache(path, _KIND)
        try:
            beside.put_many(values)
            self._aside = path
        except StoreError as error:
            return f", nor beside it ({error}){lost}"
        finally:
            beside.close()
        return f". They are in {path}, which the next run reads in"

    def _take_over(self) -> None:
        """Write what is in the files beside the store into it, and remove these files."""
        if not isinstance(self._cache, Cache):
            return
        pattern = escape(f"{self._cache.path.name}{_UNSAVED}") + "[0-9a-f]" * _ID_LENGTH
        for left in sorted(self._cache.path.parent.glob(pattern)):
            beside = Cache(left, _KIND)
            self._cache.put_many(dict(beside.items()))
            beside.close()
            left.unlink(missing_ok=True)  # another process may have done the same

    def _write(self) -> None:
        # One at a time, for all: if one call has waited for the disk or for a locked file, those
        # that came meanwhile are written together, or do not have to wait.
        with self._writing:
            values = self._unsaved.copy()
            if values and self._writes.due:
                with self._writes.attempt():
                    self._cache.put_many(values)
                    self._worked = True
                    for name in values:
                        del self._unsaved[name]
                    if self._aside is not None:
                        self._aside.unlink(missing_ok=True)

    def forget_failures(self) -> int:
        """Remove the verdicts without a usable answer, so that the judge is asked again.

        Returns:
            The number of verdicts removed.
        """
        self._take_over()
        with self._cache.reading("verdict"):
            rows = [(name, read_row(value)) for name, value in self._cache.items()]
            failed = [name for name, row in rows if row["outcome"] in FAILURES]
        self._cache.delete(failed)
        return len(failed)

    def usage(self) -> Usage:
        """Return what all stored answers cost when they were given."""
        self._take_over()
        with self._cache.reading("verdict"):
            rows = (read_row(value) for _, value in self._cache.items())
            return sum((read_usage(row["usage"]) for row in rows), Usage())

    def __len__(self) -> int:
        self._take_over()
        return len(self._cache)

    def __getstate__(self) -> dict[str, object]:
        return {"_cache": self._cache}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._start()

    def __repr__(self) -> str:
        return f"AnswerStore({self._cache.name!r})"


class _Attempts:
    """When an operation that failed is tried again.

    Args:
        consequence: What follows from a failure; logged for the first of consecutive ones.
    """

    def __init__(self, consequence: str) -> None:
        self._consequence = consequence
        self._failing = False
        self.next = 0.0

    @property
    def due(self) -> bool:
        """Whether it may be tried now."""
        return time.monotonic() >= self.next

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Try it; if it fails, the next attempt is due some time later."""
        begun = time.monotonic()
        try:
            yield
            self._failing = False
        except StoreError as error:
            now = time.monotonic()
            self.next = now + min(_PAUSE * (now - begun), _LONGEST_PAUSE)
            news, self._failing = not self._failing, True
            if news:
                logger.warning("%s for now: %s", self._consequence, error)


def key(judge: str, group: Group) -> str:
    """Return the key under which the verdict on a group is stored."""
    first = group.choices.start - group.start
    kind = ["window"] if isinstance(group, UnitWindow) else []
    return digest(judge, *kind, str(first), str(len(group.choices)), *group.texts)


def _row(judge: str, group: Group, verdict: Verdict) -> bytes:
    """Return what is stored about a verdict."""
    row = {
        "judge": judge,
        "start": group.start,
        "offset": None if verdict.unit is None else verdict.unit - group.start,
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "answer": verdict.answer,
        "usage": asdict(verdict.usage),
    }
    if verdict.scores:
        row["scores"] = verdict.scores
    return json.dumps(row).encode()


def _read(row: dict[str, Any], group: Group) -> Verdict:
    """Return the verdict that a stored row holds.

    Raises:
        ValueError: The row does not fit the group.
        KeyError: A field is missing.
        TypeError: A field has another type.
    """
    start, offset, outcome, reason, answer = (
        row[name] for name in ("start", "offset", "outcome", "reason", "answer")
    )
    if any(type(number) is not int for number in (start, offset or 0)):
        raise TypeError("start and offset must be whole numbers")
    unit = None if offset is None else start + offset
    scores = tuple(map(float, row.get("scores", ())))
    stored = Verdict(start, start + len(group), unit, outcome, reason, answer, scores=scores)
    verdict = moved(stored, group)
    if as_verdict(group, verdict) != verdict:
        raise ValueError("it does not fit the group")
    return verdict


def moved(verdict: Verdict, group: Group) -> Verdict:
    """Return the verdict on an equal group as one on this group, with no usage."""
    unit, reason = verdict.unit, verdict.reason
    if unit is not None:
        unit += group.start - verdict.start
    if reason and verdict.start != group.start:
        reason += f" (of an equal group, which starts at unit {verdict.start} of its text)"
    return replace(
        verdict, start=group.start, stop=group.stop, unit=unit, reason=reason, usage=Usage()
    )
