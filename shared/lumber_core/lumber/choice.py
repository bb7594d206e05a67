"""Which judge a user's arguments ask for: a model, a judge of their own, or neither."""

from __future__ import annotations

from lumber_core.llms.base import Model
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.judges import Judge, JudgeLike, ModelJudge, as_judge
from lumber_core.lumber.local import local_judge
from lumber_core.lumber.prompt import PromptTemplate


def choose_judge(
    model: Model | None,
    judge: JudgeLike | None,
    prompt: PromptTemplate | None,
    policy: CallPolicy | None = None,
) -> Judge:
    """Return the judge that a splitter's arguments ask for; the bundled model without any.

    Args:
        model: A language model to ask.
        judge: A judge of the user's.
        prompt: What the model is asked, in place of the default.
        policy: How often and how fast the model may be asked.

    Raises:
        ValueError: Both a model and a judge are given, or a prompt or a policy without
            a model.
        TypeError: `judge` cannot judge, or `prompt` is no `PromptTemplate`.
    """
    if model is not None and judge is not None:
        raise ValueError("pass either llm or judge, not both: only one of them can decide")
    if model is not None:
        return ModelJudge(model, prompt, policy=policy)
    if prompt is not None or policy is not None:
        raise ValueError("prompt and policy say how a model is asked: pass llm with them")
    return local_judge() if judge is None else as_judge(judge)
