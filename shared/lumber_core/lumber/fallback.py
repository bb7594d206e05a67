"""Which judge decides by default, and what happens if a judge gives no usable answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from lumber_core.errors import JudgementError
from lumber_core.identity import identity_of
from lumber_core.llms.base import Model
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge, JudgeLike, ModelJudge, as_judge, checked
from lumber_core.lumber.prompt import PromptTemplate
from lumber_core.segmentation import Verdict

OnFailure = Literal["judge_locally", "keep_group", "raise"]


def local_judge() -> Judge:
    """Return the judge that runs on this machine at no cost: the bundled BERT."""
    return BertJudge()


def choose_judge(
    model: Model | None,
    judge: JudgeLike | None,
    prompt: PromptTemplate | None,
    policy: CallPolicy | None = None,
) -> Judge:
    """Return the judge that a splitter's arguments ask for; by default the bundled model.

    Args:
        model: A language model.
        judge: A custom judge.
        prompt: The prompt for the model; by default `PromptTemplate()`.
        policy: Retries and rate limits for the model.

    Raises:
        ValueError: Both a model and a judge are given, or a prompt or a policy without a model.
        TypeError: `judge` cannot judge, or `prompt` is not a `PromptTemplate`.
    """
    if model is not None and judge is not None:
        raise ValueError("pass either llm or judge, not both: only one of them can decide")
    if model is not None:
        return ModelJudge(model, prompt, policy=policy)
    if prompt is not None or policy is not None:
        raise ValueError("prompt and policy apply to a model: pass llm with them")
    return local_judge() if judge is None else as_judge(judge)


class FallbackJudge(Judge):
    """Completes the failed verdicts of another judge.

    The verdict stays a failure, with its outcome and reason; only its unit is filled in.

    Args:
        judge: The judge.
        on_failure: "judge_locally" uses the answer of `local`, "keep_group" ends the chunk with
            the group, "raise" raises `JudgementError`.
        local: A judge that costs nothing and always answers.

    Raises:
        ValueError: `on_failure` has another value.
    """

    def __init__(self, judge: Judge, on_failure: OnFailure, local: Judge) -> None:
        if on_failure not in ("judge_locally", "keep_group", "raise"):
            raise ValueError(
                f'on_failure must be "judge_locally", "keep_group" or "raise", not {on_failure!r}'
            )
        self._judge = judge
        self._on_failure = on_failure
        self._local = local
        self.waits = judge.waits  # type: ignore[misc]  # an instance takes over its judge's

    @property
    def identity(self) -> str:
        """The identity of the judge, and what happens if it fails."""
        follows: str = self._on_failure
        if follows == "judge_locally":
            follows = f"{follows}, {identity_of(self._local)}"
        return f"{identity_of(self._judge)}|on failure {follows}"

    def judge(self, group: Group) -> Verdict:
        """Return the judge's verdict, completed if it is a failure.

        Raises:
            JudgementError: It is a failure, and `on_failure` is "raise".
        """
        return self._completed(group, checked(group, self._judge.judge(group)))

    def stored(self, group: Group) -> Verdict | None:
        """Return the judge's stored verdict, completed if it is a failure, or None.

        Raises:
            JudgementError: It is a failure, and `on_failure` is "raise".
        """
        verdict = self._judge.stored(group)
        return None if verdict is None else self._completed(group, verdict)

    def _completed(self, group: Group, verdict: Verdict) -> Verdict:
        if not self._asks_locally(group, verdict):
            return self._kept(group, verdict)
        return _with_unit(verdict, self._local.judge(group).unit)

    async def ajudge(self, group: Group) -> Verdict:
        """Async version of `judge`."""
        verdict = checked(group, await self._judge.ajudge(group))
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
