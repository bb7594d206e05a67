"""The optional parameters of a request, and those that a server rejects.

Models and servers differ in the temperatures, structured output and token limits that they accept,
and in how they report what they do not accept.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from lumber_core.llms.base import Answers

Form = Literal["json_schema", "json_object", "text"]
"""How a model's answers are restricted to the allowed ones."""


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The optional parameters of one request.

    Attributes:
        temperature: None: the model's default.
        answers: What answers are restricted to; None if `form` is "text".
        form: How answers are restricted to them.
        max_tokens: Maximum tokens to write. None: no limit.
        limit: The API's name for `max_tokens`.
    """

    temperature: float | None
    answers: Answers | None
    form: Form
    max_tokens: int | None
    limit: str


_STRUCTURE = (
    "responseformat",
    "responseschema",
    "responsemimetype",
    "jsonschema",
    "jsonobject",
    "jsonmode",
    "requestedparameters",  # OpenRouter does not name them: these are supported least
    "structuredoutput",
    "guided",
    "grammar",
)
# Names are compared without spaces and underscores, which servers write as they like.
_NAMES = {
    "temperature": ("temperature",),
    "json_schema": _STRUCTURE,
    "json_object": _STRUCTURE,
    "max_tokens": ("maxtokens", "maxcompletiontokens"),
    "max_completion_tokens": ("maxtokens", "maxcompletiontokens"),
    "max_output_tokens": ("maxoutputtokens",),
}
_SAID = {
    "json_schema": "structured output by a JSON schema: asking for less structure",
    "json_object": "structured output by a JSON schema: asking for less structure",
    "max_tokens": "max_tokens: sending requests with another name for it, or without",
    "max_completion_tokens": "max_completion_tokens: sending requests with another name for it, "
    "or without",
}
# Servers reject an unknown parameter with any status from 400 to 500. Unless it is 400 or 422, the
# message must say so as well. The last statuses here are never about a parameter.
_ABOUT_PARAMETERS = frozenset((400, 422))
_NEVER_ABOUT_PARAMETERS = frozenset((401, 402, 403, 408, 409, 425, 429, 502, 503, 504))
_REJECTS = (
    "extra_forbidden",
    "extra fields",
    "extra inputs",
    "input should be",
    "invalid",
    "literal_error",
    "must be",
    "no endpoints found",
    "not allowed",
    "not available",
    "not implemented",
    "not permitted",
    "not support",
    "unexpected keyword",
    "unknown",
    "unrecognized",
    "unsupported",
    "validation error",
)


def rejected_parameters(text: str, status: int | None, sent: RequestSettings) -> list[str]:
    """Return the optional parameters that an error says are not accepted.

    Args:
        text: The message of the error.
        status: Its HTTP status.
        sent: The parameters of the request.
    """
    if status in _NEVER_ABOUT_PARAMETERS:
        return []
    text = text.casefold()
    if status not in _ABOUT_PARAMETERS and not any(words in text for words in _REJECTS):
        return []
    names = [
        *(["temperature"] if sent.temperature is not None else []),
        *([sent.form] if sent.form != "text" else []),
        *([sent.limit] if sent.max_tokens is not None else []),
    ]
    joined = text.replace(" ", "").replace("_", "")
    return [name for name in names if any(words in joined for words in _NAMES[name])]


def without_aliases(names: Collection[str], known: Collection[str]) -> list[str]:
    """Return the names in `names` that do not mean the same parameter as one in `known`."""
    before = {_NAMES[name] for name in known}
    return [name for name in names if _NAMES[name] not in before]


def refusal(name: str) -> str:
    """Return what is not accepted, and what is sent instead."""
    return _SAID.get(name, f"{name}: sending requests without it")
