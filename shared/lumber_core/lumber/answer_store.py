"""Stored verdicts: a group that was judged is never paid for again.

The key of a verdict is what determines it: the judge, the choices and the texts of the group. Unit
numbers are not part of it, so answers survive edits elsewhere in a document, and equal groups in
different documents share an answer.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, TypeVar

from lumber_core.cache import Cache, digest
from lumber_core.concurrency import SingleFlight, start_in_thread, until_finished
from lumber_core.errors import StoreError
from lumber_core.forks import renew_after_fork
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge, checked
from lumber_core.lumber.shared_store import SharedCache, SharedStore
from lumber_core.row_store import RowStore, read_row
from lumber_core.segmentation import FAILURES, OUTCOMES, Usage, Verdict, read_usage

logger = logging.getLogger(__name__)

T = TypeVar("T")

_PAUSE = 10.0  # times as long as a failed attempt took
_LONGEST_PAUSE = 60.0
_READS = 6
_BETWEEN_READS = 0.1


class AnswerStore(RowStore[Cache | SharedCache]):
    """Verdicts in an SQLite file or a shared store, safe to share between threads and processes.

    Args:
        store: The path of a file, created on first use if it does not exist; or a store that
            several machines share: a `BaseStore` of LangChain, a `BaseKVStore` of LlamaIndex, or a
            function that returns one (see `SharedCache`).

    Raises:
        TypeError: `store` is none of these.
        StoreError: On first use, if the store cannot be reached, or the file is damaged, belongs to
            another program or has another format version. The file is left unchanged.
    """

    _row: ClassVar[str] = "verdict"

    def __init__(self, store: str | Path | SharedStore) -> None:
        kind = "verdicts"
        super().__init__(
            Cache(store, kind) if isinstance(store, str | Path) else SharedCache(store, kind)
        )
        self._start()

    def _start(self) -> None:
        self._writing = Lock()
        self._unsaved: dict[str, bytes] = {}
        self._reads, self._writes = _Attempts(), _Attempts()
        self._reached = False
        renew_after_fork(self, AnswerStore._start)

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
        name = key(judge, group)
        reads = 1 if isinstance(self._cache, Cache) else _READS
        while True:
            value = self._value(name)
            if value is None:
                return None
            reads -= 1
            try:
                with self._readable():
                    return _read(read_row(value), group)
            except StoreError:
                # Some stores keep values in files; another process may have written half of one.
                if not reads:
                    raise
            time.sleep(_BETWEEN_READS)

    def _value(self, name: str) -> bytes | None:
        value = self._unsaved.get(name)
        known = self._reached or bool(self._unsaved)
        if value is not None or (known and not self._reads.due):
            return value
        try:
            value = self._reads.attempt(lambda: self._cache.get(name))
        except StoreError as error:
            if not known:
                raise
            self._reads.warn("the model is asked again for answers that are stored", error)
            return None
        self._reached = True
        return value

    def put(self, judge: str, group: Group, verdict: Verdict) -> None:
        """Store a verdict; when this returns, it is on disk.

        Raises:
            StoreError: The store cannot be written.
        """
        self._cache.put_many({key(judge, group): _row(judge, group, verdict)})

    def keep(self, judge: str, group: Group, verdict: Verdict) -> None:
        """Store a verdict, or keep it in memory while the store cannot be written.

        So no answer of this run is lost to a full disk, to another program that locks the file, or
        to a store that cannot be reached. The first failure is logged as a warning; the store is
        tried again after ten times as long as the attempt took, a minute at most, and by `flush`.
        """
        self._write({key(judge, group): _row(judge, group, verdict)})

    def flush(self) -> None:
        """Write the verdicts that are kept in memory; log a warning if that fails."""
        if self._unsaved:
            self._writes.next = 0.0
            self._write({})
        if self._unsaved:
            logger.warning(
                "%d answers could not be written to %s: the next run will ask for them again",
                len(self._unsaved),
                self.name,
            )

    def _write(self, values: dict[str, bytes]) -> None:
        # One at a time: if one call has waited for a locked file, the next one does not have to.
        with self._writing:
            values = self._unsaved | values
            if self._writes.due:
                try:
                    self._writes.attempt(lambda: self._cache.put_many(values))
                except StoreError as error:
                    self._writes.warn("answers are kept in memory", error)
                else:
                    values, self._reached = {}, True
            self._unsaved = values

    def forget_failures(self) -> int:
        """Remove the verdicts without a usable answer, so that the judge is asked again.

        Returns:
            The number of verdicts removed.
        """
        with self._readable():
            rows = [(name, read_row(value)) for name, value in self._cache.items()]
            failed = [name for name, row in rows if row["outcome"] in FAILURES]
        return self._cache.delete(failed)

    def usage(self) -> Usage:
        """Return what all stored answers cost when they were given."""
        with self._readable():
            rows = (read_row(value) for _, value in self._cache.items())
            return sum((read_usage(row["usage"]) for row in rows), Usage())

    def __getstate__(self) -> dict[str, object]:
        return {"_cache": self._cache}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._start()


class _Attempts:
    """When a failed operation is tried again, and whether its failure has been logged."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._failing = False
        self.next = 0.0

    @property
    def due(self) -> bool:
        """Whether it may be tried now."""
        return time.monotonic() >= self.next

    def attempt(self, action: Callable[[], T]) -> T:
        """Return the result of an action; if it fails, the next attempt is due some time later."""
        begun = time.monotonic()
        try:
            result = action()
        except StoreError:
            now = time.monotonic()
            self.next = now + min(_PAUSE * (now - begun), _LONGEST_PAUSE)
            raise
        self._failing = False
        return result

    def warn(self, consequence: str, error: StoreError) -> None:
        """Log a warning for the first of consecutive failures."""
        with self._lock:
            news, self._failing = not self._failing, True
        if news:
            logger.warning("%s for now: %s", consequence, error)


def key(judge: str, group: Group) -> str:
    """Return the key under which the verdict on a group is stored."""
    first = group.choices.start - group.start
    return digest(judge, str(first), str(len(group.choices)), *group.texts)


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
    if not isinstance(reason, str) or not isinstance(answer, str | None):
        raise TypeError("reason and answer must be strings")
    if outcome not in OUTCOMES:
        raise ValueError(f"unknown outcome {outcome!r}")
    if offset is not None and (
        type(offset) is not int or group.start + offset not in group.choices
    ):
        raise ValueError(f"offset {offset!r} is not a choice of the group")
    unit = None if offset is None else group.start + offset
    reason = _reason_for(reason, start, group)
    return Verdict(group.start, group.stop, unit, outcome, reason, answer)


class CachedJudge(Judge):
    """Looks a group up in a store before it asks a judge, and stores what the judge says.

    A verdict is stored before it is returned, if the store can be written. If two equal groups are
    asked about at the same time, one waits for the other's answer. Stored verdicts have no usage.

    Args:
        judge: The judge; its `identity` is part of the key.
        store: The store.
    """

    def __init__(self, judge: Judge, store: AnswerStore) -> None:
        self._judge = judge
        self._store = store
        self._identity = judge.identity
        self._asked: SingleFlight[Verdict] = SingleFlight()

    @property
    def identity(self) -> str:
        """The identity of the judge behind the store."""
        return self._identity

    def stored(self, group: Group) -> Verdict | None:
        """Return the stored verdict, or None."""
        return self._store.get(self._identity, group)

    def judge(self, group: Group) -> Verdict:
        """Return the stored verdict, or ask for it and store it."""

        def find() -> Verdict:
            verdict = self._store.get(self._identity, group)
            if verdict is None:
                verdict = checked(group, self._judge.judge(group))
                self._keep(group, verdict)
            return verdict

        verdict, mine = self._asked.once(key(self._identity, group), find)
        return verdict if mine else _moved(verdict, group)

    async def ajudge(self, group: Group) -> Verdict:
        """Async version of `judge`."""

        async def find() -> Verdict:
            known = await start_in_thread(self._store.get, self._identity, group)
            return await self._ask(group) if known is None else known

        verdict, mine = await self._asked.aonce(key(self._identity, group), find)
        return verdict if mine else _moved(verdict, group)

    async def _ask(self, group: Group) -> Verdict:
        verdict = checked(group, await self._judge.ajudge(group))
        # An answer that has come is stored even if the caller is cancelled now.
        await until_finished(start_in_thread(self._keep, group, verdict))
        return verdict

    def _keep(self, group: Group, verdict: Verdict) -> None:
        if verdict.outcome != "unavailable":  # no answer was given, so there is none to store
            self._store.keep(self._identity, group, verdict)

    def __getstate__(self) -> dict[str, object]:
        return {"_judge": self._judge, "_store": self._store}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(state["_judge"], state["_store"])  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"{self._judge!r} with {self._store!r}"


def _moved(verdict: Verdict, group: Group) -> Verdict:
    """Return the verdict on an equal group as one on this group, with no usage."""
    unit = None if verdict.unit is None else verdict.unit - verdict.start + group.start
    reason = _reason_for(verdict.reason, verdict.start, group)
    return replace(
        verdict, start=group.start, stop=group.stop, unit=unit, reason=reason, usage=Usage()
    )


def _reason_for(reason: str, start: int, group: Group) -> str:
    """Return the reason for a verdict on an equal group that starts at `start`, for this group."""
    if not reason or start == group.start:
        return reason
    return f"{reason} (of an equal group, which starts at unit {start} of its text)"
