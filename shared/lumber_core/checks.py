"""Checks of arguments before any work. Error messages state what to pass."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from lumber_core.support.identity import safe_repr


def check_text(text: object) -> None:
    """Raise a TypeError unless `text` is a string; the message states what to pass."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}{text_hint(text)}")


def text_hint(value: object) -> str:
    """Return a hint on how to get the text from a wrong argument, or ""."""
    if isinstance(value, (bytes, bytearray)):
        return "; decode it first"
    if hasattr(value, "page_content"):
        return "; pass its page_content"
    return "; pass its get_content()" if hasattr(value, "get_content") else ""


def check_texts(texts: object) -> list[str]:
    """Return `texts` as a list; raise a TypeError unless it is iterable and has only strings."""
    if isinstance(texts, str):
        raise TypeError("texts must be a list of str, not one str: pass [text]")
    hint = text_hint(texts)
    if hint or not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a list of str, not {type(texts).__name__}{hint}")
    checked = list(texts)
    for text in checked:
        check_text(text)
    return checked


def check_positive(name: str, value: object, *, least: int = 1) -> None:
    """Raise a TypeError unless `value` is a whole number, and a ValueError if it is too low."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")


def check_number(
    name: str, value: object, fits: Callable[[float], bool] = math.isfinite, expected: str = ""
) -> None:
    """Raise a TypeError unless `value` is a number, and a ValueError unless it is finite and fits.

    `expected` describes the numbers that fit, such as "above 0", for the error message.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, not {value}")
    if not fits(value):
        raise ValueError(f"{name} must be {expected}, not {value}")


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise a ValueError unless `value` is one of `choices`."""
    if value not in choices:
        listed = " or ".join(f'"{c}"' if isinstance(c, str) else repr(c) for c in choices)
        raise ValueError(f"{name} must be {listed}, not {safe_repr(value)}")


def refuse_unknown(
    owner: str, names: Iterable[str], valid: Sequence[str], hints: Mapping[str, str]
) -> None:
    """Raise a TypeError if the class named `owner` lacks a setting that was passed.

    `hints` has what to use instead of settings of other libraries, for the message; for any other
    name, the message suggests the closest setting.
    """
    for name in (name for name in names if name not in valid):
        if name in hints:
            raise TypeError(f"{owner} has no setting {name!r}: {hints[name]}")
        from difflib import get_close_matches  # deferred: only this error needs it

        match = get_close_matches(name, valid, n=1)
        hint = f"did you mean {match[0]!r}?" if match else f"its settings are {', '.join(valid)}"
        raise TypeError(f"{owner} has no setting {name!r}: {hint}")


class RefusesUnknown:
    """A pydantic model whose constructor raises for unknown settings and positional arguments.

    See `refuse_unknown`.
    """

    _hints: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # type checkers read the constructor that pydantic makes of the fields

        def __new__(cls, *_: object, **settings: object) -> Any:
            """Check the names; LlamaIndex adds "class_name" to the settings."""
            names = [name for name in settings if name != "class_name"]
            refuse_unknown(cls.__name__, names, [*cls.model_fields], cls._hints)
            return super().__new__(cls)

        def __init__(self, /, *positional: object, **settings: object) -> None:
            """Set the fields, which the class describes."""
            if positional:
                name = type(self).__name__
                raise TypeError(f"{name} takes its settings by name, as in {name}(setting=value)")
            try:
                super().__init__(**settings)
            except ValueError as error:  # pydantic puts the error of a check into one of its own
                problems = getattr(error, "errors", list)()
                causes = [problem.get("ctx", {}).get("error") for problem in problems]
                raise (causes[0] if len(causes) == 1 and causes[0] else error) from None


def check_flags(owner: object, *names: str) -> None:
    """Raise a TypeError unless attributes are True or False."""
    for name in names:
        if not isinstance(value := getattr(owner, name), bool):
            raise TypeError(f"{name} must be True or False, not {safe_repr(value)}")


_LANGUAGE_CODE = re.compile(r"[a-zA-Z]{2,3}([-_][a-zA-Z0-9]+)*")


def check_language(value: object) -> None:
    """Raise a ValueError unless `value` has the form of an ISO 639 code: "en", "pt-br"."""
    if not (isinstance(value, str) and _LANGUAGE_CODE.fullmatch(value)):
        raise ValueError(f'language must be an ISO 639 code such as "en", not {safe_repr(value)}')
