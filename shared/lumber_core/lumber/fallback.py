"""Which judge decides by default, and what happens if a judge gives no usable answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Literal

from lumber_core.concurrency import as_async, run_at_once
from lumber_core.errors import JudgementError
from lumber_core.identity import identity_of
from lumber_core.llms.base import Model
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge, JudgeLike, ModelJudge, as_judge, checked
from lumber_core.lumber.prompt import PromptTemplate
from lumber_core.lumber.windows import UnitWindow
from lumber_core.segmentation import Verdict

OnFailure = Literal["judge_locally", "keep_group", "raise"]


def local_judge() -> Judge:
    """Return the judge that runs on this machine at no cost: the bundled model."""
    from lumber_core.lumber.bert_judge import BertJudge

    return BertJudge()


def choose_judge(
    llm: JudgeLike | None, prompt: PromptTemplate | None, policy: CallPolicy | None
) -> Judge:
    """Return the judge that a splitter's settings ask for; by default the bundled model.

    Args:
        llm: A language model of the core, or a custom judge.
        prompt: The prompt for the model; by default `PromptTemplate()`.
        policy: Retries and rate limits for the model.

    Raises:
        ValueError: A prompt or a policy is given without a model.
        TypeError: `llm` cannot judge.
    """
    if isinstance(llm, Model):
        return ModelJudge(llm, prompt, policy=policy)
    if prompt is not None or policy is not None:
        raise ValueError("prompt and policy apply to a language model: pass it as llm with them")
    return local_judge() if llm is None else as_judge(llm)


class FallbackJudge(Judge):
    """Completes the failed verdicts of another judge.

    The verdict stays a failure, with its outcome and reason; its unit is filled in, and the scores
    of a window.

    Args:
        judge: The judge.
        on_failure: "judge_locally" uses the answer of `local`, "keep_group" ends the chunk with
            the group, and cuts a window by layout and sizes, "raise" raises `JudgementError`.
        local: A judge that costs nothing and always answers.
    """

    def __init__(self, judge: Judge, on_failure: OnFailure, local: Judge) -> None:
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
        verdict = checked(group, self._judge.judge(group))
        return run_at_once(self._complete(group, verdict, as_async(self._local.judge)))

    def stored(self, group: Group) -> Verdict | None:
        """Return the judge's stored verdict, completed if it is a failure, or None.

        Raises:
            JudgementError: It is a failure, and `on_failure` is "raise".
        """
        verdict = self._judge.stored(group)
        if verdict is None:
            return None
        return run_at_once(self._complete(group, verdict, as_async(self._local.judge)))

    async def ajudge(self, group: Group) -> Verdict:
        """Async version of `judge`."""
        verdict = checked(group, await self._judge.ajudge(group))
        return await self._complete(group, verdict, self._local.ajudge)

    async def _complete(
        self, group: Group, verdict: Verdict, judge_locally: Callable[[Group], Awaitable[Verdict]]
    ) -> Verdict:
        if not verdict.failed:
            return verdict
        if self._on_failure == "raise":
            raise JudgementError(
                f"no usable answer about units {group.start} to {group.stop - 1} "
                f"({verdict.outcome}): {verdict.reason}"
            )
        scores: tuple[float, ...] = ()
        if self._on_failure == "judge_locally":
            local = await judge_locally(group)
            unit, scores, what = local.unit, local.scores, "judged locally instead"
        elif isinstance(group, UnitWindow):
            unit, what = None, "cut by layout and sizes instead"
        else:
            unit, what = (
                group.stop if group.stop in group.choices else None,
                "the group was kept whole",
            )
        return replace(verdict, unit=unit, reason=f"{verdict.reason}; {what}", scores=scores)

    def __repr__(self) -> str:
        return repr(self._judge)
