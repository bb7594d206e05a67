"""Identities: texts that change whenever the output of an object may change; keys for caches.

An identity holds no credentials and no addresses in memory, so it is the same in every process.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

NOT_COVERED = "code not covered"
"""Part of an identity that names a function of the user's: its code may change, its name not."""


def identity_of(value: object) -> str:
    """Return the identity of a setting.

    Args:
        value: An object with a string `identity` is known by that; objects of this library by
            their `repr`; functions and foreign objects by their qualified name, marked
            `NOT_COVERED`.
    """
    try:
        own = getattr(value, "identity", None)
    except ValueError:  # a judge that is a function without an identity
        return f"{value!r} ({NOT_COVERED})"
    if isinstance(own, str) and not isinstance(value, type):
        return own
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(identity_of, value))}]"
    if isinstance(value, Mapping):
        entries = (f"{name}={identity_of(entry)}" for name, entry in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, functools.partial):
        given = f"{identity_of(value.args)}, {identity_of(value.keywords)}"
        return f"partial({identity_of(value.func)}, {given})"
    module, name = _qualified(value)
    if module.partition(".")[0] == "lumber_core":
        return f"{module}.{name}" if hasattr(value, "__qualname__") else repr(value)
    return f"{module}.{name} ({NOT_COVERED})"


def class_identity(kind: type) -> str:
    """Return the name of a class; with its module, and marked, if it is not of this library."""
    module, name = _qualified(kind)
    return name if module.startswith("lumber_") else f"{module}.{name} ({NOT_COVERED})"


def _qualified(value: object) -> tuple[str, str]:
    """Return the module and the qualified name of a function, or of an object's class."""
    named = value if hasattr(value, "__qualname__") else type(value)
    return str(getattr(named, "__module__", None)), str(getattr(named, "__qualname__", named))
