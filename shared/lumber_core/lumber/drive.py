"""Driving a walk: asking the judge for every group it hands out, until it is done."""

from __future__ import annotations

from lumber_core.lumber.judges import Judge
from lumber_core.lumber.walk import Walk


def drive(walk: Walk, judge: Judge) -> None:
    """Ask the judge, in this thread, until the walk is done."""
    while (group := walk.claim()) is not None:
        walk.record(judge.judge(group))


async def adrive(walk: Walk, judge: Judge) -> None:
    """Ask the judge, awaiting each answer, until the walk is done."""
    while (group := walk.claim()) is not None:
        walk.record(await judge.ajudge(group))
