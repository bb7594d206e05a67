"""What happens if a judge refuses, gives an unusable answer, or cannot be reached.

`choose_judge` returns the judge to ask. `GuardedJudge` asks it, stores its verdicts, and applies
the setting `on_failure` to failures.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from lumber_core.calls.deadlines import ask_within, is_for_loop
from lumber_core.calls.threads import SingleFlight
from lumber_core.errors import JudgementError
from lumber_core.llms.model import Model
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.answer_store import AnswerStore, key, move_verdict
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge, JudgeLike, ModelJudge, as_judge, as_verdict
from lumber_core.lumber.prompt import PromptTemplate
from lumber_core.segmentation import Verdict
from lumber_core.support.identity import identity_of

OnFailure = Literal["judge_locally", "keep_group", "raise"]


def choose_judge(
    llm: JudgeLike | None, prompt: PromptTemplate | None, policy: CallPolicy | None
) -> Judge:
    """Return the judge for a splitter's settings; by default the bundled classifier.

    `llm` is a language model of the core, or a custom judge; the other arguments are for a model.
    """
    if isinstance(llm, Model):
        return ModelJudge(llm, prompt, policy=policy)
    if prompt is not None or policy is not None:
        raise ValueError("prompt and policy need a language model: pass llm=... as well")
    return BertJudge() if llm is None else as_judge(llm)


class GuardedJudge(Judge):
    """Asks another judge, and returns a valid verdict for any result of it.

    Stored verdicts are reused, and a new verdict is stored before it is returned. If two equal
    groups are judged at the same time, one waits for the verdict on the other. A failure keeps its
    outcome and reason, and gets the units that `on_failure` (see `LumberChunker`) chooses. The keys
    of a store contain the judge's `identity`.
    """

    def __init__(
        self, judge: Judge, on_failure: OnFailure, store: AnswerStore | None = None
    ) -> None:
        self._judge = judge
        self._on_failure = on_failure
        self._store = store
        self._identity = "" if store is None else judge.identity
        self._asked: SingleFlight[Verdict] = SingleFlight()
        self.waits = judge.waits  # type: ignore[misc]  # overrides the class's value

    @cached_property
    def _local(self) -> Judge:
        return BertJudge()

    @property
    def identity(self) -> str:
        """The identity of the judge, and of the local judge if that replaces failures."""
        action: str = self._on_failure
        if action == "judge_locally":
            action = f"{action}, {identity_of(self._local)}"
        return f"{identity_of(self._judge)}|on failure {action}"

    def find_stored(self, group: Group) -> Verdict | None:
        """Return the verdict if it is stored, or None; errors are those of `judge`."""
        verdict = self._look_up(group)
        return None if verdict is None else self._complete(group, verdict)

    def judge(self, group: Group) -> Verdict:
        """Return the stored verdict, or ask; with `on_failure` "raise", a failure is an error."""
        if group.is_skipped:
            reason = "not asked: the first answers were unusable (CallPolicy.give_up_after)"
            skipped = Verdict(group.start, group.stop, None, "unavailable", reason)
            return self._complete(group, skipped)

        def find() -> Verdict:
            verdict = self._look_up(group)
            if verdict is None:
                verdict = as_verdict(group, self._ask(group))
                # "unavailable" is not stored: there was no answer.
                if verdict.outcome != "unavailable" and self._store is not None:
                    self._store.put(self._identity, group, verdict)
            return verdict

        if self._store is None:
            return self._complete(group, find())
        # Work for an event loop has its own names: other threads must not wait for that loop.
        name = is_for_loop(), key(self._identity, group)
        verdict, is_for_group = self._asked.once(name, find)
        return self._complete(group, verdict if is_for_group else move_verdict(verdict, group))

    def _ask(self, group: Group) -> Verdict:
        judge = self._judge
        if type(judge).ajudge is Judge.ajudge:
            return judge.judge(group)
        return ask_within(None, judge.judge, judge.ajudge, group)  # the class is a user's own

    def _look_up(self, group: Group) -> Verdict | None:
        return None if self._store is None else self._store.get(self._identity, group)

    def _complete(self, group: Group, verdict: Verdict) -> Verdict:
        """Return a verdict; if it is a failure, with the units that `on_failure` chooses."""
        if not verdict.failed:
            return verdict
        if self._on_failure == "raise":
            raise JudgementError(
                f"no usable answer about units {group.start} to {group.stop - 1} "
                f"({verdict.outcome}): {verdict.reason}"
            )
        unit: int | None = None
        starts: tuple[int, ...] = ()
        if self._on_failure == "judge_locally":
            local = self._local.judge(group)
            unit, starts, action = local.unit, local.starts, "judged locally instead"
        elif group.several:
            action = "cut by layout and sizes instead"
        else:
            unit = group.stop if group.stop in group.choices else None
            action = "the group was kept whole"
        return replace(verdict, unit=unit, reason=f"{verdict.reason}; {action}", starts=starts)

    def __reduce__(self) -> tuple[Any, ...]:
        return GuardedJudge, (self._judge, self._on_failure, self._store)

    def __repr__(self) -> str:
        return repr(self._judge)
