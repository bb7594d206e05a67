"""Readable settings of objects of any library."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lumber_core.support.identity import safe_repr
from lumber_core.support.secrets import is_secret


def settings_of(thing: object) -> str:
    """Return a readable description of an object's class and settings, without secrets.

    If it defines `repr`, that is used; otherwise, and for pydantic models, settings are listed.
    """
    fields = getattr(type(thing), "model_fields", None)  # of pydantic
    if fields is not None:
        return (
            f"{type(thing).__name__}({_entries({name: getattr(thing, name) for name in fields})})"
        )
    if _has_no_repr(thing) and hasattr(thing, "__dict__"):
        return f"{type(thing).__name__}({_entries(vars(thing))})"
    return _shown(thing)


def _entries(settings: Mapping[str, object]) -> str:
    named = {str(name).lstrip("_"): value for name, value in settings.items()}
    return ", ".join(f"{name}={_shown_as(name, value)}" for name, value in named.items())


def _shown_as(name: str, value: object) -> str:
    headers = name.casefold().endswith(("header", "headers"))  # any of them may be a secret
    return "..." if headers or is_secret(name, value) else _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{{_entries(value)}}}"
    if isinstance(value, list | tuple | set | frozenset):
        shown = map(_shown, value)
        return f"[{', '.join(sorted(shown) if isinstance(value, set | frozenset) else shown)}]"
    if hasattr(value, "__qualname__"):  # functions and classes
        return safe_repr(value)
    return type(value).__name__ if _has_no_repr(value) else re.sub(r" at 0x\w+", "", repr(value))


def _has_no_repr(thing: object) -> bool:
    return type(thing).__repr__ is object.__repr__
