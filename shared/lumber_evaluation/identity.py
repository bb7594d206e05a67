"""Cache keys and readable settings for objects of any library."""

from __future__ import annotations

import enum
import functools
import hashlib
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType
from typing import Any

from lumber_core.chunking.base import Chunker
from lumber_core.identity import NOT_COVERED

_SECRET = re.compile(r"key|secret|password|credential|header|auth|_token$|^token$", re.IGNORECASE)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_MOST_PARTS = 200_000  # objects with more parts are not described
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def splitter_identity(splitter: object) -> str | None:
    """Return a cache key that covers everything that determines a splitter's chunks.

    Splitters of this project have an `identity`. For others it is the class, the version of its
    distribution, and a digest of all settings, including those of the objects and functions it
    contains. It contains no secrets in clear text.

    Returns:
        None if the settings do not determine the output: the splitter is or contains a custom
        function, whose code may change, or something opaque.
    """
    chunker = getattr(splitter, "chunker", splitter)  # this project's adapters have one
    if isinstance(chunker, Chunker):
        overlap = getattr(splitter, "chunk_overlap", 0)
        identity = _own_identity(chunker)
        return f"{identity}, chunk_overlap={overlap}" if identity and overlap else identity
    digest = hashlib.sha256()
    try:
        for part in _parts(splitter, {}):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    except (_UndeterminedError, RecursionError):
        return None
    return f"{_qualified(type(splitter))} {digest.hexdigest()}"


class _UndeterminedError(Exception):
    """It is unknown what determines an object's output."""


def _own_identity(chunker: Chunker) -> str | None:
    identity = chunker.identity
    return None if NOT_COVERED in identity else identity


def _parts(thing: Any, seen: dict[int, int]) -> Iterator[str]:
    """Yield strings that differ if the behaviour differs.

    Raises:
        _UndeterminedError: There are none.
    """
    if isinstance(thing, _PLAIN):
        yield repr(thing)
        return
    if id(thing) in seen:
        yield f"part {seen[id(thing)]}"
        return
    seen[id(thing)] = len(seen)
    if len(seen) > _MOST_PARTS:
        raise _UndeterminedError
    yield _qualified(type(thing))
    if isinstance(thing, (FunctionType, BuiltinFunctionType, MethodDescriptorType, type)):
        yield _qualified(thing)
        held: Any = []
        if isinstance(thing, FunctionType):
            cells = [cell.cell_contents for cell in thing.__closure__ or ()]
            held = [cells, thing.__defaults__, thing.__kwdefaults__]
    elif isinstance(thing, MethodType):
        held = [thing.__func__, thing.__self__]
    elif isinstance(thing, functools.partial):
        held = [thing.func, thing.args, thing.keywords]
    elif isinstance(thing, enum.Enum):
        held = [thing.name]
    elif isinstance(thing, re.Pattern):
        held = [thing.pattern, thing.flags]
    elif isinstance(thing, Path):
        held = [str(thing)]
    elif isinstance(thing, Mapping):
        held = [part for entry in thing.items() for part in entry]
    elif isinstance(thing, (set, frozenset)):
        held = sorted(thing, key=repr)
    elif isinstance(thing, (list, tuple)):
        held = thing
    else:
        held = [_state(thing)]
    yield str(len(held))
    for one in held:
        yield from _parts(one, seen)


def _state(thing: Any) -> Any:
    """Return the settings of an object.

    Raises:
        _UndeterminedError: It has none that can be read.
    """
    own = type(thing).__dict__.get("__getstate__")
    if own is not None:
        return thing.__getstate__()
    if not hasattr(thing, "__dict__"):
        raise _UndeterminedError
    private = getattr(thing, "__pydantic_private__", None)  # pydantic stores these separately
    return {**vars(thing), **(private or {})}


def _qualified(thing: Any) -> str:
    """Return the name of a class or function with the version of its distribution.

    Raises:
        _UndeterminedError: It belongs to no distribution, so its code may change.
    """
    owner = thing.__objclass__ if isinstance(thing, MethodDescriptorType) else thing
    module, name = getattr(owner, "__module__", None), getattr(thing, "__qualname__", None)
    if module is None or name is None:
        raise _UndeterminedError
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return f"{module}.{name} {sysconfig.get_python_version()}"
    try:
        (distribution, *_) = _distributions().get(top, [top])
        return f"{module}.{name} {distribution} {version(distribution)}"
    except PackageNotFoundError:
        raise _UndeterminedError from None


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def settings_of(thing: object) -> str:
    """Return a readable description of an object's class and settings, without secrets.

    Args:
        thing: An object of any library. If it defines `repr`, that is used; otherwise, and for
            pydantic models, the attributes are listed.
    """
    if _is_opaque(thing):
        return _with_attributes(thing, vars(thing))
    return _shown(thing)


def _is_opaque(thing: object) -> bool:
    """Return whether an object has no `repr` of its own."""
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
