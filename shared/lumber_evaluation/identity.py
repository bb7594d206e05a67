"""Cache keys and readable settings for objects of any library."""

from __future__ import annotations

import hashlib
import re
from abc import ABC
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Generic, Protocol

from lumber_core.chunking.base import Chunker
from lumber_core.identity import NOT_COVERED, safe_repr
from lumber_core.secrets import is_hidden

_WITHOUT_STATE = (object, ABC, Generic, Protocol)
_distributions = cache(packages_distributions)


def splitter_identity(splitter: object) -> str | None:
    """Return a cache key that covers everything that determines a splitter's chunks.

    Splitters of this project have an `identity`. For others it is the class, the versions of the
    distributions of it and its bases, and a digest of all settings, which shows no secret.

    Returns:
        None if that is not everything: the code is not of an installed package, or a setting is
        neither data nor `len`, such as a function or a tokenizer.
    """
    chunker = getattr(splitter, "chunker", splitter)  # this project's adapters have one
    if isinstance(chunker, Chunker):
        own, overlap = chunker.identity, getattr(splitter, "chunk_overlap", 0)
        return None if NOT_COVERED in own else f"{own}, chunk_overlap={overlap}" if overlap else own
    kinds = [kind for kind in type(splitter).__mro__ if kind not in _WITHOUT_STATE]
    try:
        code = " ".join(map(_class_with_version, kinds))
        settings = _data(vars(splitter)).encode("utf-8", "surrogatepass")
    except (TypeError, PackageNotFoundError):
        return None
    return f"{code} {hashlib.sha256(settings).hexdigest()}"


def _class_with_version(kind: type) -> str:
    if vars(kind).get("__slots__"):
        raise TypeError("vars() has no values of slots, where pydantic keeps private settings")
    package = kind.__module__.partition(".")[0]
    (distribution, *_) = _distributions().get(package, [package])
    return f"{kind.__module__}.{kind.__qualname__} {distribution} {version(distribution)}"


def _data(value: object) -> str:
    if value is None or value is len or type(value) in (bool, int, float, str, bytes):
        return repr(value)  # `len` is how LangChain's splitters measure by default
    if type(value) in (list, tuple):
        return f"{type(value).__name__} [{', '.join(map(_data, value))}]"  # type: ignore[call-overload]
    if type(value) is dict:
        return f"{{{', '.join(f'{_data(name)}: {_data(held)}' for name, held in value.items())}}}"
    raise TypeError(f"{type(value).__name__} is not data")


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
    hidden = is_hidden(name, value)
    return "..." if hidden else _shown(value)


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
