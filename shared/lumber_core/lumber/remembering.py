"""A judge that remembers: what a store knows is not asked again, and nothing twice at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock

from lumber_core.lumber.groups import Group
from lumber_core.lumber.judges import Judge
from lumber_core.lumber.store import AnswerStore, key
from lumber_core.segmentation import Usage, Verdict


class RememberingJudge(Judge):
    """Looks into a store before it asks a judge, and stores what the judge says.

    A verdict is on disk before it is returned. Where two equal groups are in question at the same
    moment, one of them waits for the other's answer. Verdicts from the store cost nothing.

    Args:
        judge: The judge; its `identity` is part of the key.
        store: Where verdicts are kept.
    """

    def __init__(self, judge: Judge, store: AnswerStore) -> None:
        self._judge = judge
        self._store = store
        self._identity = judge.identity
        self._lock = Lock()
        self._asked: dict[str, Future[Verdict]] = {}

    @property
    def identity(self) -> str:
        """The identity of the judge behind the store."""
        return self._identity

    def judge(self, group: Group) -> Verdict:
        """Return the stored verdict, or ask for it and store it."""
        name = key(self._identity, group)
        while True:
            future, mine = self._claim(name)
            if not mine:
                verdict = _waited_for(future)
                if verdict is None:
                    continue
                return _moved(verdict, group)
            try:
                verdict = self._store.get(self._identity, group)
                if verdict is None:
                    verdict = self._judge.judge(group)
                    self._keep(group, verdict)
            except BaseException as error:
                self._fail(name, future, error)
                raise
            self._settle(name, future, verdict)
            return verdict

    async def ajudge(self, group: Group) -> Verdict:
        """Do as `judge`, without blocking the event loop."""
        name = key(self._identity, group)
        while True:
            future, mine = self._claim(name)
            if not mine:
                try:
                    verdict = await asyncio.wrap_future(future)
                except _Abandoned:
                    continue
                return _moved(verdict, group)
            try:
                known = await asyncio.to_thread(self._store.get, self._identity, group)
                verdict = await self._ask(group) if known is None else known
            except BaseException as error:
                self._fail(name, future, error)
                raise
            self._settle(name, future, verdict)
            return verdict

    async def _ask(self, group: Group) -> Verdict:
        verdict = await self._judge.ajudge(group)
        # Shielded: once the answer is here it is kept, even if the caller gives up now.
        await asyncio.shield(asyncio.to_thread(self._keep, group, verdict))
        return verdict

    def _keep(self, group: Group, verdict: Verdict) -> None:
        if verdict.outcome != "unavailable":  # no answer was given, so there is none to keep
            self._store.put(self._identity, group, verdict)

    def _claim(self, name: str) -> tuple[Future[Verdict], bool]:
        """Return the future of a verdict, and whether the caller is the one to find it."""
        with self._lock:
            future = self._asked.get(name)
            if future is not None:
                return future, False
            future = self._asked[name] = Future()
            return future, True

    def _settle(self, name: str, future: Future[Verdict], verdict: Verdict) -> None:
        with self._lock:
            del self._asked[name]
        future.set_result(verdict)

    def _fail(self, name: str, future: Future[Verdict], error: BaseException) -> None:
        with self._lock:
            del self._asked[name]
        # Who waits for it should ask for itself, rather than inherit a cancellation.
        future.set_exception(error if isinstance(error, Exception) else _Abandoned())

    def __getstate__(self) -> dict[str, object]:
        return {"_judge": self._judge, "_store": self._store}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(state["_judge"], state["_store"])  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"{self._judge!r} with {self._store!r}"


class _Abandoned(Exception):  # noqa: N818 - it is no error, only a sign between callers
    """Whoever was asking gave up."""


def _waited_for(future: Future[Verdict]) -> Verdict | None:
    try:
        return future.result()
    except _Abandoned:
        return None


def _moved(verdict: Verdict, group: Group) -> Verdict:
    """Return a verdict on an equal group, for this one; it costs nothing more."""
    unit = None if verdict.unit is None else verdict.unit - verdict.start + group.start
    return replace(verdict, start=group.start, stop=group.stop, unit=unit, usage=Usage())
