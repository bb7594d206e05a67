"""Settings as pydantic fields, and how they are serialised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, is_dataclass
from functools import partial
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from llama_index.core.bridge.pydantic import BaseModel, Field, PlainSerializer, SerializeAsAny

from lumber_core.settings import Settings, fields_of, setting_of
from lumber_core.support.cache import digest
from lumber_core.support.identity import identity_of, safe_repr


def named(value: Any) -> Any:
    """Return a description of a setting that JSON cannot represent, for cache keys."""
    if value is None or isinstance(value, str):
        return value
    name = getattr(value, "__qualname__", None)
    if name:
        return f"{value.__module__}.{name}"
    if isinstance(value, partial):
        return identity_of(value)
    known = safe_repr(value)
    # The state of a custom object counts, but may contain credentials.
    return known if known == repr(value) else f"{known} {digest(repr(value))[:16]}"


Named = Annotated[Any, PlainSerializer(named)]
"""A setting that may be a custom object: serialised as its name, its `repr` or a digest of it."""


def pydantic_fields(settings: type[Settings]) -> Iterator[tuple[str, Any]]:
    """Yield the name of each setting, and its type and field for a pydantic model.

    Settings that cannot change the result are left out of what is serialised, and so of cache keys.
    """
    for entry in fields_of(settings):
        said = setting_of(entry)
        kind = entry.type
        annotation: Any = kind if _is_plain(kind) else Named
        if any(isinstance(part, type) and issubclass(part, BaseModel) for part in get_args(kind)):
            annotation = Annotated[kind, SerializeAsAny()]  # type: ignore[type-arg]
        field = Field(
            default=... if entry.default is MISSING else entry.default,
            description=said.python_doc,
            exclude=None if said.changes_result else True,
        )
        yield entry.name, (annotation, field)


def _is_plain(kind: Any) -> bool:
    """Return whether values of a type survive a round trip through JSON."""
    if get_origin(kind) is Literal or kind is Ellipsis:
        return True
    inner = get_args(kind)
    if inner:
        return all(map(_is_plain, inner))
    return kind in (int, float, str, bool, NoneType) or is_dataclass(kind)
