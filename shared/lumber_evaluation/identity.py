"""What changes the result of an object that somebody else's library made, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECRET = re.compile(r"key|secret|password|credential|header|auth|_token$|^token$", re.IGNORECASE)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def settings_of(thing: object) -> str:
    """Describe an object by its class and its settings, without addresses and without secrets.

    Args:
        thing: An object of any library. One with a `repr` of its own is described by that. Of
            others, and of pydantic models, the attributes are listed, but an attribute that says
            nothing of itself is named by its class.
    """
    if _is_opaque(thing):
        return _with_attributes(thing, vars(thing))
    return _shown(thing)


def _is_opaque(thing: object) -> bool:
    """Tell whether an object says nothing of itself."""
    return type(thing).__repr__ is object.__repr__ and hasattr(thing, "__dict__")


def _shown(thing: object) -> str:
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return repr(thing)
    if isinstance(thing, (list, tuple)):
        return f"[{', '.join(map(_shown, thing))}]"
    if isinstance(thing, (set, frozenset)):
        return f"[{', '.join(sorted(map(_shown, thing)))}]"
    if isinstance(thing, Mapping):
        return f"{{{', '.join(_entry(str(key), value) for key, value in thing.items())}}}"
    name = getattr(thing, "__qualname__", None)
    if name is not None:
        return f"{getattr(thing, '__module__', '')}.{name}"
    fields = getattr(type(thing), "model_fields", None)
    if fields is not None:
        return _with_attributes(thing, {field: getattr(thing, field) for field in fields})
    return type(thing).__name__ if _is_opaque(thing) else _ADDRESS.sub("", repr(thing))


def _with_attributes(thing: object, attributes: Mapping[str, object]) -> str:
    entries = [_entry(name.lstrip("_"), value) for name, value in attributes.items()]
    return f"{type(thing).__name__}({', '.join(entries)})"


def _entry(name: str, value: object) -> str:
    secret = _SECRET.search(name) is not None and not isinstance(value, (int, float))
    return f"{name}={'...' if secret else _shown(value)}"
