"""Putting many independent questions to a language model, several at a time.

What goes wrong with one question is that question's result, with a reason; wrong settings, which
would go wrong with all of them, raise at once. Whatever way it ends, each answer that came is in
the store, if there is one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Literal, TypeVar

from tqdm import tqdm

from lumber_core import waiting
from lumber_core.checks import check_positive
from lumber_core.errors import ModelUnavailableError
from lumber_core.llms.base import Model
from lumber_core.llms.failures import is_blocked, is_cut
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.answers import declines, without_thinking
from lumber_core.segmentation import Usage
from lumber_evaluation.completions import CachedModel, CompletionStore, remembering
from lumber_evaluation.replies import UnusableReplyError

logger = logging.getLogger(__name__)

T = TypeVar("T")

Outcome = Literal[
    "read",  # the answer was used
    "unusable",  # it was not what was asked for
    "refused",  # the model declined, or its provider blocked the answer
    "unavailable",  # the model could not be reached, however often it was tried
]


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """A question to a model, with what makes sense of the answer.

    Attributes:
        system: Instructions; best the same for many questions, so that providers can cache them.
        user: The question.
        read: Takes the answer's text, without what the model thought aloud, and returns what it
            means. It raises `UnusableReplyError` with what is wrong where it cannot; the model is
            then told so and asked again, as often as `CallPolicy.rereads` allows.
    """

    system: str
    user: str
    read: Callable[[str], T]


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What came of a question.

    Attributes:
        value: What the answer means; None unless `outcome` is "read".
        outcome: How it went.
        reason: What went wrong, for people; "" where nothing did.
        text: The model's last answer, verbatim; None where none came.
        usage: What it cost this time; nothing where a store knew it. Replies that differ in
            nothing else are equal.
    """

    value: T | None
    outcome: Outcome
    reason: str = ""
    text: str | None = None
    usage: Usage = field(default=Usage(), compare=False)


def ask_all(
    model: Model,
    asks: Sequence[Ask[T]],
    *,
    store: CompletionStore | str | Path | None = None,
    policy: CallPolicy | None = None,
    max_concurrency: int = 8,
    show_progress: bool = False,
    title: str = "questions",
) -> list[Reply[T]]:
    """Put questions to a model.

    Args:
        model: The model, or one that remembers already.
        asks: The questions.
        store: Where completions are kept, so that a run which was interrupted goes on where it
            was.
        policy: How often and how fast the model may be asked.
        max_concurrency: Most questions in flight at once.
        show_progress: Whether to draw a progress bar.
        title: What the bar is called.

    Returns:
        One reply for each question, in order; the same for every `max_concurrency`.

    Raises:
        ModelSettingsError: The model refuses the key, the name or the settings.
        StoreError: The store cannot be used.
    """
    check_positive("max_concurrency", max_concurrency)
    asked = remembering(model, store, policy)
    if asked.store is not None:
        asked.store.open()
    replies: dict[int, Reply[T]] = {}
    with tqdm(total=len(asks), desc=title, unit="question", disable=not show_progress) as bar:
        for number, reply in _replies(asked, asks, max_concurrency):
            replies[number] = reply
            bar.update(1)
    for number in range(len(asks)):
        if replies[number].outcome != "read":
            logger.warning("%s: number %d: %s", title, number, replies[number].reason)
    return [replies[number] for number in range(len(asks))]


def _replies(
    model: CachedModel, asks: Sequence[Ask[T]], capacity: int
) -> Iterator[tuple[int, Reply[T]]]:
    """Yield replies as they come, with the numbers of their questions."""
    if capacity == 1:
        for number, ask in enumerate(asks):
            yield number, _reply(model, ask)
        return
    stop = threading.Event()
    with ThreadPoolExecutor(
        capacity, thread_name_prefix="lumber-ask", initializer=waiting.listen_to, initargs=(stop,)
    ) as pool:
        out: dict[Future[Reply[T]], int] = {}
        left = iter(enumerate(asks))
        try:
            while True:
                while len(out) < capacity and (taken := next(left, None)) is not None:
                    out[pool.submit(_reply, model, taken[1])] = taken[0]
                if not out:
                    return
                done, _ = wait(out, return_when=FIRST_COMPLETED)
                for future in done:
                    yield out.pop(future), future.result()
        except BaseException:
            stop.set()  # ends the pauses between attempts, not the calls that are under way
            raise


def _reply(model: CachedModel, ask: Ask[T]) -> Reply[T]:
    """Ask, and ask again where the answer is of no use."""
    usage, user = Usage(), ask.user
    reply: Reply[T] | None = None
    for _ in range(model.policy.rereads + 1):
        try:
            completion, cost = model.ask(ask.system, user)
        except ModelUnavailableError as error:
            return Reply(None, "unavailable", str(error), usage=usage)
        usage += cost
        if is_blocked(completion.finish_reason):
            reason = f"the provider blocked the answer: {completion.finish_reason}"
            return Reply(None, "refused", reason, completion.text, usage)
        answer = without_thinking(completion.text)
        try:
            return Reply(ask.read(answer), "read", "", completion.text, usage)
        except UnusableReplyError as error:
            if declines(answer) and "{" not in answer:
                reason = "the model declined to answer"
                return Reply(None, "refused", reason, completion.text, usage)
            reason = str(error)
            if is_cut(completion.finish_reason):
                reason += "; it was cut at the most tokens that the model may write"
            reply = Reply(None, "unusable", reason, completion.text, usage)
            user = f"{ask.user}\n\nYour last reply could not be used: {reason}. Try again."
    assert reply is not None, "there is always a first question"
    return reply
