"""Faults on the way to a model, which `LoopbackServer` can play.

A fault is a value. A script of faults is a mapping from request numbers (the first is 1) to
faults, or a function from a `Request` to a fault or None.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from time import time
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tests.loopback.server import Request


@dataclass(frozen=True, slots=True)
class Status:
    """An error reply in the wire's own format, which may name a parameter as the cause."""

    code: int
    message: str = "scripted by the test"
    parameter: str | None = None
    reason: str | None = None  # the provider's short code for the error
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply with this status and body, word for word."""

    code: int
    body: str


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is dropped, before the reply or in the middle of its body."""

    where: Literal["before", "body"] = "before"


@dataclass(frozen=True, slots=True)
class Slow:
    """The reply comes after so many seconds; the request then gets its usual answer."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Dribble:
    """The reply never ends: after its header, or inside it, a byte comes now and then.

    In a body these are blanks, as a server that is still working may send them.
    """

    where: Literal["head", "body"] = "body"
    every: float = 0.02  # seconds


@dataclass(frozen=True, slots=True)
class Malformed:
    """A reply with status 200 whose body does not have the wire's format."""

    body: str | bytes = '{"choices": [{"message": {"cont'


@dataclass(frozen=True, slots=True)
class Compressed:
    """A reply with status 200 whose headers state this compression."""

    encoding: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """The model declines: OpenAI's `refusal` field; Gemini's candidate without content."""

    text: str = "I can't help with that."


@dataclass(frozen=True, slots=True)
class Filtered:
    """The provider's filter blocks the prompt, or the answer."""

    what: Literal["prompt", "answer"] = "answer"


@dataclass(frozen=True, slots=True)
class Says:
    """The model answers this, word for word: a wrong ID, an essay, nothing."""

    text: str


Fault = Status | Reply | Drop | Slow | Dribble | Malformed | Compressed | Refusal | Filtered | Says
Script = Mapping[int, Fault] | Callable[["Request"], Fault | None]


def rate_limited(retry_after: float | None = None, *, as_date: bool = False) -> Status:
    """A 429, with a Retry-After of so many seconds, as a number or as an HTTP date."""
    if retry_after is None:
        value = {}
    elif as_date:
        value = {"Retry-After": formatdate(time() + retry_after, usegmt=True)}
    else:
        value = {"Retry-After": f"{retry_after:g}"}
    return Status(429, "Rate limit reached", reason="rate_limit_exceeded", headers=value)


def cut(content: str | None) -> Malformed:
    """A reply in OpenAI's format that reached the limit of its tokens."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "length", "message": message}
    usage = {"prompt_tokens": 100, "completion_tokens": 64}
    return Malformed(json.dumps({"choices": [choice], "usage": usage}))


def rejecting(*parameters: str) -> Callable[[Request], Fault | None]:
    """A 400 that names a parameter, for every request with it; "response_format" is any schema."""

    def fault(request: Request) -> Fault | None:
        for parameter in parameters:
            wire_name = request.parameter(parameter)
            if wire_name is not None:
                message = f"Unsupported parameter: '{wire_name}' is not supported with this model."
                return Status(400, message, parameter=wire_name, reason="unsupported_parameter")
        return None

    return fault
