"""Reading JSON out of what a language model wrote around it.

Models were asked for JSON alone and mostly comply; others put it between fences, sentences or
their own second thoughts. The last value of the wanted kind wins, because models conclude last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from lumber_core.lumber.prompt import folded

_DECODER = json.JSONDecoder(strict=False)  # line breaks inside strings do no harm
_OPENING = re.compile(r"[{\[]")
_LONGEST = 100_000  # characters looked at: no reply asked for here is nearly as long


class UnusableReplyError(ValueError):
    """A reply is not what was asked for. The message says what is wrong with it."""


def read_object(reply: str, fields: Sequence[str]) -> dict[str, Any]:
    """Return the last JSON object in a reply that has some fields, whose names ignore case.

    Args:
        reply: What the model wrote.
        fields: Names in lower case.

    Raises:
        UnusableReplyError: There is none.
    """
    found: dict[str, Any] | None = None
    for value in _values(reply):
        # A list of one object is what some models make of "reply with a JSON object".
        candidate = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(candidate, dict):
            named = {str(name).casefold(): field for name, field in candidate.items()}
            if all(name in named for name in fields):
                found = named
    if found is None:
        listed = ", ".join(f'"{name}"' for name in fields)
        raise UnusableReplyError(f"it holds no JSON object with {listed}")
    return found


def read_strings(reply: str) -> list[str]:
    """Return the last JSON list of strings in a reply; one in an object's field counts, too.

    Raises:
        UnusableReplyError: There is none.
    """
    found: list[str] | None = None
    for value in _values(reply):
        candidates = value.values() if isinstance(value, dict) else [value]
        for candidate in candidates:
            if isinstance(candidate, list) and all(isinstance(item, str) for item in candidate):
                found = [folded(item) for item in candidate]
    if found is None:
        raise UnusableReplyError("it holds no JSON list of strings")
    return found


def words(value: object) -> str:
    """Return a field of a reply as a text on one line: "" for what is neither text nor number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return folded(str(value))


def _values(reply: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and lists of a reply."""
    reply = reply[:_LONGEST]
    position = 0
    while (opening := _OPENING.search(reply, position)) is not None:
        value, position = _decoded(reply, opening.start())
        if value is not None:
            yield value


def _decoded(reply: str, start: int) -> tuple[Any, int]:
    """Return the JSON value that starts at an offset and where it ends; None where none does."""
    try:
        return _DECODER.raw_decode(reply, start)
    except RecursionError:  # nothing asked for is nested so deep
        return None, len(reply)
    except ValueError:
        return None, start + 1
