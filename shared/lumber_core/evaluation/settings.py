"""What changes the result of an object that somebody else's library made, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SECRET = re.compile(r"key|secret|password|credential|header|auth|_token$|^token$", re.IGNORECASE)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DEPTH = 2


def settings_of(thing: object) -> str:
    """Describe an object by its class and its settings, without addresses and without secrets.

    Args:
        thing: An object of any library. One with a `repr` of its own is described by that; of
            others, pydantic models included, the attributes are listed that are numbers, strings,
            functions, lists, or objects with such attributes.
    """
    return _shown(thing, _DEPTH)


def _shown(thing: object, depth: int) -> str:
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return repr(thing)
    if isinstance(thing, (list, tuple, set, frozenset)):
        items = [_shown(item, depth) for item in thing]
        return f"[{', '.join(sorted(items) if isinstance(thing, (set, frozenset)) else items)}]"
    if isinstance(thing, Mapping):
        return f"{{{', '.join(_entry(str(key), value, depth) for key, value in thing.items())}}}"
    name = getattr(thing, "__qualname__", None)
    if name is not None:
        return f"{getattr(thing, '__module__', '')}.{name}"
    fields = getattr(type(thing), "model_fields", None)
    if fields is None and type(thing).__repr__ is not object.__repr__:
        return _ADDRESS.sub("", repr(thing))
    known: Mapping[str, Any] = getattr(thing, "__dict__", {})
    if depth == 0:
        return type(thing).__name__
    entries = [
        _entry(name.lstrip("_"), value, depth - 1)
        for name, value in known.items()
        if fields is None or name in fields
    ]
    return f"{type(thing).__name__}({', '.join(entries)})"


def _entry(name: str, value: object, depth: int) -> str:
    secret = _SECRET.search(name) is not None and not isinstance(value, (int, float))
    return f"{name}={'...' if secret else _shown(value, depth)}"
