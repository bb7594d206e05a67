"""What becomes of a group about which no usable answer came."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from lumber_core.errors import JudgementError
from lumber_core.lumber.groups import Group
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
        return self._completed(group, self._judge.judge(group))

    async def ajudge(self, group: Group) -> Verdict:
        """Do as `judge`, without blocking the event loop."""
        return self._completed(group, await self._judge.ajudge(group))

    def _completed(self, group: Group, verdict: Verdict) -> Verdict:
        if not verdict.failed:
            return verdict
        if self._on_failure == "raise":
            raise JudgementError(
                f"no usable answer about units {group.start} to {group.stop - 1} "
                f"({verdict.outcome}): {verdict.reason}"
            )
        if self._on_failure == "judge_locally":
            unit = self._local.judge(group).unit
            return replace(verdict, unit=unit, reason=f"{verdict.reason}; judged locally instead")
        unit = group.stop if group.stop in group.choices else None
        return replace(verdict, unit=unit, reason=f"{verdict.reason}; the group was kept whole")

    def __repr__(self) -> str:
        return repr(self._judge)
