"""What becomes of a group about which no usable answer came."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from lumber_core.errors import JudgementError
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge
from lumber_core.segmentation import Verdict

OnFailure = Literal["judge_locally", "keep_group", "raise"]


class FallbackJudge(Judge):
    """Asks a judge, and where it fails does as told.

    The verdict stays a failure, with its outcome and reason; only its unit is filled in.

    Args:
        judge: The judge.
        on_failure: "judge_locally" asks `local`; "keep_group" ends the chunk with the group;
            "raise" raises `JudgementError`.
        local: A judge that costs nothing and always answers.

    Raises:
        ValueError: `on_failure` is none of these.
    """

    def __init__(self, judge: Judge, on_failure: OnFailure, local: Judge) -> None:
        if on_failure not in ("judge_locally", "keep_group", "raise"):
            raise ValueError(
                f'on_failure must be "judge_locally", "keep_group" or "raise", not {on_failure!r}'
            )
        self._judge = judge
        self._on_failure = on_failure
        self._local = local
        self.waits = judge.waits  # type: ignore[misc]  # as the judge that is asked

    @property
    def identity(self) -> str:
        """The identity of the judge that is asked."""
        return self._judge.identity

    def judge(self, group: Group) -> Verdict:
        """Return the judge's verdict, completed where it is a failure.

        Raises:
            JudgementError: It is a failure, and `on_failure` is "raise".
        """
        verdict = self._judge.judge(group)
        if not self._asks_locally(group, verdict):
            return self._kept(group, verdict)
        return _with_unit(verdict, self._local.judge(group).unit)

    async def ajudge(self, group: Group) -> Verdict:
        """Do as `judge`, without blocking the event loop."""
        verdict = await self._judge.ajudge(group)
        if not self._asks_locally(group, verdict):
            return self._kept(group, verdict)
        return _with_unit(verdict, (await self._local.ajudge(group)).unit)

    def _asks_locally(self, group: Group, verdict: Verdict) -> bool:
        if verdict.failed and self._on_failure == "raise":
            raise JudgementError(
                f"no usable answer about units {group.start} to {group.stop - 1} "
                f"({verdict.outcome}): {verdict.reason}"
            )
        return verdict.failed and self._on_failure == "judge_locally"

    def _kept(self, group: Group, verdict: Verdict) -> Verdict:
        """Return a usable verdict as it is; let a failure end the chunk with the group."""
        if not verdict.failed:
            return verdict
        unit = group.stop if group.stop in group.choices else None
        return replace(verdict, unit=unit, reason=f"{verdict.reason}; the group was kept whole")

    def __repr__(self) -> str:
        return repr(self._judge)


def _with_unit(verdict: Verdict, unit: int | None) -> Verdict:
    return replace(verdict, unit=unit, reason=f"{verdict.reason}; judged locally instead")
