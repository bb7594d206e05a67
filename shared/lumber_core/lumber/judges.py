"""Judges: who answers which unit of a group starts new content.

A judge may be any function or object of the user's; `as_judge` gives them all one shape. Judges
may be called from several threads or tasks at once when several texts are split together.
"""

from __future__ import annotations

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import replace
from operator import index
from typing import Any

from lumber_core.lumber.answers import Reading, read_answer
from lumber_core.lumber.groups import Group
from lumber_core.lumber.prompt import PromptTemplate
from lumber_core.models.base import Completion, Model
from lumber_core.segmentation import Usage, Verdict

_BLOCKED = ("content_filter", "content-filter", "safety", "refusal", "blocklist", "prohibited")


class Judge(ABC):
    """Answers which unit of a group starts new content."""

    @abstractmethod
    def judge(self, group: Group) -> Verdict:
        """Return the verdict on a group."""

    async def ajudge(self, group: Group) -> Verdict:
        """Return the verdict on a group, without blocking the event loop."""
        return await asyncio.to_thread(self.judge, group)


JudgeLike = Judge | Callable[[Group], Any] | Any
"""A `Judge`, a function from a group to a unit number or None, or an object whose method `judge`
is such a function."""


class ModelJudge(Judge):
    """Asks a language model.

    Args:
        model: The model.
        prompt: What it is asked.
    """

    def __init__(self, model: Model, prompt: PromptTemplate | None = None) -> None:
        if not isinstance(model, Model):
            raise TypeError(
                "model must have the methods complete and acomplete, which "
                f"{type(model).__name__} has not"
            )
        if prompt is not None and not isinstance(prompt, PromptTemplate):
            raise TypeError(f"prompt must be a PromptTemplate, not {type(prompt).__name__}")
        self._model = model
        self._prompt = prompt or PromptTemplate()

    def judge(self, group: Group) -> Verdict:
        """Ask the model about a group."""
        system, user = self._prompt.render(group)
        return self._verdict(group, self._model.complete(system, user, choices=group.choices))

    async def ajudge(self, group: Group) -> Verdict:
        """Ask the model about a group, without blocking the event loop."""
        system, user = self._prompt.render(group)
        completion = await self._model.acomplete(system, user, choices=group.choices)
        return self._verdict(group, completion)

    @staticmethod
    def _verdict(group: Group, completion: Completion) -> Verdict:
        reason = completion.finish_reason
        if any(word in reason.casefold() for word in _BLOCKED):
            reading = Reading(None, "refused", f"the provider blocked the answer: {reason}")
        else:
            reading = read_answer(completion.text, group.choices)
        usage = Usage(1, completion.prompt_tokens, completion.completion_tokens)
        return Verdict(
            group.start,
            group.stop,
            reading.unit,
            reading.outcome,
            reading.reason,
            completion.text,
            usage,
        )

    def __repr__(self) -> str:
        return f"ModelJudge({self._model!r})"


class CallableJudge(Judge):
    """Asks a function of the user's.

    Args:
        function: Takes a group and returns a unit number, None, or a `Verdict`. It may be a
            coroutine function; then only the asynchronous methods of a splitter can use it.
    """

    def __init__(self, function: Callable[[Group], Any]) -> None:
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - the method itself is wanted
        )

    def judge(self, group: Group) -> Verdict:
        """Call the function about a group.

        Raises:
            TypeError: It is a coroutine function.
        """
        if self._is_async:
            raise TypeError("the judge is a coroutine function: use asegment or asegment_all")
        return as_verdict(group, self._function(group))

    async def ajudge(self, group: Group) -> Verdict:
        """Call the function about a group: awaited, or in a thread where it is synchronous."""
        if self._is_async:
            answer: Awaitable[Any] = self._function(group)
            return as_verdict(group, await answer)
        return await super().ajudge(group)

    def __repr__(self) -> str:
        return f"CallableJudge({getattr(self._function, '__qualname__', self._function)!r})"


def as_judge(judge: JudgeLike) -> Judge:
    """Give a user's judge the shape of `Judge`.

    Raises:
        TypeError: It is neither callable nor has a method `judge`.
    """
    if isinstance(judge, Judge):
        return judge
    method = getattr(judge, "judge", None)
    if callable(method) and not isinstance(judge, type):
        return CallableJudge(method)
    if callable(judge) and not isinstance(judge, type):
        return CallableJudge(judge)
    raise TypeError(
        "judge must be callable with a group, returning a unit number or None, or have a method "
        f"judge that is; got {judge!r}"
    )


def as_verdict(group: Group, answer: object) -> Verdict:
    """Turn what a user's judge returned into a verdict; nothing it returns can raise."""
    usage = Usage(calls=1)
    if isinstance(answer, Verdict):
        verdict = replace(answer, start=group.start, stop=group.stop)
        if verdict.failed:
            return replace(verdict, usage=verdict.usage if verdict.usage.calls else usage)
        if verdict.unit is None or verdict.unit in group.choices:
            return verdict
        answer, usage = verdict.unit, verdict.usage
    if answer is None:
        return Verdict(group.start, group.stop, None, "no_shift", usage=usage)
    try:
        unit = index(answer)  # type: ignore[arg-type]  # numpy's integers are welcome
    except TypeError:
        reason = f"the judge returned {type(answer).__name__}, not a unit number or None"
        return Verdict(group.start, group.stop, None, "unreadable", reason, usage=usage)
    if isinstance(answer, bool) or unit not in group.choices:
        reason = f"the judge named {answer!r}, which is none of {group.choices}"
        return Verdict(group.start, group.stop, None, "outside", reason, usage=usage)
    return Verdict(group.start, group.stop, unit, "shift", usage=usage)
