"""Judges: they decide which unit of a group starts new content.

A judge may also be a custom function or object: `as_judge` wraps it. Several threads or tasks may
call a judge at the same time.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from functools import partial
from operator import index
from typing import Any, ClassVar

from lumber_core.calls.deadlines import ask_within, run_for_loop
from lumber_core.errors import ModelUnavailableError
from lumber_core.llms.error_kinds import is_blocked, is_cut
from lumber_core.llms.model import Completion, Model, check_model
from lumber_core.llms.retry import CallPolicy, RetryingModel, ask_until_usable
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.prompt import (
    WINDOW_SYSTEM,
    WINDOW_USER,
    PromptTemplate,
    possible_answers,
    strict_request,
)
from lumber_core.segmentation import FAILURES, OUTCOMES, UNUSABLE, ParsedAnswer, Usage, Verdict
from lumber_core.support.identity import safe_repr


class Judge(ABC):
    """Decides which unit of a group starts new content.

    Subclass it for a judge that returns reasons. If unit numbers are enough, pass `LumberChunker` a
    function from a `Group` to the number or None.
    """

    waits: ClassVar[bool] = True
    """Whether a judge mostly waits, so that judging several groups at the same time is faster."""

    @property
    def identity(self) -> str:
        """Everything that determines its verdicts; part of cache keys, without credentials."""
        return repr(self)

    @abstractmethod
    def judge(self, group: Group) -> Verdict:
        """Return the verdict on a group."""

    async def ajudge(self, group: Group) -> Verdict:
        """Async version of `judge`."""
        return await run_for_loop(self.judge, group)


JudgeLike = Judge | Callable[[Group], Any] | Any
"""A `Judge`, a `Model`, a function that takes a group and returns a unit number or None (a list of
unit numbers for a `UnitWindow`), or an object with such a method `judge`."""


class ModelJudge(Judge):
    """Asks a language model, with your own prompt and policy.

    A model that is passed to `LumberChunker` directly gets the default prompt and policy.

    Args:
        model: A model of `lumber_core.llms`, or any object with the methods of `Model`.
        prompt: The prompt. None: the prompt of this library.
        policy: Retries and rate limits. None: the defaults of `CallPolicy`.

    Raises:
        TypeError: An argument has the wrong type.

    Example:
        >>> from lumber_core.llms import OpenAIModel  # doctest: +SKIP
        >>> prompt = PromptTemplate(user="Where does the story turn? {paragraphs}")
        >>> judge = ModelJudge(OpenAIModel("gpt-4o-mini"), prompt)  # doctest: +SKIP
        >>> LumberChunker(judge, store="answers.db")  # doctest: +SKIP
    """

    def __init__(
        self,
        model: Model,
        prompt: PromptTemplate | None = None,
        *,
        policy: CallPolicy | None = None,
    ) -> None:
        check_model(model)
        if prompt is not None and not isinstance(prompt, PromptTemplate):
            kind = type(prompt)
            raise TypeError(
                f"prompt must be a lumber_core.PromptTemplate, not {kind.__module__}."
                f'{kind.__name__}: PromptTemplate(system="...", user="... {{paragraphs}} ...")'
            )
        if policy is not None and not isinstance(policy, CallPolicy):
            valid = "CallPolicy(**policy)" if isinstance(policy, dict) else "CallPolicy(attempts=6)"
            name = type(policy).__name__
            raise TypeError(f"policy must be a lumber_core.CallPolicy, not {name}: pass {valid}")
        policy = policy or CallPolicy()
        self._model = RetryingModel(model, policy)
        self._has_own_prompt = prompt is not None
        self._prompt = prompt or PromptTemplate()
        self.repeats, self.give_up_after = policy.repeats, policy.give_up_after

    @property
    def identity(self) -> str:
        """The identity of the model and the version of the prompt."""
        return f"{self._model.identity}|prompt {self._prompt.version}"

    def for_windows(self) -> ModelJudge:
        """Return this judge with the default prompt for windows, unless it has a custom prompt."""
        judge = copy(self)
        if not self._has_own_prompt:
            judge._prompt = PromptTemplate(WINDOW_SYSTEM, WINDOW_USER)
        return judge

    def questions(self, group: Group) -> tuple[str, str]:
        """Return the system text and the user text for a group."""
        return self._prompt.render(group)

    def judge(self, group: Group) -> Verdict:
        """Ask the model about a group.

        Raises:
            ModelSettingsError: The model rejects the key, its name or the settings.
            ModelUnavailableError: The model could not be reached, and has never answered.
        """
        system, question = self.questions(group)
        answers = possible_answers(group.choices, several=group.several)
        reply: str | None = None
        usage = Usage()

        def ask(asked: str) -> tuple[ParsedAnswer, str]:
            nonlocal reply, usage
            completion = self._model.complete(system, asked, answers=answers)
            # A custom model may return any object.
            parsed = _read_reply(completion, group)
            reply = text if isinstance(text := getattr(completion, "text", None), str) else None
            tokens = [getattr(completion, f"{kind}_tokens", 0) for kind in ("prompt", "completion")]
            are_counts = all(isinstance(count, int) for count in tokens)
            usage += Usage(1, *tokens) if are_counts else Usage(1)
            return parsed, parsed.reason if parsed.outcome in UNUSABLE else ""

        try:
            request = partial(strict_request, group)
            parsed, _ = ask_until_usable(question, ask, repeats=self.repeats, request=request)
        except ModelUnavailableError as error:
            if not self._model.has_answered:  # a wrong URL, or a server that does not run
                raise
            parsed = ParsedAnswer((), "unavailable", str(error))
        return _make_verdict(group, parsed, reply, usage)

    def __repr__(self) -> str:
        return f"ModelJudge({self._model!r}, prompt={self._prompt.version!r})"


class CallableJudge(Judge):
    """Calls a custom function from a group to a unit number, None or a `Verdict`.

    The result is not checked here. A coroutine function works only with the asynchronous methods of
    a splitter.
    """

    def __init__(self, function: Callable[[Group], Any]) -> None:
        self._function = function
        owner = getattr(function, "__self__", function)
        self._identity: str | None = getattr(owner, "identity", None)
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - the method itself is read
        )

    @property
    def identity(self) -> str:
        """The attribute `identity` of the function or object, or a ValueError if it has none."""
        if not isinstance(self._identity, str) or not self._identity:
            raise ValueError(
                "a store needs the judge's identity: give the judge an attribute `identity`, a "
                "string that changes whenever its answers may change"
            )
        return self._identity

    def judge(self, group: Group) -> Verdict:
        """Call the function; asynchronous methods of a splitter await a coroutine function.

        If there is no event loop for a coroutine function, a TypeError is raised.
        """
        if self._is_async:
            return ask_within(None, _refuse, self._function, group)  # type: ignore[no-any-return]
        return self._function(group)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        value = self._function if hasattr(self._function, "__qualname__") else type(self._function)
        return f"CallableJudge({value.__qualname__!r})"


def _refuse(_group: Group) -> Verdict:
    raise TypeError("the judge is a coroutine function: use an asynchronous method to split")


def as_judge(judge: JudgeLike) -> Judge:
    """Return a `Judge` for a user's argument; raise a TypeError if it cannot judge."""
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, Model):
        return ModelJudge(judge)
    for function in (getattr(judge, "judge", None), judge):
        if callable(function) and not isinstance(judge, type):
            return CallableJudge(function)
    # Data are shown by their type only: a string may be a key.
    kind = safe_repr(judge) if isinstance(judge, type) else type(judge).__name__
    raise TypeError(
        "a judge must be a language model, a function from a group to a unit number or None, or an "
        f"object with such a method `judge`; got {kind}{_hint(judge)}"
    )


def _hint(judge: object) -> str:
    """Return a hint if the judge is a model's name or a framework's model, else ""."""
    if isinstance(judge, str):
        return ": for a model's name pass a model, such as lumber_core.llms.OpenAIModel(name)"
    for module, splitter in (
        ("langchain", "langchain_lumber.LumberTextSplitter"),
        ("llama_index", "llamaindex_lumber.LumberNodeParser"),
    ):
        if any(base.__module__.startswith(module) for base in type(judge).__mro__):
            return f": pass it to {splitter}(llm=...)"
    return ""


def as_verdict(group: Group, answer: object) -> Verdict:
    """Return a judge's answer as a verdict that names only choices of the group.

    The answer is a verdict, or the result of a custom function: a unit number or None, or a list of
    unit numbers for a window.
    """
    if not isinstance(answer, Verdict):
        return _make_verdict(group, _read_units(group, answer), None, Usage(calls=1))
    if not (
        isinstance(answer.reason, str)
        and isinstance(answer.answer, str | None)
        and isinstance(answer.usage, Usage)
        and answer.outcome in [*OUTCOMES]  # a list, because the outcome may be unhashable
    ):
        reason = "the judge returned a verdict with a wrong outcome, reason, answer or usage"
        return _make_verdict(group, ParsedAnswer(reason=reason), None, Usage(calls=1))
    if answer.failed:  # `on_failure` replaces its units
        parsed = ParsedAnswer((), answer.outcome, answer.reason)
    else:
        parsed = _read_units(group, answer.starts if group.several else answer.unit)
        if parsed.outcome not in FAILURES:
            parsed = ParsedAnswer(parsed.starts, answer.outcome, answer.reason)
    return _make_verdict(group, parsed, answer.answer, answer.usage)


def _make_verdict(group: Group, parsed: ParsedAnswer, answer: str | None, usage: Usage) -> Verdict:
    unit, starts = min(parsed.starts, default=None), parsed.starts if group.several else ()
    result = (unit, parsed.outcome, parsed.reason)
    return Verdict(group.start, group.stop, *result, answer, usage, starts)


def _read_reply(completion: Completion, group: Group) -> ParsedAnswer:
    if not isinstance(completion, Completion) or not isinstance(completion.text, str):
        kind = type(getattr(completion, "text", completion)).__name__
        return ParsedAnswer(reason=f"the model returned {kind}, not a Completion with a text")
    if is_blocked(completion.finish_reason):
        reason = f"the provider blocked the answer: {completion.finish_reason}"
        return ParsedAnswer(outcome="refused", reason=reason)
    parsed = group.read(completion.text)
    # A list that was cut off lacks its end, and its last number may be incomplete.
    unusable = parsed.outcome in UNUSABLE or (group.several and parsed.outcome == "shift")
    if unusable and is_cut(completion.finish_reason):
        why = f"it was cut off ({completion.finish_reason}); raise the model's max_tokens"
        return ParsedAnswer(reason=f"{parsed.reason}; {why}")
    return parsed


def _read_units(group: Group, answer: object) -> ParsedAnswer:
    """Return the units in a custom judge's result, which may be numpy integers."""
    try:
        answers: list[Any] = [] if answer is None else [*answer] if group.several else [answer]  # type: ignore[misc]
        if any(isinstance(unit, bool) for unit in answers):
            raise TypeError
        units = sorted(set(map(index, answers)))
    except TypeError:
        form = "a list of unit numbers" if group.several else "a unit number"
        kind = type(answer).__name__
        return ParsedAnswer(reason=f"the judge returned {kind}, not {form} or None")
    for unit in units:
        if unit not in group.choices:
            reason = f"the judge named {unit}, which is not in {group.choices}"
            return ParsedAnswer(outcome="outside", reason=reason)
    return ParsedAnswer((*units,), "shift" if units else "no_shift")
