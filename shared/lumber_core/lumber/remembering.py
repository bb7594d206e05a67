"""A judge that remembers: what a store knows is not asked again, and nothing twice at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge
from lumber_core.lumber.store import AnswerStore, key
from lumber_core.segmentation import Usage, Verdict
from lumber_core.single_flight import SingleFlight


class CachedJudge(Judge):
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
        self._asked: SingleFlight[Verdict] = SingleFlight()

    @property
    def identity(self) -> str:
        """The identity of the judge behind the store."""
        return self._identity

    def judge(self, group: Group) -> Verdict:
        """Return the stored verdict, or ask for it and store it."""

        def find() -> Verdict:
            verdict = self._store.get(self._identity, group)
            if verdict is None:
                verdict = self._judge.judge(group)
                self._keep(group, verdict)
            return verdict

        verdict, mine = self._asked.once(key(self._identity, group), find)
        return verdict if mine else _moved(verdict, group)

    async def ajudge(self, group: Group) -> Verdict:
        """Do as `judge`, without blocking the event loop."""

        async def find() -> Verdict:
            known = await asyncio.to_thread(self._store.get, self._identity, group)
            return await self._ask(group) if known is None else known

        verdict, mine = await self._asked.aonce(key(self._identity, group), find)
        return verdict if mine else _moved(verdict, group)

    async def _ask(self, group: Group) -> Verdict:
        verdict = await self._judge.ajudge(group)
        # Shielded: once the answer is here it is kept, even if the caller gives up now.
        await asyncio.shield(asyncio.to_thread(self._keep, group, verdict))
        return verdict

    def _keep(self, group: Group, verdict: Verdict) -> None:
        if verdict.outcome != "unavailable":  # no answer was given, so there is none to keep
            self._store.put(self._identity, group, verdict)

    def __getstate__(self) -> dict[str, object]:
        return {"_judge": self._judge, "_store": self._store}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(state["_judge"], state["_store"])  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"{self._judge!r} with {self._store!r}"


def _moved(verdict: Verdict, group: Group) -> Verdict:
    """Return a verdict on an equal group, for this one; it costs nothing more."""
    unit = None if verdict.unit is None else verdict.unit - verdict.start + group.start
    return replace(verdict, start=group.start, stop=group.stop, unit=unit, usage=Usage())
