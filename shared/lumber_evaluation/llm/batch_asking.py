"""Sends many independent prompts to a language model, several at a time.

If a prompt fails, its result states why; wrong settings, which affect all prompts, raise at once.
With a store, every answer received is stored, even if the run fails.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from tqdm import tqdm

from lumber_core.calls.threads import Stopped, end_sleep_on, wait_for_first
from lumber_core.checks import check_positive
from lumber_core.errors import ModelUnavailableError
from lumber_core.llms.error_kinds import is_blocked, is_cut
from lumber_core.llms.model import Completion, Model
from lumber_core.llms.reasoning import describe_missing_answer, without_reasoning
from lumber_core.llms.retry import CallPolicy, ask_until_usable
from lumber_core.lumber.answer_parser import is_refusal
from lumber_core.lumber.prompt import fold_lines
from lumber_core.segmentation import Usage
from lumber_evaluation.llm.cached_model import CachedModel

logger = logging.getLogger(__name__)

T = TypeVar("T")

ReplyOutcome = Literal[
    "read",  # the answer was used
    "unusable",  # the answer is not in the requested format
    "refused",  # the model declined, or its provider blocked the answer
    "unavailable",  # the model could not be reached in any attempt
]


@dataclass(frozen=True, slots=True)
class Prompt(Generic[T]):
    """What is sent to a model, and how to read the answer.

    `read` parses the answer's text, without the model's reasoning. If it raises an
    `UnusableReplyError`, the model is asked again with the error, up to `CallPolicy.repeats` times.
    """

    system: str  # instructions; if many prompts share them, providers can cache them
    user: str
    read: Callable[[str], T]


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The outcome of a prompt."""

    value: T | None  # the parsed answer; None unless `outcome` is "read"
    outcome: ReplyOutcome
    reason: str = ""  # what went wrong; "" if nothing did
    text: str | None = None  # the model's last answer, verbatim; None if there is none
    usage: Usage = field(default=Usage(), compare=False)  # zero if the answer came from a store


def ask_all(
    model: Model,
    prompts: Sequence[Prompt[T]],
    *,
    store: str | Path | None = None,
    policy: CallPolicy | None = None,
    max_concurrency: int = 8,
    show_progress: bool = False,
    title: str = "prompts",
) -> list[Reply[T]]:
    """Send prompts to a model, of which up to `max_concurrency` are in flight.

    `store` is a file that caches completions, so that an interrupted run resumes.

    Returns:
        One reply for each prompt, in order; the same for every `max_concurrency`.

    Raises:
        ModelSettingsError: The model rejects the key, the name or the settings.
        StoreError: The store cannot be used.
    """
    check_positive("max_concurrency", max_concurrency)
    cached = CachedModel(model, store, policy=policy)
    stop = threading.Event()
    errors: list[BaseException] = []

    def reply_to(prompt: Prompt[T]) -> Reply[T]:
        try:
            if not stop.is_set():
                return ask_one(cached, prompt)
        except BaseException as error:
            errors.append(error)
            stop.set()  # no further prompt is sent, and pauses between attempts end
            raise
        raise Stopped

    with ThreadPoolExecutor(max_concurrency, initializer=end_sleep_on, initargs=(stop,)) as pool:
        try:
            futures = [pool.submit(reply_to, prompt) for prompt in prompts]
            replies = []
            for future in tqdm(futures, desc=title, unit="prompt", disable=not show_progress):
                wait_for_first([future])
                replies.append(future.result())
        except Stopped:
            raise errors[0] from None
        except BaseException:
            stop.set()  # does not end calls in flight
            raise
    for number, reply in enumerate(replies):
        if reply.outcome != "read":
            logger.warning("%s: number %d: %s", title, number, reply.reason)
    return replies


def ask_one(model: CachedModel, prompt: Prompt[T]) -> Reply[T]:
    """Send a prompt to a model, and again if the answer cannot be used."""
    usage = Usage()

    def ask_once(user: str) -> tuple[Reply[T], str]:
        nonlocal usage
        completion, cost = model.ask(prompt.system, user)
        usage += cost
        reply = _read_reply(completion, prompt.read)
        return reply, reply.reason if reply.outcome == "unusable" else ""

    try:
        reply, _ = ask_until_usable(prompt.user, ask_once, repeats=model.policy.repeats)
    except ModelUnavailableError as error:
        reply = Reply(None, "unavailable", str(error))
    return replace(reply, usage=usage)


def _read_reply(completion: Completion, read: Callable[[str], T]) -> Reply[T]:
    if is_blocked(completion.finish_reason):
        reason = f"the provider blocked the answer: {completion.finish_reason}"
        return Reply(None, "refused", reason, completion.text)
    answer = without_reasoning(completion.text)
    try:
        if not answer.strip():
            raise UnusableReplyError(describe_missing_answer(completion.text))
        return Reply(read(answer), "read", "", completion.text)
    except UnusableReplyError as error:
        if is_refusal(answer) and "{" not in answer:
            return Reply(None, "refused", "the model declined to answer", completion.text)
        reason = str(error)
        if is_cut(completion.finish_reason):
            reason += "; it was cut off at the model's maximum number of tokens"
        return Reply(None, "unusable", reason, completion.text)


_DECODER = json.JSONDecoder(strict=False)  # accepts line breaks in strings
_OPENING = re.compile(r"[{\[]")
_MAX_REPLY_CHARACTERS = 100_000  # characters to read; valid replies are much shorter


class UnusableReplyError(ValueError):
    """A reply is not in the expected format. The message states what is wrong."""


def read_object(reply: str, fields: Sequence[str]) -> dict[str, Any]:
    """Return the last JSON object in a reply that has certain fields, whatever their case.

    The names of the fields are in lower case. If there is none, an UnusableReplyError is raised.
    """
    matching: dict[str, Any] | None = None
    for value in _outermost_values(reply):
        # Some models reply with a list of one object.
        candidate = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(candidate, dict):
            fields_by_name = {str(name).casefold(): field for name, field in candidate.items()}
            if all(name in fields_by_name for name in fields):
                matching = fields_by_name
    if matching is None:
        listed = ", ".join(f'"{name}"' for name in fields)
        raise UnusableReplyError(f"it contains no JSON object with {listed}")
    return matching


def one_line(value: object) -> str:
    """Return a field of a reply as one line of text; "" if it is neither text nor number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return fold_lines(str(value))


def _outermost_values(reply: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and lists of a reply."""
    reply = reply[:_MAX_REPLY_CHARACTERS]
    position = 0
    while (opening := _OPENING.search(reply, position)) is not None:
        position = opening.start() + 1
        try:
            value, position = _DECODER.raw_decode(reply, opening.start())
        except RecursionError:  # no valid reply is nested that deeply
            return
        except ValueError:
            continue
        yield value
